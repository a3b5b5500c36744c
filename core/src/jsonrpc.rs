//! What linking and timing need of a JSON-RPC message, picked out in one pass.
//!
//! Owns the members of MCP's messages by name, and nothing of pairing or linking. A message that
//! was cut is read as far as it goes: what was complete before the cut is kept.

use crate::ids::Fingerprint;
use crate::json::{Canon, JsonError, RawStr, Span, Walker, is_empty_value, usually};

/// Where a client introduces itself since the 2026-07-28 revision, which has no handshake.
const CLIENT_INFO: &[u8] = b"io.modelcontextprotocol/clientInfo";
/// Where it says what it can be asked for.
const CLIENT_CAPABILITIES: &[u8] = b"io.modelcontextprotocol/clientCapabilities";
/// Where a retry repeats the trace context of the request that it continues.
const TRACE_LINK: &[u8] = b"io.modelcontextprotocol/tracelink";

/// A JSON-RPC message, as far as it concerns us. Spans lie in the text that was read.
#[derive(Debug, Default)]
pub struct Message<'a> {
    /// It has a non-empty `jsonrpc`.
    pub jsonrpc: bool,
    /// A non-empty `method`.
    pub method: Option<RawStr<'a>>,
    /// The raw JSON text of `id`, `null` included.
    pub id: Option<&'a [u8]>,
    /// `params`, unless null.
    pub params_span: Option<Span>,
    /// The members of `params`.
    pub params: Params<'a>,
    /// `result`, null included.
    pub result_span: Option<Span>,
    /// The members of `result`, also of one that was cut.
    pub result: ResultBody<'a>,
    /// `error`, unless null.
    pub error_span: Option<Span>,
    /// An `error` other than null has at least begun.
    pub error_begun: bool,
}

/// A member that has a type of its own.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum Typed<T> {
    /// Not there, or null.
    #[default]
    Absent,
    /// There, with another type.
    WrongType,
    /// There.
    Is(T),
}

/// A key with the one text that matters of its value: an action, or a method.
pub type NamedMember<'a> = (RawStr<'a>, Option<RawStr<'a>>);

/// The members of a request's or notification's `params`.
#[derive(Debug, Default)]
pub struct Params<'a> {
    /// `name`.
    pub name: Option<RawStr<'a>>,
    /// `uri`.
    pub uri: Option<RawStr<'a>>,
    /// Of the params without `requestState`, `inputResponses`, `_meta` and empty `arguments`.
    pub fingerprint: Option<Fingerprint>,
    /// `arguments` is there and not empty.
    pub has_arguments: bool,
    /// `requestState`.
    pub state: Typed<RawStr<'a>>,
    /// `inputResponses`: each key with its answer's `action`.
    pub responses: Typed<Vec<NamedMember<'a>>>,
    /// `taskId`.
    pub task_id: Option<RawStr<'a>>,
    /// `status` of `notifications/tasks`.
    pub status: Option<RawStr<'a>>,
    /// `result.isError` of `notifications/tasks`.
    pub result_is_error: bool,
    /// `error` of `notifications/tasks`, not null.
    pub has_error: bool,
    /// `requestId` of `notifications/cancelled`, as raw JSON text.
    pub request_id: Option<&'a [u8]>,
    /// `_meta`.
    pub meta: Meta,
}

/// What a request's `_meta` says.
#[derive(Debug, Default, Clone, Copy)]
pub struct Meta {
    /// Of the client's self-description.
    pub client: Option<Fingerprint>,
    /// What the client can be asked for, where it says so.
    pub capabilities: Option<Capabilities>,
    /// Of `traceparent`.
    pub traceparent: Option<Fingerprint>,
    /// Of the trace link.
    pub tracelink: Option<Fingerprint>,
}

/// The kinds of input a client declares.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Capabilities {
    /// `elicitation/create`.
    pub elicitation: bool,
    /// `sampling/createMessage`.
    pub sampling: bool,
    /// `roots/list`.
    pub roots: bool,
}

/// The members of a `result`.
#[derive(Debug, Default)]
pub struct ResultBody<'a> {
    /// `resultType`.
    pub result_type: Option<RawStr<'a>>,
    /// `isError` is true.
    pub is_error: bool,
    /// `requestState`.
    pub state: Typed<RawStr<'a>>,
    /// `inputRequests`: each key with its method.
    pub requests: Typed<Vec<NamedMember<'a>>>,
    /// `taskId`.
    pub task_id: Option<RawStr<'a>>,
    /// `status`.
    pub status: Option<RawStr<'a>>,
    /// `result.isError`, of a task's result.
    pub inner_is_error: bool,
    /// `content`, `contents` or `messages` has at least begun: a final result.
    pub has_content: bool,
}

