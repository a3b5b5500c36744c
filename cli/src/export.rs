//! `hopscope export`.

use std::cell::Cell;
use std::io::{BufWriter, IntoInnerError, IsTerminal as _, Write as _};
use std::time::SystemTime;

use anyhow::{Context as _, Result, bail};
use hopscope_core::export::{Export, ExportError, Options, Rules, Stopped};
use hopscope_core::interaction::words::inert;
use hopscope_core::units::Instant;

use crate::PASSED;
use crate::args::{ExportArgs, Redact};
use crate::input::{self, Keep};
use crate::output::Output;
use crate::progress::Progress;
use crate::tell;

/// How much is gathered before it is written.
const BUFFER: usize = 1 << 16;
/// After how many steps it is looked at how far it has come, which is not free.
const STEPS: u64 = 64;

pub fn run(args: &ExportArgs) -> Result<u8> {
    spares_what_it_reads(args)?;
    let mut loaded = input::load(&args.input, Keep::Bodies)?;
    let analysis = loaded.engine.analysis();
    let options = Options {
        sessions: input::sessions(analysis, &args.input)?,
        generated_at: generated_at()?,
        redaction: rules(&args.redact).redaction()?,
    };
    for spared in options.redaction.spares(analysis, &options.sessions) {
        tell(&format!("hopscope: {spared}"));
    }
    let out = match &args.output {
        None => Output::standard(),
        Some(path) => {
            let name = inert(&path.display().to_string());
            Output::to(path).with_context(|| format!("cannot write {name}"))?
        }
    };
    let shown = args.output.is_none() && std::io::stdout().is_terminal();
    let mut progress = Progress::of(format!("writing {}", args.format.name()), shown);
    let mut out = BufWriter::with_capacity(BUFFER, out);
    let (written, mut failed) = (Cell::new(0), None);
    let mut sink = |bytes: &[u8]| {
        written.set(written.get() + bytes.len() as u64);
        out.write_all(bytes).map_err(|error| {
            failed = Some(error);
            Stopped
        })
    };
    let mut bodies = loaded.stores.bodies();
    let mut export = Export::new(args.format, options);
    let mut steps = 0_u64;
    let done = loop {
        steps += 1;
        if steps.is_multiple_of(STEPS) {
            let (done, total) = export.progress(analysis);
            progress.at(done, total, written.get());
        }
        match export.step(analysis, &mut bodies, &mut sink) {
            Ok(true) => {}
            Ok(false) => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    drop(progress);
    match (done, failed) {
        (Err(error @ ExportError::Body(_)), _) => return Err(error.into()),
        (_, Some(error)) => ended(Err(error))?,
        _ => ended(out.into_inner().map_err(IntoInnerError::into_error).and_then(Output::finish))?,
    }
    Ok(PASSED)
}

/// What the flags ask to take out.
fn rules(args: &Redact) -> Rules {
    Rules {
        secrets: args.redact_secrets,
        timings_only: args.timings_only,
        keys: args.redact_keys.clone(),
        values: args.redact_values.clone(),
        paths: args.redact_paths.clone(),
    }
}

/// A reader that has seen enough is no error.
fn ended(result: std::io::Result<()>) -> Result<()> {
    match result {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        result => result.context("cannot write the export"),
    }
}

/// `SOURCE_DATE_EPOCH`, so that equal captures give equal files, or now.
fn generated_at() -> Result<Instant> {
    if let Some(epoch) = std::env::var_os("SOURCE_DATE_EPOCH") {
        let seconds = epoch.to_str().and_then(|text| text.parse::<i64>().ok());
        return seconds
            .and_then(|seconds| seconds.checked_mul(1_000_000_000))
            .map(Instant)
            .context("SOURCE_DATE_EPOCH should be a number of seconds since 1970");
    }
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Ok(Instant(i64::try_from(now.as_nanos()).unwrap_or(i64::MAX)))
}

/// An export does not take the place of a capture that it reads, which would be gone for good.
fn spares_what_it_reads(args: &ExportArgs) -> Result<()> {
    let Some(output) = args.output.as_ref().and_then(|path| path.canonicalize().ok()) else {
        return Ok(());
    };
    let read = args.input.files.iter().filter_map(|file| file.canonicalize().ok());
    if read.into_iter().any(|file| file == output) {
        let name = inert(&output.display().to_string());
        bail!("{name} is read, so it is not written over: choose another file for -o");
    }
    Ok(())
}
