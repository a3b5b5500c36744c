//! Makes of each linked wasm program what a browser loads: taken apart into parts, with its bindings, and shrunk.
//!
//! Trunk links and binds the programs as they are, and knows neither parts nor a second build of one; so what it put
//! into `dist/` for them is replaced by a folder a program: `app`, `worker`, and `worker-simd`, which is the worker
//! for browsers that have SIMD.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha256};
use xtask::workspace::{cargo, root, run};

use crate::dist::{Profile, of_this_build, program_of};
use crate::names::shorten;
use crate::tools::{TARGET, Tools};

/// What Trunk made of the programs.
const OF_TRUNK: [&str; 4] = ["app.js", "app_bg.wasm", "worker.js", "worker_bg.wasm"];

/// Goes with what `.cargo/config.toml` says for this target.
const SIMD_FLAGS: &str =
    "target.wasm32-unknown-unknown.rustflags = [\"-C\", \"target-feature=+simd128\"]";

/// The worker that nearly everybody gets is made for speed, the other for size (docs/performance.md): `3` is larger
/// and no faster.
const SIMD_PROFILE: &str = "profile.web.package.hopscope-core.opt-level = 2";

/// Puts all programs into `dist`, and prints what a visitor downloads.
pub fn programs(tools: &Tools, profile: Profile, dist: &Path) -> Result<()> {
    for name in OF_TRUNK {
        fs::remove_file(dist.join(name)).with_context(|| format!("Trunk made no dist/{name}"))?;
    }
    let app = linked("app", profile, Simd::Off)?;
    finish(tools, profile, &app, &dist.join("app"))?;
    let worker = linked("worker", profile, Simd::Off)?;
    finish(tools, profile, &worker, &dist.join("worker"))?;
    let simd = match profile {
        Profile::Web => linked("worker", profile, Simd::On)?,
        // A quick look does without a third build.
        Profile::Dev => worker,
    };
    finish(tools, profile, &simd, &dist.join("worker-simd"))?;
    report(dist)
}

/// Whether a program may use the vector instructions that not every browser has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Simd {
    Off,
    On,
}

/// A program as the linker leaves it. Without SIMD it is what Trunk has just built.
fn linked(program: &str, profile: Profile, simd: Simd) -> Result<PathBuf> {
    let profile = match profile {
        Profile::Web => "web",
        Profile::Dev => "dev",
    };
    let mut build = cargo();
    build.args(["build", "--package", "hopscope-web", "--bin", program, "--profile", profile]);
    build.args(["--target", TARGET]);
    if program == "worker" {
        // Without what only the page needs, as `index.html` has it.
        build.arg("--no-default-features");
    }
    if simd == Simd::On {
        // A folder of its own, where it stays built.
        build.arg("--target-dir").arg(target_dir().join("simd"));
        build.args(["--config", SIMD_FLAGS, "--config", SIMD_PROFILE]);
    }
    of_this_build(&mut build)?;
    program_of(&mut build).with_context(|| format!("the program {program} could not be built"))
}

/// Where cargo builds.
fn target_dir() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// Makes `folder` of a linked program: NAME.js, NAME_bg.wasm, its parts and what fetches them.
fn finish(tools: &Tools, profile: Profile, wasm: &Path, folder: &Path) -> Result<()> {
    let name = wasm.file_stem().and_then(|name| name.to_str()).context("a program has a name")?;
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).context("cannot write to dist/")?;
    run(tools.command("wasm-split-cli")?.arg(wasm).arg(folder).args(["--out-name", name]))
        .with_context(|| format!("{name} could not be taken apart"))?;
    // What is loaded first, which now gets its bindings.
    let first = folder.join(format!("{name}.wasm"));
    let mut bind = tools.command("wasm-bindgen")?;
    // Among what the linker exports is the table of functions, which parts share.
    bind.args(["--target", "web", "--no-typescript", "--keep-lld-exports"]);
    bind.args(["--out-name", name, "--out-dir"]);
    run(bind.arg(folder).arg(&first)).with_context(|| format!("{name} could not be bound"))?;
    fs::remove_file(&first).context("cannot write to dist/")?;
    let (script, module) =
        (folder.join(format!("{name}.js")), folder.join(format!("{name}_bg.wasm")));
    let text = fs::read_to_string(&script).context("wasm-bindgen left no script")?;
    let bytes = fs::read(&module).context("wasm-bindgen left no module")?;
    let (text, bytes) = shorten(name, &text, &bytes)?;
    fs::write(&script, text).context("cannot write to dist/")?;
    fs::write(&module, bytes).context("cannot write to dist/")?;
    if let (Profile::Web, Some(wasm_opt)) = (profile, &tools.wasm_opt) {
        for wasm in modules(folder)? {
            let small = wasm.with_extension("small");
            let options = ["-Oz", "--strip-debug", "--strip-producers"];
            run(wasm_opt.command().arg(&wasm).arg("-o").arg(&small).args(options))
                .with_context(|| format!("wasm-opt refused {}", wasm.display()))?;
            fs::rename(&small, &wasm)
                .with_context(|| format!("cannot replace {}", wasm.display()))?;
        }
    }
    pin(folder)
}