impl<'a> Message<'a> {
    /// Reads the object that the walker stands at into `self`. Of a repeated member the last
    /// counts.
    ///
    /// # Errors
    /// Where it stops being JSON; `self` holds what came before.
    pub fn read(&mut self, walker: &mut Walker<'a>) -> Result<(), JsonError> {
        let Some(mut object) = walker.object()? else { return walker.skip().map(|_| ()) };
        // In the two orders that are common.
        usually!(
            walker, object,
            b"\"result\":" => self.member(walker, Member::Result)?,
            b"\"method\":" => self.member(walker, Member::Method)?,
            b"\"params\":" => self.member(walker, Member::Params)?,
            b"\"jsonrpc\":\"2.0\"" => self.jsonrpc = true,
            b"\"id\":" => self.member(walker, Member::Id)?,
            b"\"method\":" => self.member(walker, Member::Method)?,
            b"\"params\":" => self.member(walker, Member::Params)?,
            b"\"result\":" => self.member(walker, Member::Result)?,
        );
        while let Some(key) = walker.next_key(&mut object)? {
            let member = match &*key.decode_units() {
                b"jsonrpc" => Member::Jsonrpc,
                b"id" => Member::Id,
                b"method" => Member::Method,
                b"params" => Member::Params,
                b"result" => Member::Result,
                b"error" => Member::Error,
                _ => continue,
            };
            self.member(walker, member)?;
        }
        Ok(())
    }

    fn member(&mut self, walker: &mut Walker<'a>, member: Member) -> Result<(), JsonError> {
        match member {
            Member::Method => self.method = walker.string()?.filter(|method| !method.is_empty()),
            Member::Id => {
                let number = matches!(walker.peek()?, b'-' | b'0'..=b'9');
                let span = walker.raw()?;
                if number {
                    // One that runs into the end of a cut text may have had more digits.
                    walker.peek()?;
                }
                self.id = Some(span.of(walker.bytes()));
            }
            Member::Params => {
                if self.params_span.take().is_some() {
                    self.params = Params::default();
                }
                let span = spanned(walker, |walker| self.params.read(walker))?;
                self.params_span = Some(span).filter(|span| span.of(walker.bytes()) != b"null");
            }
            Member::Result => {
                if self.result_span.take().is_some() {
                    self.result = ResultBody::default();
                }
                self.result_span = Some(spanned(walker, |walker| self.result.read(walker))?);
            }
            Member::Error => {
                self.error_span = None;
                self.error_begun = walker.peek()? != b'n';
                let span = walker.skip()?;
                self.error_span = Some(span).filter(|_| self.error_begun);
            }
            Member::Jsonrpc => {
                self.jsonrpc = walker.string()?.is_some_and(|text| !text.is_empty());
            }
        }
        Ok(())
    }

    /// Puts its spans somewhere else.
    pub fn place(&mut self, place: impl Fn(Span) -> Span) {
        for span in [&mut self.params_span, &mut self.result_span, &mut self.error_span] {
            *span = span.map(&place);
        }
    }

    /// It has a `result` or an `error` in full.
    #[must_use]
    pub const fn is_answer(&self) -> bool {
        self.result_span.is_some() || self.error_span.is_some()
    }

    /// Of an answer that was cut: what is left of it shows that it did not ask for input.
    #[must_use]
    pub fn rules_out_a_question(&self) -> bool {
        let kind = self.result.result_type;
        self.error_begun
            || self.result.has_content
            || kind.is_some_and(|kind| !kind.is("input_required"))
    }
}

/// The members of a message.
#[derive(Debug, Clone, Copy)]
enum Member {
    Jsonrpc,
    Id,
    Method,
    Params,
    Result,
    Error,
}

fn spanned<'a>(
    walker: &mut Walker<'a>,
    read: impl FnOnce(&mut Walker<'a>) -> Result<(), JsonError>,
) -> Result<Span, JsonError> {
    walker.peek()?;
    let start = walker.at();
    read(walker)?;
    Ok(Span { start, end: walker.at() })
}

