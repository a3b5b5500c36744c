//! Reads captures from files and standard input, and says what is wrong with them.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context as _, Result, anyhow, bail};
use hopscope_core::capture::gzip::{Inflater, is_gzip};
use hopscope_core::capture::{Lack, Recognition, Source};
use hopscope_core::engine::Engine;
use hopscope_core::fmt;
use hopscope_core::ids::SessionIdx;
use hopscope_core::interaction::Analysis;
use hopscope_core::interaction::words::{inert, issue_message, line_issue_message};

use crate::args::Input;
use crate::feed::Feed;
use crate::progress::Progress;
use crate::store::{Store, Stores};
use crate::tell;

/// How much is read at once.
const CHUNK: usize = 1 << 20;
/// How many unreadable lines are told one by one.
const LINES_TOLD: usize = 10;

/// A capture that was read, and where its bytes are.
pub struct Loaded {
    pub engine: Engine,
    pub stores: Stores,
}

/// Whether bodies will be read again, which what comes through a pipe must be kept for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// No.
    Nothing,
    /// Yes.
    Bodies,
}

/// Reads every file of the command line, and tells on standard error what could not be read.
pub fn load(input: &Input, keep: Keep) -> Result<Loaded> {
    let mut loaded = Loaded { engine: Engine::new(), stores: Stores::default() };
    for path in &input.files {
        let name = shown(path);
        if path.as_os_str() == "-" {
            read(&mut loaded, &name, std::io::stdin().lock(), 0, keep)?;
        } else {
            let file = open(path)?;
            read_file(&mut loaded, &name, file, keep)?;
        }
    }
    let analysis = loaded.engine.analysis();
    // First the places, for what is no capture may be one with a single damaged line.
    tell_unreadable(analysis);
    for source in &analysis.capture.sources {
        recognised(source)?;
    }
    analysis.capture.sources.iter().for_each(tell_lacks);
    tell_twins(analysis);
    Ok(loaded)
}

/// The sessions asked for, or all of them.
pub fn sessions(analysis: Analysis<'_>, input: &Input) -> Result<Vec<SessionIdx>> {
    if input.sessions.is_empty() {
        return Ok(analysis.sessions().collect());
    }
    let id = |session: SessionIdx| analysis.text(analysis.session(session).id);
    let find = |wanted: &String| {
        analysis.sessions().find(|&session| id(session) == wanted).ok_or_else(|| {
            let known: Vec<String> =
                analysis.sessions().map(|session| format!("  {}", inert(id(session)))).collect();
            anyhow!(
                "no session \"{}\" in this capture, which holds:\n{}",
                inert(wanted),
                known.join("\n")
            )
        })
    };
    input.sessions.iter().map(find).collect()
}

fn shown(path: &Path) -> String {
    if path.as_os_str() == "-" {
        return "standard input".to_owned();
    }
    inert(&path.display().to_string())
}

fn open(path: &Path) -> Result<File> {
    let name = shown(path);
    if path.is_dir() {
        bail!("{name} is a directory; name the capture file in it, such as session.jsonl");
    }
    File::open(path).with_context(|| format!("cannot open {name}"))
}

fn read_file(loaded: &mut Loaded, name: &str, mut file: File, keep: Keep) -> Result<()> {
    let mut head = Vec::new();
    let begun = (&mut file).take(2).read_to_end(&mut head);
    begun.with_context(|| format!("cannot read {name}"))?;
    // A named pipe cannot be read a second time, and compressed bytes not by span.
    if is_gzip(&head) || !file.metadata().is_ok_and(|known| known.is_file()) {
        let size = file.metadata().map_or(0, |known| known.len());
        return read(loaded, name, head.as_slice().chain(file), size, keep);
    }
    loaded.engine.open(name);
    let mut feed = Feed::new(&mut loaded.engine);
    feed.push(&head);
    let size = file.metadata().map_or(0, |known| known.len());
    pump(name, &file, size, |bytes| feed.push(bytes))?;
    feed.end();
    loaded.engine.close();
    loaded.stores.push(Store::of(file));
    Ok(())
}

/// Reads what can be read once, and keeps it if its bodies will be wanted. A size of 0 is not known.
fn read(loaded: &mut Loaded, name: &str, mut from: impl Read, size: u64, keep: Keep) -> Result<()> {
    let mut head = Vec::new();
    let begun = from.by_ref().take(2).read_to_end(&mut head);
    begun.with_context(|| format!("cannot read {name}"))?;
    let mut store = Store::temporary().context("cannot make a temporary file")?;
    loaded.engine.open(name);
    let mut feed = Feed::new(&mut loaded.engine);
    let mut kept = Ok(());
    let mut take = |bytes: &[u8]| {
        feed.push(bytes);
        if keep == Keep::Bodies && kept.is_ok() {
            kept = store.append(bytes);
        }
    };
    let from = head.as_slice().chain(from);
    let inflated = if is_gzip(&head) {
        inflate(name, from, size, &mut take)?
    } else {
        pump(name, from, size, &mut take)?;
        Ok(())
    };
    feed.end();
    kept.context("cannot write a temporary file")?;
    match inflated {
        Ok(()) => loaded.engine.close(),
        Err(reason) => loaded.engine.damaged(reason),
    }
    loaded.stores.push(store);
    Ok(())
}

