//! A proxy that passes nothing on and writes down what it was asked for.
//!
//! The browser is told to reach everything but loopback through it, so a request that would leave the
//! machine ends here, whoever made it: page, worker, image, socket.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// The trap, listening; stops when dropped.
pub struct Trap {
    address: SocketAddr,
    caught: Arc<Mutex<Vec<String>>>,
    done: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Trap {
    /// Listens on a free port of loopback.
    pub fn set() -> std::io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let caught = Arc::new(Mutex::new(Vec::new()));
        let done = Arc::new(AtomicBool::new(false));
        let (log, end) = (Arc::clone(&caught), Arc::clone(&done));
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if end.load(Ordering::Relaxed) {
                    break;
                }
                let Some(line) = stream.ok().and_then(refuse) else { continue };
                log.lock().unwrap_or_else(PoisonError::into_inner).push(line);
            }
        });
        Ok(Self { address, caught, done, thread: Some(thread) })
    }

    /// The proxy's `HOST:PORT`.
    #[must_use]
    pub fn address(&self) -> String {
        self.address.to_string()
    }

    /// What was asked for, such as `CONNECT example.org:443`.
    #[must_use]
    pub fn caught(&self) -> Vec<String> {
        self.caught.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Trap {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
        // Wakes the thread, which waits for a connection.
        drop(TcpStream::connect(self.address));
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Answers 403, and returns the method and the address asked for.
fn refuse(mut stream: TcpStream) -> Option<String> {
    stream.set_read_timeout(Some(Duration::from_secs(2))).ok()?;
    let mut line = String::new();
    BufReader::new(stream.try_clone().ok()?).read_line(&mut line).ok()?;
    let _ = stream
        .write_all(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    let asked = line.trim().rsplit_once(' ').map_or(line.trim(), |(asked, _version)| asked);
    (!asked.is_empty()).then(|| asked.to_owned())
}
