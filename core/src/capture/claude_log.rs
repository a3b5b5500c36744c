//! Claude Desktop's logs: `mcp-server-NAME.log`, of one server, and `mcp.log`, of all of them.
//!
//! Lines of text, some of which quote a message. What the host, the server or an installer says
//! besides is kept as log frames; a line without a time stands at that of the line before. A
//! session is one run of one server. Long messages are quoted without their middle, see `cut`.

mod cut;
mod line;

use super::format::Format;
use super::lines::Lines;
use super::objects::Place;
use super::order::Timing;
use super::reader::{FormatReader, Into, Stamp};
use super::registry::{Known, Sign};
use super::{BOM, Unreadable, message};
use crate::frame::{Direction, Flags, Frame, Kind, NewFrame, Payload};
use crate::ids::SessionIdx;
use crate::json::{JsonError, Span, Walker, utf8_error};
use crate::jsonrpc::Message;
use crate::units::{ByteSpan, Instant, LineNo};
use cut::Cut;
use line::{HostLine, Said};

pub(super) const KNOWN: Known = Known {
    format: Format::ClaudeLog,
    signs: &[Sign::Line(|line| HostLine::read(line).is_some_and(|line| line.server.is_some()))],
    looks_for: "a Claude Desktop log, lines of text that begin with a time, a server and a level \
                in brackets",
    open: || Box::new(Reader { lines: Lines::new(), log: Log::default() }),
};

/// How many lines wait for the first one with a time, and how much of each is kept to be shown.
const UNTIMED_KEPT: usize = 10_000;
const UNTIMED_SHOWN: usize = 400;

/// Reads one log.
#[derive(Debug)]
struct Reader {
    lines: Lines,
    log: Log,
}

impl FormatReader for Reader {
    fn push(&mut self, bytes: &[u8], out: &mut Into<'_>) {
        let log = &mut self.log;
        self.lines.push(bytes, |line, place| log.line(line, place, out));
    }

    fn finish(&mut self, out: &mut Into<'_>) {
        let log = &mut self.log;
        self.lines.finish(|line, place| log.line(line, place, out));
        log.finish(out);
    }

    fn lines(&self) -> u64 {
        self.lines.count()
    }
}

/// What was seen of a log.
#[derive(Debug, Default)]
struct Log {
    servers: Vec<Server>,
    /// Session and time of the line before.
    before: Option<(SessionIdx, Instant)>,
    /// Lines before the first one with a time, each with how it begins.
    untimed: Vec<(ByteSpan, LineNo, Vec<u8>)>,
    /// The line read last stops in the middle of a message.
    maybe_cut: bool,
}

/// A server and its runs.
#[derive(Debug)]
struct Server {
    name: String,
    current: SessionIdx,
    started: Instant,
    previous: Option<SessionIdx>,
}

impl Log {
    fn line(&mut self, line: &[u8], place: Place, out: &mut Into<'_>) {
        let start = if place.offset == 0 && line.starts_with(BOM) { BOM.len() } else { 0 };
        let text = line.get(start..).unwrap_or_default().trim_ascii_end();
        if text.is_empty() {
            return;
        }
        self.maybe_cut = false;
        let span = ByteSpan { start: place.offset + start as u64, len: text.len() as u64 };
        if let Some(error) = utf8_error(text) {
            let reason = "the byte here is not UTF-8".to_owned();
            report(out, text, span, place.line, error.valid_up_to(), reason);
            self.maybe_cut = error.error_len().is_none() && !line.ends_with(b"\n");
            return;
        }
        match HostLine::read(text) {
            Some(host) => self.host_line(&host, text, span, place.line, out),
            None => self.other_line(text, span, place.line, out),
        }
    }

    /// A line of the host's.
    fn host_line(
        &mut self,
        host: &HostLine<'_>,
        text: &[u8],
        span: ByteSpan,
        line: LineNo,
        out: &mut Into<'_>,
    ) {
        let said = Said::read(text.get(host.text..).unwrap_or_default());
        let quoted = match said {
            Said::Message(direction, offset) => {
                let offset = host.text + offset;
                match quotes(text.get(offset..).unwrap_or_default()) {
                    Ok(quotes) => Some((direction, offset, quotes)),
                    Err(error) => {
                        let at = offset + error.at;
                        report(out, text, span, line, at, error.kind.to_string());
                        self.maybe_cut = error.kind.is_end();
                        return;
                    }
                }
            }
            Said::Start | Said::Other => None,
        };
        let Some((session, label)) = self.session(host, &said, out) else {
            return self.other_line(text, span, line, out);
        };
        self.before = Some((session, host.time));
        self.hand_out_untimed(out);
        let stamp = Stamp { session, time: host.time, direction: Direction::Stderr, line, span };
        match quoted {
            None => add_log(stamp, host.text, &label, out),
            Some((direction, offset, quotes)) => {
                for quote in quotes {
                    quote.add(Stamp { direction, ..stamp }, offset, &label, out);
                }
            }
        }
    }

    /// The session that a line belongs to, and what its server is called. A line that is stamped
    /// before the run that it stands in belongs to the one before: a server's last lines may be
    /// written when the next has begun.
    fn session(
        &mut self,
        host: &HostLine<'_>,
        said: &Said,
        out: &mut Into<'_>,
    ) -> Option<(SessionIdx, String)> {
        let Some(name) = host.server else {
            return self.before.map(|(session, _)| (session, String::new()));
        };
        let known = self.servers.iter().position(|server| server.name == name);
        let label = name.to_owned();
        if let Some(server) = known.and_then(|at| self.servers.get(at))
            && !matches!(said, Said::Start)
        {
            let earlier = server.previous.filter(|_| host.time < server.started);
            return Some((earlier.unwrap_or(server.current), label));
        }
        let current = self.open(name, host.time, out);
        let previous = known.map(|at| self.servers.remove(at).current);
        self.servers.push(Server { name: label.clone(), current, started: host.time, previous });
        Some((current, label))
    }

