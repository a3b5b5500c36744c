//! A static file server on loopback: for a person looking at the page, for `hopscope open`, and for the
//! browser suite.
//!
//! Serves folders, single files, parts of files and bytes under URL prefixes, answers to its own names only,
//! and remembers each request. It sends no policy of its own: what keeps the page in bounds has to be in the page, as on
//! any static host, or is given as a header.

mod close;
mod range;

use std::borrow::Cow;
use std::fs::File;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use anyhow::{Context, Result, anyhow};
use tiny_http::{Header, Method, Request, Response, ResponseBox};

/// Browsers open up to six connections to a host; a slow answer must not hold up the others.
const THREADS: usize = 4;

/// What is served, before it is started.
#[derive(Debug, Clone, Default)]
pub struct Site {
    mounts: Vec<(String, Place)>,
    headers: Vec<(String, String)>,
}

/// Where what is served lies.
#[derive(Debug, Clone)]
enum Place {
    /// A folder or a file.
    Path(PathBuf),
    /// In the program.
    Bytes(Cow<'static, [u8]>),
}

/// What an address leads to.
enum Found<'s> {
    File(PathBuf),
    Bytes(&'s str, &'s [u8]),
}

impl Site {
    /// A site with nothing in it.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Serves a folder below `prefix`, or a single file at exactly `prefix`. Later mounts win.
    ///
    /// `prefix` starts with `/`; for a folder it ends with `/`.
    #[must_use]
    pub fn mount(mut self, prefix: impl Into<String>, path: impl Into<PathBuf>) -> Self {
        self.mounts.push((prefix.into(), Place::Path(path.into())));
        self
    }

    /// Serves bytes at exactly `path`, whose end tells their type; one that ends with `/` is a page.
    #[must_use]
    pub fn bytes(mut self, path: impl Into<String>, bytes: impl Into<Cow<'static, [u8]>>) -> Self {
        self.mounts.push((path.into(), Place::Bytes(bytes.into())));
        self
    }

    /// Adds a header to every answer, such as `Access-Control-Allow-Origin`.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Starts serving on `127.0.0.1`; port 0 takes any free one. Stops when dropped.
    pub fn start(self, port: u16) -> Result<Server> {
        let server = tiny_http::Server::http((Ipv4Addr::LOCALHOST, port)).map_err(|e| {
            anyhow!("cannot listen on 127.0.0.1:{port}: {e}. Another program may use the port: try --port 0")
        })?;
        let address = server.server_addr().to_ip().context("the server has no IP address")?;
        let server = Arc::new(server);
        let requests = Arc::new(Mutex::new(Vec::new()));
        let site = Arc::new(self);
        let threads = (0..THREADS)
            .map(|_| {
                let (server, site, requests) =
                    (Arc::clone(&server), Arc::clone(&site), Arc::clone(&requests));
                std::thread::spawn(move || {
                    while let Ok(request) = server.recv() {
                        site.answer(request, address, &requests);
                    }
                })
            })
            .collect();
        Ok(Server { server, address, requests, threads })
    }

    fn answer(&self, request: Request, address: SocketAddr, log: &Mutex<Vec<Recorded>>) {
        let response = self.respond(&request, address);
        let status = response.as_ref().map_or_else(|status| *status, |r| r.status_code().0);
        log.lock().unwrap_or_else(PoisonError::into_inner).push(Recorded {
            method: request.method().to_string(),
            target: request.url().to_owned(),
            status,
        });
        // A browser that went away in the middle of an answer is not this side's trouble.
        let _ = close::respond(
            request,
            response.unwrap_or_else(|status| {
                Response::from_string(status.to_string()).with_status_code(status).boxed()
            }),
        );
    }