/// Hands on what compressed bytes inflate to; the inner error says where they are damaged.
fn inflate(
    name: &str,
    from: impl Read,
    size: u64,
    mut take: impl FnMut(&[u8]),
) -> Result<Result<(), String>> {
    let mut inflater = Inflater::default();
    let mut damage = None;
    pump(name, from, size, |bytes| {
        if damage.is_none() {
            damage = inflater.push(bytes, &mut take).err();
        }
    })?;
    Ok(match damage {
        Some(reason) => Err(reason),
        None => inflater.finish(take),
    })
}

fn pump(name: &str, mut from: impl Read, size: u64, mut take: impl FnMut(&[u8])) -> Result<()> {
    let mut chunk = vec![0; CHUNK];
    let mut progress = Progress::of(format!("reading {name}"), false);
    let mut done = 0;
    loop {
        match from.read(&mut chunk) {
            Ok(0) => return Ok(()),
            Ok(read) => {
                take(chunk.get(..read).unwrap_or_default());
                done += read as u64;
                progress.at(done, size, done);
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error).with_context(|| format!("cannot read {name}")),
        }
    }
}

const HOW_TO_RECORD: &str = "To record a capture, put mcpsnoop before the server's command, \
     `mcpsnoop -- SERVER ARGS…`, or `mcpsnoop http --target URL` before a server on HTTP; it \
     writes one .jsonl file a session.";

/// What cannot be judged is no capture, whatever its name says.
fn recognised(source: &Source) -> Result<()> {
    let name = &source.name;
    match source.recognition() {
        Recognition::Capture => Ok(()),
        Recognition::Empty if source.bytes == 0 => {
            bail!("{name} is empty: not one byte was written to it.\n{HOW_TO_RECORD}")
        }
        Recognition::Empty => {
            bail!("{name} holds no frame: there is nothing in it but blank space.\n{HOW_TO_RECORD}")
        }
        Recognition::Unknown => {
            let found = match source.first_line.as_str() {
                "" => "no text at all",
                line => line,
            };
            bail!(
                "{name} is not a capture.\n\
                 Looked for:\n{}\n\
                 Found in the first line: {found}\n\
                 {HOW_TO_RECORD}",
                looked_for(source)
            )
        }
    }
}

/// What was looked for, a line a format, with why this is none. A file that was recognised and
/// still holds no frame needs no such list: what is wrong with it is told line by line.
fn looked_for(source: &Source) -> String {
    if let Some(format) = source.format {
        return format!("  the frames of a {}: it begins as one and holds none", format.name());
    }
    let lines =
        source.refused.iter().map(|refused| format!("  {}: {}", refused.looked_for, refused.found));
    lines.collect::<Vec<String>>().join("\n")
}

/// What a format does not keep is no finding, so it is told beforehand.
fn tell_lacks(source: &Source) {
    let lacks: Vec<&str> = source.lacks().into_iter().map(Lack::sentence).collect();
    if let Some(format) = source.format.filter(|_| !lacks.is_empty()) {
        tell(&format!("hopscope: {} ({}): {}", source.name, format.name(), lacks.join("; ")));
    }
}

/// What was recorded at both ends of a connection counts twice.
fn tell_twins(analysis: Analysis<'_>) {
    for session in analysis.sessions() {
        if let Some(issue) = analysis.same_traffic(session) {
            let name = inert(analysis.text(analysis.session(session).id));
            tell(&format!("hopscope: session {name} has {}", issue_message(analysis, &issue)));
        }
    }
}

/// Nothing is lost silently: what could not be read is told, with its place.
fn tell_unreadable(analysis: Analysis<'_>) {
    let capture = analysis.capture;
    for issue in capture.line_issues.iter().take(LINES_TOLD) {
        let name = capture.sources.get(issue.source.at()).map_or("", |source| &source.name);
        let message = line_issue_message(issue);
        tell(&format!("hopscope: {name}: line {}, byte {}: {message}", issue.line, issue.at));
    }
    let told: u64 = capture.line_issues.iter().take(LINES_TOLD).map(|issue| issue.lines).sum();
    let more = capture.unreadable_lines().saturating_sub(told);
    if more > 0 {
        let lines = fmt::count(more, "more line");
        tell(&format!("hopscope: {lines} could not be read; the JSON export lists them"));
    }
}