    /// A new session; its first frame follows, or stands before it without a time of its own.
    fn open(&self, name: &str, time: Instant, out: &mut Into<'_>) -> SessionIdx {
        out.capture.open_session(out.source, name, time, Timing::Recorded)
    }

    /// A line that is not the host's: of a stack trace, a server or an installer.
    fn other_line(&mut self, text: &[u8], span: ByteSpan, line: LineNo, out: &mut Into<'_>) {
        match self.before {
            None => {
                if self.untimed.len() == UNTIMED_KEPT {
                    self.give_up_untimed(out);
                }
                let begins = text.get(..text.len().min(UNTIMED_SHOWN)).unwrap_or_default();
                self.untimed.push((span, line, begins.to_vec()));
            }
            Some((session, time)) => {
                let direction = Direction::Stderr;
                add_log(Stamp { session, time, direction, line, span }, 0, "", out);
            }
        }
    }

    /// The lines before the first with a time stand at that time.
    fn hand_out_untimed(&mut self, out: &mut Into<'_>) {
        for (span, line, _) in core::mem::take(&mut self.untimed) {
            self.other_line(&[], span, line, out);
        }
    }

    /// No line with a time came after them, so they stand at no time.
    fn give_up_untimed(&mut self, out: &mut Into<'_>) {
        for (span, line, text) in core::mem::take(&mut self.untimed) {
            let reason = "neither it nor a line near it has a time".to_owned();
            report(out, &text, span, line, 0, reason);
        }
    }

    fn finish(&mut self, out: &mut Into<'_>) {
        if self.maybe_cut {
            out.last_was_cut();
        }
        self.give_up_untimed(out);
    }
}

/// A frame of text from `offset` of its line on.
fn add_log(stamp: Stamp, offset: usize, label: &str, out: &mut Into<'_>) {
    let offset = offset as u64;
    let ByteSpan { start, len } = stamp.span;
    let text = ByteSpan { start: start + offset, len: len.saturating_sub(offset) };
    let payload = Some(Payload::Plain(text));
    let frame = Frame { kind: Kind::Log, payload, ..out.blank(stamp) };
    out.add_aside(frame, label);
}

/// The messages at the end of a line: one, or those of a batch.
fn quotes(text: &[u8]) -> Result<Vec<Quote<'_>>, JsonError> {
    if text.starts_with(b"[") && Cut::find(text).is_none() {
        let (mut walker, mut messages) = (Walker::new(text, 0), Vec::new());
        message::each(&mut walker, &mut messages)?;
        if !messages.is_empty() {
            let quote = |(message, own): (_, Span)| Quote {
                at: own.start,
                json: own.of(text),
                message,
                cut: None,
                whole: true,
                flags: Flags::NONE.with(Flags::BATCH),
            };
            return Ok(messages.into_iter().map(quote).collect());
        }
    }
    Ok(vec![Quote::read(text)?])
}

/// A message as it is quoted.
struct Quote<'a> {
    /// Where it begins in what is quoted.
    at: usize,
    json: &'a [u8],
    message: Message<'a>,
    cut: Option<Cut>,
    /// It is JSON, whether or not it was cut.
    whole: bool,
    flags: Flags,
}

impl<'a> Quote<'a> {
    /// Reads what stands at the end of a line.
    fn read(text: &'a [u8]) -> Result<Self, JsonError> {
        let cut = Cut::find(text);
        let mut walker = Walker::new(text, 0);
        let mut message = Message::default();
        match message.read(&mut walker) {
            Ok(()) => {
                let json = text.get(..walker.at()).unwrap_or_default();
                let cut = cut.filter(|cut| cut.at < json.len());
                Ok(Self { at: 0, json, message, cut, whole: true, flags: Flags::NONE })
            }
            Err(_) if cut.is_some() => {
                let json = cut::without_metadata(text);
                Ok(Self { at: 0, json, message, cut, whole: false, flags: Flags::NONE })
            }
            Err(error) => Err(error),
        }
    }

    /// Adds its frame; it stands at `offset` of its line.
    fn add(&self, stamp: Stamp, offset: usize, label: &str, out: &mut Into<'_>) {
        let start = stamp.span.start + (offset + self.at) as u64;
        let payload = Some(Payload::Raw(ByteSpan { start, len: self.json.len() as u64 }));
        let flags = self.flags.with_if(Flags::TRUNCATED, self.cut.is_some());
        let frame = Frame { payload, flags, ..out.blank(stamp) };
        let words = &mut out.capture.frames.words;
        let new: NewFrame = match self.cut {
            Some(cut) if !self.whole => cut.across(frame, self.json, words),
            Some(cut) => {
                cut.inside(message::whole(frame, &self.message, true, words), &self.message)
            }
            None => message::whole(frame, &self.message, true, words),
        };
        out.add_to_session(&new, label);
    }
}

fn report(
    out: &mut Into<'_>,
    text: &[u8],
    span: ByteSpan,
    line: LineNo,
    at: usize,
    reason: String,
) {
    let at = span.start + at.min(text.len()) as u64;
    out.unreadable(Unreadable { span, line, lines: 1, at, reason, text, cut: false });
}
