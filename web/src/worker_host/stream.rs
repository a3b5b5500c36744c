//! mcp-tape's live stream: its socket, and connecting again where it breaks.

use std::cell::RefCell;
use std::rc::Rc;

use hopscope_core::capture::tape_stream::{Piece, TapeStream};
use wasm_bindgen::prelude::*;
use web_sys::{CloseEvent, MessageEvent, WebSocket};

use super::follow::{Found, Missed, Step};
use super::reading::{now, words};
use crate::protocol::Stopped;

/// Milliseconds before connecting again: at first, and at most.
const FIRST_WAIT: f64 = 500.0;
const LONGEST_WAIT: f64 = 8000.0;

/// A stream that is followed.
pub(super) struct Stream {
    url: String,
    tape: TapeStream,
    connection: Option<Connection>,
    /// The connection stands.
    connected: bool,
    /// When to connect again.
    due: f64,
    wait: f64,
}

/// What was heard of a socket.
enum Heard {
    Opened,
    Message(String),
    Closed,
}

/// A socket, which is closed with it.
struct Connection {
    socket: WebSocket,
    heard: Rc<RefCell<Vec<Heard>>>,
    // Kept for as long as the socket may call them.
    _opened: Closure<dyn FnMut()>,
    _message: Closure<dyn FnMut(MessageEvent)>,
    _closed: Closure<dyn FnMut(CloseEvent)>,
}

impl Stream {
    pub(super) fn of(url: String) -> Self {
        Self {
            url,
            tape: TapeStream::default(),
            connection: None,
            connected: false,
            due: 0.0,
            wait: FIRST_WAIT,
        }
    }

    /// What has come since the last look.
    pub(super) fn look(&mut self, name: &str) -> Result<Found, Missed> {
        if self.connection.is_none() && now() >= self.due {
            let connection = Connection::new(&self.address());
            self.connection = Some(connection.map_err(|error| Missed::Never(words(&error)))?);
        }
        let heard = self.connection.as_ref().map(|connection| connection.heard.take());
        let mut found = Found::default();
        for heard in heard.into_iter().flatten() {
            match heard {
                Heard::Opened => {
                    self.connected = true;
                    self.wait = FIRST_WAIT;
                }
                Heard::Message(text) => {
                    take(&mut self.tape, name, &text, &mut found.steps).map_err(Missed::Never)?;
                }
                Heard::Closed => {
                    (self.connection, self.connected) = (None, false);
                    self.due = now() + self.wait;
                    self.wait = (self.wait * 2.0).min(LONGEST_WAIT);
                    found.ended = self.tape.has_ended();
                }
            }
        }
        if !self.connected && !found.ended && found.steps.is_empty() {
            return Err(Missed::ForNow("nothing answers at its address".to_owned()));
        }
        Ok(found)
    }

    /// Its address, asking for what follows the last line that came.
    fn address(&self) -> String {
        match self.tape.since() {
            None => self.url.clone(),
            Some(since) if self.url.contains('?') => format!("{}&since={since}", self.url),
            Some(since) => format!("{}?since={since}", self.url),
        }
    }
}

/// Takes a message of the stream. Lines with a gap before them, or of another recording, are a
/// source of their own: nothing is linked over what was not seen.
fn take(
    tape: &mut TapeStream,
    name: &str,
    message: &str,
    steps: &mut Vec<Step>,
) -> Result<(), String> {
    let anew = |why| Step::Anew(why);
    tape.take(message.as_bytes(), |piece| match piece {
        Piece::Line(line) => {
            let line = [line, b"\n"].concat();
            match steps.last_mut() {
                Some(Step::More(more)) => more.extend(line),
                _ => steps.push(Step::More(line)),
            }
        }
        Piece::Missing(lines) => {
            steps.push(anew(Stopped::Missing { name: name.to_owned(), lines }));
        }
        Piece::Another => steps.push(anew(Stopped::Another { name: name.to_owned() })),
    })
}

impl Connection {
    fn new(url: &str) -> Result<Self, JsValue> {
        let socket = WebSocket::new(url)?;
        let heard = Rc::new(RefCell::new(Vec::new()));
        let (on_open, on_message, on_close) = (heard.clone(), heard.clone(), heard.clone());
        let opened = Closure::<dyn FnMut()>::new(move || on_open.borrow_mut().push(Heard::Opened));
        let message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            // The stream has only text.
            if let Some(text) = event.data().as_string() {
                on_message.borrow_mut().push(Heard::Message(text));
            }
        });
        // An error is always followed by this.
        let closed = Closure::<dyn FnMut(CloseEvent)>::new(move |_| {
            on_close.borrow_mut().push(Heard::Closed);
        });
        socket.set_onopen(Some(opened.as_ref().unchecked_ref()));
        socket.set_onmessage(Some(message.as_ref().unchecked_ref()));
        socket.set_onclose(Some(closed.as_ref().unchecked_ref()));
        Ok(Self { socket, heard, _opened: opened, _message: message, _closed: closed })
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.socket.set_onopen(None);
        self.socket.set_onmessage(None);
        self.socket.set_onclose(None);
        // Refused only where it is closed already.
        let _ = self.socket.close();
    }
}