/// Has the browser refuse a part that is not of this build: after an update, a page that was left open would
/// otherwise take code into its memory that was made for another.
fn pin(folder: &Path) -> Result<()> {
    let loader = folder.join("__wasm_split.js");
    let mut script = fs::read_to_string(&loader).context("wasm-split left no loader")?;
    for part in parts(folder)? {
        let name = part.file_name().unwrap_or_default().to_string_lossy();
        let address = format!("new URL(\"./{name}\", import.meta.url)");
        let digest = STANDARD.encode(Sha256::digest(fs::read(&part).context("cannot read dist/")?));
        let fetched = format!("fetch({address}, {{ integrity: \"sha256-{digest}\" }})");
        let (before, after) = script
            .split_once(&format!("fetch({address})"))
            .with_context(|| format!("{name} is fetched by nobody"))?;
        script = format!("{before}{fetched}{after}");
    }
    // Not every host sends wasm as what it is, and only streaming minds.
    let streaming = "WebAssembly.instantiateStreaming(src, imports)";
    ensure!(
        script.contains(streaming),
        "wasm-split's loader takes parts in another way than before"
    );
    let whole = "WebAssembly.instantiate(await (await src).arrayBuffer(), imports)";
    fs::write(&loader, script.replace(streaming, whole)).context("cannot write to dist/")
}

/// The parts in a folder: its wasm files but for the one loaded first.
fn parts(folder: &Path) -> Result<Vec<PathBuf>> {
    let first = |path: &PathBuf| path.to_string_lossy().ends_with("_bg.wasm");
    Ok(modules(folder)?.into_iter().filter(|path| !first(path)).collect())
}

/// The wasm files of a folder, in order.
fn modules(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).context("cannot read dist/")? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "wasm") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Prints what a visitor downloads: first, and while the page is looked at.
fn report(dist: &Path) -> Result<()> {
    let mut first = packed(["index.html", "boot.js", "app.css"].map(|name| dist.join(name)))?;
    let mut later = 0;
    for (program, name) in [("app", "app"), ("worker-simd", "worker")] {
        let folder = dist.join(program);
        let own = [format!("{name}_bg.wasm"), format!("{name}.js"), "__wasm_split.js".to_owned()];
        let own = packed(own.map(|name| folder.join(name)))?;
        println!("{program}: {} KB gzipped", own.div_ceil(1000));
        first += own;
        for part in parts(&folder)? {
            let bytes = packed([part.clone()])?;
            let name = part.file_stem().unwrap_or_default().to_string_lossy();
            println!("  {name}: {} KB", bytes.div_ceil(1000));
            later += bytes;
        }
    }
    println!(
        "First load: {} KB gzipped (target: at most 200), then {} KB in parts",
        first.div_ceil(1000),
        later.div_ceil(1000)
    );
    Ok(())
}

/// How many bytes some files are in gzip.
fn packed(files: impl IntoIterator<Item = PathBuf>) -> Result<usize> {
    let mut sum = 0;
    for path in files {
        let bytes = fs::read(&path).with_context(|| format!("there is no {}", path.display()))?;
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        gzip.write_all(&bytes)?;
        sum += gzip.finish()?.len();
    }
    Ok(sum)
}
