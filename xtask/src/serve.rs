//! Serves the page on loopback, with a capture or the demo in the address it prints.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use xtask::site::{Site, encode};

/// Serves `dist` until it is ended.
pub fn serve(dist: PathBuf, capture: Option<&Path>, port: u16) -> Result<()> {
    let mut site = Site::new().mount("/", dist);
    let mut opened = "/demo/book-flight.jsonl".to_owned();
    if let Some(path) = capture {
        let path = check(path)?;
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let place = format!("/captures/{name}");
        opened = format!("/captures/{}", encode(&name, ""));
        site = site.mount(place, path);
    }
    let server = site.start(port)?;
    let origin = server.origin();
    let url = encode(&format!("{origin}{opened}"), "/:");
    println!("\n  {origin}/#url={url}\n\nServed on this machine only; Ctrl-C ends it.");
    server.wait();
    Ok(())
}

/// The capture's full path; called before the page is built, so that a wrong name costs no waiting.
pub fn check(capture: &Path) -> Result<PathBuf> {
    let path = std::path::absolute(capture).context("not a usable path")?;
    if !path.is_file() {
        bail!("there is no file {}", capture.display());
    }
    Ok(path)
}
