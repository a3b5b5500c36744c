//! Bare JSON-RPC messages, one a line, and batches of them: no times, no directions, no sessions.
//!
//! The file is the session, and its order is all that is known. Who sent a request or notification
//! is guessed from its method, as MCP gives each to one side; who sent a response, from which
//! requests are open. Where that leaves two readings, the response is paired with neither.

use hashbrown::HashMap;

use super::fields::no_object;
use super::format::Format;
use super::message;
use super::objects::{OfObjects, Place, Refused, Texts};
use super::order::Timing;
use super::reader::{Handed, Into, Stamp};
use super::registry::{Known, Sign};
use super::sessions::file_name;
use crate::frame::{Direction, Flags, Frame, Kind, NewFrame, Payload};
use crate::ids::{SessionIdx, Sym};
use crate::json::{Span, Text, Walker};
use crate::jsonrpc::Message;
use crate::units::{ByteSpan, Instant};

const MEMBERS: &[&[&str]] = &[&["jsonrpc"]];

pub(super) const KNOWN: Known = Known {
    format: Format::JsonRpcLines,
    signs: &[Sign::Object(MEMBERS), Sign::Element(MEMBERS)],
    looks_for: "JSON-RPC messages, JSON objects with \"jsonrpc\", one a line",
    open: || Box::new(OfObjects::new(&[b"{\"jsonrpc\""], File::default())),
};

/// What only servers ask of clients.
const SERVER_REQUESTS: &[&str] = &["sampling/createMessage", "elicitation/create", "roots/list"];
/// What only clients notify of, or mostly.
const CLIENT_NOTIFICATIONS: &[&str] =
    &["notifications/initialized", "notifications/cancelled", "notifications/roots/list_changed"];
/// When nothing says when.
const NO_TIME: Instant = Instant(0);

/// What was seen of the file.
#[derive(Debug, Default)]
struct File {
    session: Option<SessionIdx>,
    /// Requests without an answer, by id: the client's and the server's.
    open: HashMap<Sym, [u32; 2]>,
}

impl Texts for File {
    fn object(
        to: &mut Handed<'_, '_, Self>,
        text: Text<'_>,
        start: usize,
        place: Place,
    ) -> Result<usize, Refused> {
        let mut walker = Walker::new(text, start);
        let mut messages = Vec::new();
        let batch = message::each(&mut walker, &mut messages).map_err(Refused::Json)?;
        let end = walker.at();
        if messages.is_empty() {
            return Err(no_object(start, end));
        }
        let span = ByteSpan { start: place.offset, len: end as u64 };
        for (message, own) in &messages {
            to.add(message, text.bytes(), *own, span, batch, place);
        }
        Ok(end)
    }
}

impl Handed<'_, '_, File> {
    fn add(
        &mut self,
        message: &Message<'_>,
        text: &[u8],
        own: Span,
        span: ByteSpan,
        batch: bool,
        place: Place,
    ) {
        let Into { capture, source } = &mut self.out;
        let session = *self.state.session.get_or_insert_with(|| {
            let name = capture.sources.get(source.at()).map(|source| source.name.clone());
            let name = name.unwrap_or_default();
            capture.open_session(*source, file_name(&name), NO_TIME, Timing::Untimed)
        });
        let time = NO_TIME;
        let direction = Direction::C2s;
        let blank = self.out.blank(Stamp { session, time, direction, line: place.line, span });
        let frame = Frame {
            payload: Some(Payload::Raw(own.placed(place.offset))),
            flags: Flags::NONE.with_if(Flags::BATCH, batch),
            ..blank
        };
        let words = &mut self.out.capture.frames.words;
        let mut new = message::whole(frame, message, true, words);
        match self.guess(&new, message, text) {
            Some(direction) => new.frame.direction = direction,
            None => {
                new.frame.kind = Kind::Other;
                new.answer = None;
            }
        }
        self.out.add_to_session(&new, "");
    }

    /// Who sent it; `None` for a response that could be either side's.
    fn guess(&mut self, new: &NewFrame, message: &Message<'_>, text: &[u8]) -> Option<Direction> {
        let frame = &new.frame;
        let method = frame.method.map(|method| self.out.capture.frames.words.text(method));
        match (frame.kind, method) {
            (Kind::Request, method) => {
                let server = method.is_some_and(|method| SERVER_REQUESTS.contains(&method));
                if let Some(id) = frame.id {
                    self.state.open.entry(id).or_default()[usize::from(server)] += 1;
                }
                Some(if server { Direction::S2c } else { Direction::C2s })
            }
            (Kind::Notification, method) => {
                let client = method.is_some_and(|method| CLIENT_NOTIFICATIONS.contains(&method));
                Some(if client { Direction::C2s } else { Direction::S2c })
            }
            (Kind::Response, _) => {
                let result = message.result_span.map_or(&[][..], |span| span.of(text));
                self.guess_response(frame.id, result)
            }
            _ => Some(Direction::C2s),
        }
    }

    /// A response is from the server, unless only a request of the server's is open under its id.
    /// With one of either side open, what it answers shows in its result, or not at all.
    fn guess_response(&mut self, id: Option<Sym>, result: &[u8]) -> Option<Direction> {
        let Some(open) = id.and_then(|id| self.state.open.get_mut(&id)) else {
            return Some(Direction::S2c);
        };
        let [client, server] = open;
        let from_client = match (*client > 0, *server > 0) {
            (true, true) => answers_a_server(result)?,
            (_, server) => server,
        };
        let count = if from_client { server } else { client };
        *count = count.saturating_sub(1);
        Some(if from_client { Direction::C2s } else { Direction::S2c })
    }
}

/// Whether a result is of the kind that only clients give; `None` where it could be either's.
fn answers_a_server(result: &[u8]) -> Option<bool> {
    let mut walker = Walker::new(result, 0);
    let mut members = Vec::new();
    let mut object = walker.object().ok()??;
    while let Ok(Some(key)) = walker.next_key(&mut object) {
        members.push(key);
    }
    let has = |name: &str| members.iter().any(|member| member.is(name));
    if has("action") || has("roots") || (has("role") && has("model")) {
        Some(true)
    } else if members.is_empty() {
        None
    } else {
        Some(false)
    }
}
