//! Makes of each linked wasm program what a browser loads: taken apart into parts, with its bindings, and shrunk.
//!
//! Trunk links and binds the programs as they are, and knows neither parts nor a second build of one; so what it put
//! into `dist/` for them is replaced by a folder a program: `app`, `worker`, and `worker-simd`, which is the worker
//! for browsers that have SIMD.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use xtask::workspace::{cargo, root, run};

use crate::dist::{Profile, program_of};
use crate::tools::{TARGET, Tools};

/// What Trunk made of the programs.
const OF_TRUNK: [&str; 4] = ["app.js", "app_bg.wasm", "worker.js", "worker_bg.wasm"];

/// Goes with what `.cargo/config.toml` says for this target.
const SIMD_FLAGS: &str =
    "target.wasm32-unknown-unknown.rustflags = [\"-C\", \"target-feature=+simd128\"]";

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
    for folder in ["app", "worker", "worker-simd"] {
        report(dist, folder)?;
    }
    Ok(())
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
    if simd == Simd::On {
        // A folder of its own, where it stays built.
        build.arg("--target-dir").arg(target_dir().join("simd"));
        build.args(["--config", SIMD_FLAGS]);
    }
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
    bind.args(["--target", "web", "--no-typescript", "--out-name", name, "--out-dir"]);
    run(bind.arg(folder).arg(&first)).with_context(|| format!("{name} could not be bound"))?;
    fs::remove_file(&first).context("cannot write to dist/")?;
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
    Ok(())
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

/// What a visitor downloads of a program.
fn report(dist: &Path, folder: &str) -> Result<()> {
    for wasm in modules(&dist.join(folder))? {
        let bytes = fs::read(&wasm).context("cannot read dist/")?;
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        packed.write_all(&bytes)?;
        let packed = packed.finish()?.len();
        let name = wasm.file_name().unwrap_or_default().to_string_lossy();
        println!(
            "dist/{folder}/{name}: {} KB, {} KB gzipped",
            bytes.len().div_ceil(1000),
            packed.div_ceil(1000)
        );
    }
    Ok(())
}