impl<'a> Params<'a> {
    fn read(&mut self, walker: &mut Walker<'a>) -> Result<(), JsonError> {
        let Some(mut object) = walker.object()? else {
            // Null params equal `{}`; others equal only themselves.
            let null = walker.peek()? == b'n';
            let value = Canon::value(walker)?;
            self.fingerprint = Some(if null { Canon::default().finish() } else { value });
            return Ok(());
        };
        let mut canon = Canon::default();
        usually!(
            walker, object,
            b"\"name\":" => self.name = compared_text("name", walker, &mut canon)?,
            b"\"arguments\":" => self.arguments(walker, &mut canon)?,
        );
        while let Some(key) = walker.next_key(&mut object)? {
            match &*key.decode_units() {
                b"requestState" => self.state = typed(walker, b'"', Walker::string)?,
                b"inputResponses" => {
                    self.responses = typed(walker, b'{', |walker| named_members(walker, "action"))?;
                }
                b"_meta" => {
                    self.meta = Meta::default();
                    self.meta.read(walker)?;
                }
                b"arguments" => self.arguments(walker, &mut canon)?,
                b"name" => self.name = compared_text("name", walker, &mut canon)?,
                b"uri" => self.uri = compared_text("uri", walker, &mut canon)?,
                b"taskId" => self.task_id = compared_text("taskId", walker, &mut canon)?,
                b"status" => self.status = compared_text("status", walker, &mut canon)?,
                b"requestId" => {
                    let span = spanned(walker, |walker| canon.member(key, walker))?;
                    self.request_id = Some(span.of(walker.bytes()));
                }
                b"result" => {
                    let mut ahead = Walker::new(walker.text(), walker.at());
                    self.result_is_error = member_is_true(&mut ahead, "isError")?;
                    canon.member(key, walker)?;
                }
                b"error" => {
                    self.has_error = walker.peek()? != b'n';
                    canon.member(key, walker)?;
                }
                _ => canon.member(key, walker)?,
            }
        }
        self.fingerprint = Some(canon.finish());
        Ok(())
    }

    fn arguments(&mut self, walker: &mut Walker<'a>, canon: &mut Canon) -> Result<(), JsonError> {
        let span = spanned(walker, |walker| canon.member(RawStr::plain("arguments"), walker))?;
        self.has_arguments = !is_empty_value(walker.bytes(), span);
        if !self.has_arguments {
            canon.leave_out_last();
        }
        Ok(())
    }
}

/// A member that is compared, and read if it is a string.
fn compared_text<'a>(
    key: &str,
    walker: &mut Walker<'a>,
    canon: &mut Canon,
) -> Result<Option<RawStr<'a>>, JsonError> {
    if walker.peek()? != b'"' {
        canon.member(RawStr::plain(key), walker)?;
        return Ok(None);
    }
    let text = walker.string()?;
    if let Some(text) = text {
        canon.text_member(key, text);
    }
    Ok(text)
}

fn typed<'a, T>(
    walker: &mut Walker<'a>,
    first: u8,
    read: impl FnOnce(&mut Walker<'a>) -> Result<Option<T>, JsonError>,
) -> Result<Typed<T>, JsonError> {
    let begins = walker.peek()?;
    if begins == first {
        Ok(read(walker)?.map_or(Typed::WrongType, Typed::Is))
    } else {
        walker.skip()?;
        Ok(if begins == b'n' { Typed::Absent } else { Typed::WrongType })
    }
}

/// The members of an object whose values are objects, each with its string member `inner`.
fn named_members<'a>(
    walker: &mut Walker<'a>,
    inner: &str,
) -> Result<Option<Vec<NamedMember<'a>>>, JsonError> {
    let Some(mut object) = walker.object()? else { return Ok(None) };
    let mut members = Vec::new();
    while let Some(key) = walker.next_key(&mut object)? {
        let mut found = None;
        if let Some(mut value) = walker.object()? {
            while let Some(member) = walker.next_key(&mut value)? {
                if member.is(inner) {
                    found = walker.string()?;
                }
            }
        }
        members.push((key, found));
    }
    Ok(Some(members))
}

/// Whether the object here has the member `name` with the value true.
fn member_is_true(walker: &mut Walker<'_>, name: &str) -> Result<bool, JsonError> {
    let mut found = false;
    if let Some(mut object) = walker.object()? {
        while let Some(key) = walker.next_key(&mut object)? {
            if key.is(name) {
                found = walker.peek()? == b't';
            }
        }
    } else {
        walker.skip()?;
    }
    Ok(found)
}

impl Meta {
    fn read(&mut self, walker: &mut Walker<'_>) -> Result<(), JsonError> {
        let Some(mut object) = walker.object()? else { return walker.skip().map(|_| ()) };
        while let Some(key) = walker.next_key(&mut object)? {
            match &*key.decode_units() {
                CLIENT_INFO => self.client = fingerprint_unless_null(walker)?,
                CLIENT_CAPABILITIES => self.capabilities = Capabilities::read(walker)?,
                b"traceparent" => self.traceparent = fingerprint_unless_null(walker)?,
                TRACE_LINK => self.tracelink = fingerprint_unless_null(walker)?,
                _ => {}
            }
        }
        Ok(())
    }
}

fn fingerprint_unless_null(walker: &mut Walker<'_>) -> Result<Option<Fingerprint>, JsonError> {
    let null = walker.peek()? == b'n';
    Ok(Some(Canon::value(walker)?).filter(|_| !null))
}