    fn respond(&self, request: &Request, address: SocketAddr) -> Result<ResponseBox, u16> {
        // A page elsewhere whose name was made to resolve to loopback must not read a private capture.
        let host =
            request.headers().iter().find(|h| h.field.equiv("Host")).map(|h| h.value.as_str());
        let port = address.port();
        if host != Some(&format!("127.0.0.1:{port}")) && host != Some(&format!("localhost:{port}"))
        {
            return Err(403);
        }
        if !matches!(request.method(), Method::Get | Method::Head) {
            return Err(405);
        }
        let (kind, mut response) = match self.resolve(request.url()).ok_or(404_u16)? {
            Found::File(path) => {
                let file = File::open(&path).map_err(|_| 404_u16)?;
                (mime(&path), range::answer(request, file)?)
            }
            Found::Bytes(path, bytes) => {
                // tiny_http wants to own what it sends, beyond this request's time.
                let name = if path.ends_with('/') { "index.html" } else { path };
                (mime(Path::new(name)), Response::from_data(bytes).boxed())
            }
        };
        let fixed = [
            ("Content-Type", kind),
            ("X-Content-Type-Options", "nosniff"),
            // What is served is being worked on: a stale wasm beside a new script would not start.
            ("Cache-Control", "no-store"),
        ];
        let own = self.headers.iter().map(|(n, v)| (n.as_str(), v.as_str()));
        for (name, value) in fixed.into_iter().chain(own) {
            let header = Header::from_bytes(name, value).map_err(|()| 500_u16)?;
            response.add_header(header);
        }
        Ok(response)
    }

    fn resolve(&self, target: &str) -> Option<Found<'_>> {
        let path = decode(target.split(['?', '#']).next()?)?;
        self.mounts.iter().rev().find_map(|(prefix, place)| {
            let place = match place {
                Place::Bytes(bytes) => {
                    return (*prefix == path).then_some(Found::Bytes(prefix, bytes));
                }
                Place::Path(place) => place,
            };
            if *prefix == path && place.is_file() {
                return Some(Found::File(place.clone()));
            }
            let rest = path.strip_prefix(prefix.as_str()).filter(|_| prefix.ends_with('/'))?;
            let rest = Path::new(rest);
            if !rest.components().all(|c| matches!(c, Component::Normal(_))) {
                return None;
            }
            let found = place.join(rest);
            let found = if found.is_dir() { found.join("index.html") } else { found };
            found.is_file().then_some(Found::File(found))
        })
    }
}

/// One request as the server saw it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// `GET`, `HEAD` or what else was tried.
    pub method: String,
    /// Path and query.
    pub target: String,
    /// The status answered.
    pub status: u16,
}

/// A site being served.
pub struct Server {
    server: Arc<tiny_http::Server>,
    address: SocketAddr,
    requests: Arc<Mutex<Vec<Recorded>>>,
    threads: Vec<JoinHandle<()>>,
}

impl Server {
    /// `http://127.0.0.1:PORT`, without a slash at the end.
    #[must_use]
    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Every request so far, in the order answered.
    #[must_use]
    pub fn requests(&self) -> Vec<Recorded> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Serves until the process is ended.
    pub fn wait(mut self) {
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        for _ in &self.threads {
            self.server.unblock();
        }
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// Percent-encodes one segment of a path, or a whole address as a fragment's value.
#[must_use]
pub fn encode(text: &str, keep: &str) -> String {
    use std::fmt::Write as _;
    text.bytes().fold(String::new(), |mut out, byte| {
        let c = char::from(byte);
        if byte.is_ascii_alphanumeric()
            || "-._~".contains(c)
            || (byte.is_ascii() && keep.contains(c))
        {
            out.push(c);
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
        out
    })
}

fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        if *first != b'%' {
            bytes.push(*first);
            rest = tail;
            continue;
        }
        let (digits, tail) = tail.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
        rest = tail;
    }
    let text = String::from_utf8(bytes).ok()?;
    (!text.contains(['\0', '\\'])).then_some(text)
}

fn mime(path: &Path) -> &'static str {
    match path.extension().and_then(|e| e.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("json" | "har" | "map" | "webmanifest") => "application/json",
        Some("jsonl" | "ndjson") => "application/jsonl",
        Some("txt" | "log" | "md") => "text/plain; charset=utf-8",
        Some("gz") => "application/gzip",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read as _, Write as _};
    use std::net::TcpStream;
    use std::time::Duration;

