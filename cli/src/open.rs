//! `hopscope open`: serves the page that the program carries, with one capture, to this machine's browser.
//!
//! What is served is the page, that capture and nothing else, on loopback, below a path that nobody can
//! guess: other programs and pages of this machine may find the port, but not the capture.

use std::borrow::Cow;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};
use hopscope_core::interaction::words::inert;
use hopscope_site::{Site, encode};

use crate::args::OpenArgs;
use crate::{PASSED, tell};

/// A file of the page, and where it is below the page's own address.
type Carried = (&'static str, &'static [u8]);

/// The page. Empty in a program built without it.
static VIEWER: &[Carried] = include!(concat!(env!("OUT_DIR"), "/viewer.rs"));

const HOW_TO_GET_IT: &str = "this hopscope was built without the viewer. In a clone of its repository, \
     `cargo xtask dist` builds one that carries it, and `cargo xtask serve FILE` shows a capture \
     meanwhile.";

pub fn run(args: &OpenArgs) -> Result<u8> {
    let name = inert(&args.file.display().to_string());
    if VIEWER.is_empty() {
        bail!(HOW_TO_GET_IT);
    }
    let capture = std::path::absolute(&args.file).with_context(|| format!("cannot open {name}"))?;
    if !capture.is_file() {
        // A pipe can be read once, and a page may be reloaded.
        bail!("cannot open {name}: there is no such file, or it is a directory or a pipe");
    }
    std::fs::File::open(&capture).with_context(|| format!("cannot open {name}"))?;
    let (site, below) = site(VIEWER, &capture, &token()?)?;
    let server = site.start(args.port)?;
    let address = address(&server.origin(), &below, args.follow);
    let mut out = std::io::stdout().lock();
    let follows = if args.follow { "What is written to it is shown as it comes. " } else { "" };
    let _ = writeln!(out, "{address}\n\n{follows}Served to this machine only; Ctrl-C ends it.");
    let _ = out.flush();
    if !args.no_browser
        && let Err(error) = browse(&address)
    {
        tell(&format!("hopscope: no browser could be started ({error}): open the address above"));
    }
    server.wait();
    Ok(PASSED)
}

/// The paths of what is served.
struct Below {
    /// The page's, with a slash at both ends.
    page: String,
    /// The capture's, as it is written in an address.
    capture: String,
}

/// What is served: a page's files and a capture, below a path that holds `token`.
fn site(viewer: &[Carried], capture: &Path, token: &str) -> Result<(Site, Below)> {
    let page = format!("/{token}/");
    let mut site = Site::new()
        .header("Referrer-Policy", "no-referrer")
        // Pages elsewhere can neither read what is here nor put it in a frame of theirs.
        .header("Cross-Origin-Resource-Policy", "same-origin")
        .header("Content-Security-Policy", format!("{}; frame-ancestors 'none'", policy(viewer)?));
    for &(path, bytes) in viewer {
        site = site.bytes(format!("{page}{path}"), bytes);
        if path == "index.html" {
            site = site.bytes(page.clone(), bytes);
        }
    }
    let name = capture.file_name().unwrap_or_default().to_string_lossy();
    // Beside the page's files, none of which is in this folder.
    let place = format!("{page}capture/");
    site = site.mount(format!("{place}{name}"), capture);
    let capture = place + &encode(&name, "");
    Ok((site, Below { page, capture }))
}

/// The policy that the page gives itself, to be said by the server too, where it also holds for what is
/// no page.
fn policy(viewer: &[Carried]) -> Result<Cow<'static, str>> {
    let index = viewer.iter().find(|(path, _)| *path == "index.html");
    let index = index.map(|(_, bytes)| String::from_utf8_lossy(bytes)).unwrap_or_default();
    // Its attributes are in whatever order shortening has left them in.
    let mut metas = index.split("<meta ").filter_map(|rest| Some(rest.split_once('>')?.0));
    let named = metas.find(|meta| meta.contains("Content-Security-Policy"));
    let said = named.and_then(|meta| Some(meta.split_once("content=\"")?.1.split_once('"')?.0));
    said.map(|policy| Cow::Owned(policy.to_owned()))
        .context("the viewer in this program names no policy")
}

/// The page's address, opening the capture, or following it.
fn address(origin: &str, below: &Below, follow: bool) -> String {
    let capture = encode(&format!("{origin}{}", below.capture), "/:");
    let word = if follow { "live" } else { "url" };
    format!("{origin}{}#{word}={capture}", below.page)
}

/// 128 random bits.
fn token() -> Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).context("this system gives no random numbers")?;
    Ok(bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}")))
}