impl Capabilities {
    fn read(walker: &mut Walker<'_>) -> Result<Option<Self>, JsonError> {
        let Some(mut object) = walker.object()? else { return walker.skip().map(|_| None) };
        let mut declared = Self::default();
        while let Some(key) = walker.next_key(&mut object)? {
            let there = walker.peek()? != b'n';
            if key.is("elicitation") {
                declared.elicitation = there;
            } else if key.is("sampling") {
                declared.sampling = there;
            } else if key.is("roots") {
                declared.roots = there;
            }
        }
        Ok(Some(declared))
    }
}

impl<'a> ResultBody<'a> {
    fn read(&mut self, walker: &mut Walker<'a>) -> Result<(), JsonError> {
        let Some(mut object) = walker.object()? else { return walker.skip().map(|_| ()) };
        while let Some(key) = walker.next_key(&mut object)? {
            match &*key.decode_units() {
                b"content" | b"contents" | b"messages" => self.has_content = true,
                b"resultType" => self.result_type = walker.string()?,
                b"isError" => self.is_error = walker.peek()? == b't',
                b"requestState" => self.state = typed(walker, b'"', Walker::string)?,
                b"inputRequests" => {
                    self.requests = typed(walker, b'{', |walker| named_members(walker, "method"))?;
                }
                b"taskId" => self.task_id = walker.string()?,
                b"status" => self.status = walker.string()?,
                b"result" => self.inner_is_error = member_is_true(walker, "isError")?,
                _ => {}
            }
        }
        Ok(())
    }

    /// It is an `InputRequiredResult`: the members that make one have the types that make one.
    #[must_use]
    pub fn is_question(&self) -> bool {
        self.result_type.is_some_and(|kind| kind.is("input_required"))
            && self.state != Typed::WrongType
            && !matches!(self.requests, Typed::WrongType)
    }
}

impl PartialEq for RawStr<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.decode_units() == other.decode_units()
    }
}

impl Eq for RawStr<'_> {}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    fn read(text: &str) -> (Message<'_>, bool) {
        let mut message = Message::default();
        let whole = message.read(&mut Walker::new(text.as_bytes(), 0)).is_ok();
        (message, whole)
    }

    #[test]
    fn a_retry() {
        let (message, whole) = read(
            r#"{"jsonrpc":"2.0","id": 7 ,"method":"tools/call","params":{"name":"book",
            "arguments":{"to":"JFK"},"requestState":"st","inputResponses":{"confirm":
            {"content":{"action":"x"},"action":"accept"},"other":{}}}}"#,
        );
        assert!(whole && message.jsonrpc);
        assert_eq!(message.id, Some(&b"7"[..]));
        assert!(message.params.name.unwrap().is("book"));
        assert!(matches!(message.params.state, Typed::Is(state) if state.is("st")));
        let Typed::Is(answers) = message.params.responses else { panic!("no answers") };
        let answers: Vec<_> = answers
            .iter()
            .map(|(key, action)| (key.decode(), action.map(RawStr::decode)))
            .collect();
        assert_eq!(answers, [("confirm".into(), Some("accept".into())), ("other".into(), None)]);
        let (original, _) = read(
            r#"{"method":"tools/call","params":{"arguments":{"to":"JFK"},"name":"book","_meta":{}}}"#,
        );
        assert_eq!(original.params.fingerprint, message.params.fingerprint);
    }

    #[test]
    fn absent_null_and_empty_params_are_equal() {
        let of = |text: &str| read(text).0.params.fingerprint;
        let empty = of(r#"{"method":"m","params":{}}"#);
        assert_eq!(of(r#"{"method":"m","params":null}"#), empty);
        assert_eq!(of(r#"{"method":"m","params":{"arguments":{ },"_meta":{"a":1}}}"#), empty);
        assert_ne!(of(r#"{"method":"m","params":{"arguments":{"a":null}}}"#), empty);
    }

    #[test]
    fn a_cut_message_keeps_what_was_complete() {
        let (message, whole) = read(
            r#"{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[{"text":"aa"#,
        );
        assert!(!whole && message.result_span.is_none());
        assert_eq!(message.id, Some(&b"2"[..]));
        assert!(message.result.result_type.unwrap().is("complete") && message.result.has_content);
        // The id may have gone on.
        assert_eq!(read(r#"{"jsonrpc":"2.0","id":2"#).0.id, None);
        assert_eq!(read(r#"{"jsonrpc":"2.0","id":"2"#).0.id, None);
        assert_eq!(read(r#"{"jsonrpc":"2.0","id":"2""#).0.id, Some(&br#""2""#[..]));
        assert_eq!(read(r#"{"jsonrpc":"2.0","id":"#).0.id, None);
    }
}