    fn get(server: &Server, target: &str, host: Option<&str>) -> String {
        let mut stream = TcpStream::connect(server.address).unwrap();
        let own = server.address.to_string();
        let host = host.unwrap_or(&own);
        write!(stream, "GET {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")
            .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    fn status(answer: &str) -> &str {
        answer.split(' ').nth(1).unwrap()
    }

    #[test]
    fn serves_folders_files_and_types_and_nothing_above() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let server = Site::new()
            .mount("/sub/", here.join("src"))
            .mount("/captures/a b.jsonl", here.join("Cargo.toml"))
            .header("Access-Control-Allow-Origin", "*")
            .start(0)
            .unwrap();
        assert_eq!(status(&get(&server, "/sub/lib.rs?x=1", None)), "200");
        let file = get(&server, "/captures/a%20b.jsonl", None);
        assert!(file.contains("Access-Control-Allow-Origin: *"), "{file}");
        for outside in [
            "/sub/../Cargo.toml",
            "/sub/%2e%2e/Cargo.toml",
            "/sub//etc/passwd",
            "/sub/..%5cCargo.toml",
            "/sub/no",
            "/",
        ] {
            assert_eq!(status(&get(&server, outside, None)), "404", "{outside}");
        }
        assert_eq!(status(&get(&server, "/sub/lib.rs", Some("rebound.example"))), "403");
        assert_eq!(
            server.requests()[0],
            Recorded { method: "GET".into(), target: "/sub/lib.rs?x=1".into(), status: 200 }
        );
    }

    /// As browsers open them, which would keep each for their next requests.
    #[test]
    fn many_connections_at_once_are_all_answered() {
        let server = Site::new().bytes("/f", b"whole".as_slice()).start(0).unwrap();
        let ask = || {
            let mut stream = TcpStream::connect(server.address).unwrap();
            stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
            write!(stream, "GET /f HTTP/1.1\r\nHost: {}\r\n\r\n", server.address).unwrap();
            let (mut answer, mut some) = (Vec::new(), [0; 512]);
            while !answer.ends_with(b"\r\n\r\nwhole") {
                let read = stream.read(&mut some).unwrap();
                assert_ne!(read, 0, "{}", String::from_utf8_lossy(&answer));
                answer.extend_from_slice(&some[..read]);
            }
            // A browser leaves a connection on which it was told that nothing more is answered.
            assert!(String::from_utf8_lossy(&answer).contains("\r\nConnection: close\r\n"));
        };
        for _ in 0..20 {
            std::thread::scope(|all| {
                for _ in 0..32 {
                    all.spawn(ask);
                }
            });
        }
    }

    #[test]
    fn a_part_of_a_file_is_sent_alone() {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        let whole = std::fs::read_to_string(&manifest).unwrap();
        let server = Site::new().mount("/f", &manifest).start(0).unwrap();
        let ask = |range: &str| {
            let mut stream = TcpStream::connect(server.address).unwrap();
            write!(
                stream,
                "GET /f HTTP/1.1\r\nHost: {}\r\nRange: {range}\r\nConnection: close\r\n\r\n",
                server.address
            )
            .unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).unwrap();
            answer
        };
        let total = whole.len();
        let rest = ask(&format!("bytes={}-", total - 20));
        assert_eq!(status(&rest), "206");
        assert!(
            rest.contains(&format!("Content-Range: bytes {}-{}/{total}", total - 20, total - 1)),
            "{rest}"
        );
        assert!(rest.ends_with(&whole[total - 20..]), "{rest}");
        let beyond = ask(&format!("bytes={total}-"));
        assert_eq!(status(&beyond), "416");
        assert!(beyond.contains(&format!("Content-Range: bytes */{total}")), "{beyond}");
    }

    #[test]
    fn encoding_comes_back() {
        let name = "tär ü#?%.jsonl";
        assert_eq!(decode(&encode(name, "")).as_deref(), Some(name));
        assert_eq!(decode("%zz"), None);
        assert_eq!(decode("%2"), None);
    }
}