/// Opens an address in the browser that the system prefers.
fn browse(address: &str) -> std::io::Result<()> {
    let mut command = if cfg!(windows) {
        // What `start` does, without a shell that would read the address its own way.
        let mut command = Command::new("rundll32");
        command.arg("url.dll,FileProtocolHandler");
        command
    } else if cfg!(target_os = "macos") {
        Command::new("open")
    } else {
        Command::new("xdg-open")
    };
    command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    // Waited for, so that it does not stay behind as a zombie; some of them are the browser itself.
    std::thread::spawn(move || child.wait());
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test ends with its reason")]

    use std::io::Read as _;
    use std::net::TcpStream;

    use hopscope_site::Server;

    use super::*;

    const PAGE: &str = r#"<meta charset=utf-8><meta content="default-src 'none'; connect-src 'self'" http-equiv=Content-Security-Policy>"#;
    static VIEWER: &[Carried] =
        &[("index.html", PAGE.as_bytes()), ("app.js", b"1"), ("app_bg.wasm", b"\0asm")];

    fn capture() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        // Not UTF-8, and not to be changed by anything on its way.
        std::fs::write(folder.path().join("run 1#.jsonl"), b"{}\r\n\xff\0\n").unwrap();
        std::fs::write(folder.path().join("other.jsonl"), "private").unwrap();
        folder
    }

    fn get(server: &Server, host: &str, target: &str) -> (String, Vec<u8>) {
        let own = server.origin().replace("http://", "");
        let mut stream = TcpStream::connect(&own).unwrap();
        let host = if host.is_empty() { &own } else { host };
        write!(stream, "GET {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")
            .unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
        (String::from_utf8(answer[..end].to_vec()).unwrap(), answer[end + 4..].to_vec())
    }

    #[test]
    fn only_the_page_and_the_capture_are_served_and_only_to_who_knows_where() {
        let folder = capture();
        let file = folder.path().join("run 1#.jsonl");
        let token = token().unwrap();
        let (site, below) = site(VIEWER, &file, &token).unwrap();
        let server = site.start(0).unwrap();
        for (path, kind) in [
            ("", "text/html; charset=utf-8"),
            ("index.html", "text/html; charset=utf-8"),
            ("app.js", "text/javascript; charset=utf-8"),
            ("app_bg.wasm", "application/wasm"),
            ("capture/run%201%23.jsonl", "application/jsonl"),
        ] {
            let (head, _) = get(&server, "", &format!("/{token}/{path}"));
            assert!(head.starts_with("HTTP/1.1 200 "), "{path}: {head}");
            for line in [
                format!("Content-Type: {kind}"),
                "X-Content-Type-Options: nosniff".to_owned(),
                "Content-Security-Policy: default-src 'none'; connect-src 'self'; frame-ancestors 'none'".to_owned(),
            ] {
                assert!(head.lines().any(|found| found == line), "{path} lacks {line}: {head}");
            }
            let (head, body) = get(&server, "rebound.example", &format!("/{token}/{path}"));
            assert!(head.starts_with("HTTP/1.1 403 ") && body == b"403", "{path}: {head}");
        }
        let (_, bytes) = get(&server, "", &below.capture);
        assert_eq!(bytes, std::fs::read(&file).unwrap());
        assert_eq!(get(&server, "", &below.page).1, PAGE.as_bytes());
        let wrong = "0".repeat(32);
        for target in [
            "/".to_owned(),
            "/index.html".to_owned(),
            "/capture/run%201%23.jsonl".to_owned(),
            format!("/{wrong}/"),
            format!("/{wrong}/capture/run%201%23.jsonl"),
            format!("/{}/", &token[..31]),
            format!("/{token}/capture/"),
            format!("/{token}/capture/other.jsonl"),
            format!("/{token}/capture/../capture/other.jsonl"),
            format!("/{token}/capture/run%201%23.jsonl/"),
            format!("/{token}/..%2fother.jsonl"),
        ] {
            let (head, _) = get(&server, "", &target);
            assert!(head.starts_with("HTTP/1.1 404 "), "{target}: {head}");
        }
    }

    #[test]
    fn an_address_is_new_each_time_and_opens_the_capture() {
        let (one, other) = (token().unwrap(), token().unwrap());
        assert_eq!(one.len(), 32);
        assert_ne!(one, other);
        let (_, below) = site(VIEWER, Path::new("/somewhere/run 1#.jsonl"), "t").unwrap();
        assert_eq!(
            address("http://127.0.0.1:9", &below, false),
            "http://127.0.0.1:9/t/#url=http://127.0.0.1:9/t/capture/run%25201%2523.jsonl"
        );
        assert_eq!(
            address("http://127.0.0.1:9", &below, true),
            "http://127.0.0.1:9/t/#live=http://127.0.0.1:9/t/capture/run%25201%2523.jsonl"
        );
    }
}
