//! What is looked at, and how the address says it.
//!
//! The fragment is a list of `name=value` in the way of a query: people may read it, and a part
//! that is not understood is passed over. It never reaches a server.

use std::sync::Arc;

use hopscope_core::ids::{FrameIdx, SessionIdx};
use hopscope_core::view::Operation;
use hopscope_core::view::budgets::Budgets;
use hopscope_core::view::list::{Sort, SortKey, operation_at};
use hopscope_core::view::timeline::{Scale, Times, Window};

use crate::browser;
use crate::protocol::Place;

/// A tab of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Tab {
    /// The operations.
    #[default]
    Waterfall,
    /// Per tool.
    Tools,
    /// What the user was asked.
    Questions,
    /// The raw stream.
    Frames,
    /// What is wrong.
    Problems,
    /// Assertions.
    Budgets,
}

impl Tab {
    /// Every tab, in order.
    pub const ALL: [Self; 6] = [
        Self::Waterfall,
        Self::Tools,
        Self::Questions,
        Self::Frames,
        Self::Problems,
        Self::Budgets,
    ];

    /// As hooks and addresses write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Waterfall => "waterfall",
            Self::Tools => "tools",
            Self::Questions => "questions",
            Self::Frames => "frames",
            Self::Problems => "problems",
            Self::Budgets => "budgets",
        }
    }

    /// As people read it.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Waterfall => "Waterfall",
            Self::Tools => "Tools",
            Self::Questions => "Questions",
            Self::Frames => "Frames",
            Self::Problems => "Problems",
            Self::Budgets => "Budgets",
        }
    }
}

/// A tab of the panel for the selected operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Panel {
    /// Its numbers and hops.
    #[default]
    Hops,
    /// Its messages.
    Messages,
    /// Its `requestState`s.
    State,
    /// Its frames as they stand in the file.
    Frames,
}

impl Panel {
    /// Every tab, in order.
    pub const ALL: [Self; 4] = [Self::Hops, Self::Messages, Self::State, Self::Frames];

    /// As hooks and addresses write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hops => "hops",
            Self::Messages => "messages",
            Self::State => "state",
            Self::Frames => "raw",
        }
    }

    /// As people read it.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Hops => "Hops",
            Self::Messages => "Messages",
            Self::State => "State",
            Self::Frames => "Raw frames",
        }
    }
}

/// What is looked at.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// Addresses of captures, as written.
    pub urls: Vec<String>,
    /// The address of what is followed, as written.
    pub live: Option<String>,
    /// A capture in the address itself.
    pub capture: Option<Arc<str>>,
    /// The tab.
    pub tab: Tab,
    /// The scale, where one was chosen.
    pub scale: Option<Scale>,
    /// The order.
    pub sort: Sort,
    /// What was typed into Find.
    pub filter: String,
    /// One session, or all.
    pub session: Option<SessionIdx>,
    /// The part of the lane that is seen.
    pub window: Window,
    /// The part of the lane that is measured.
    pub measured: Option<Window>,
    /// How times on the clock are written.
    pub times: Times,
    /// The selected row.
    pub selected: Option<Place>,
    /// What the panel shows of it.
    pub panel: Panel,
    /// The frame that was gone to.
    pub frame: Option<FrameIdx>,
    /// The operations that show their hops.
    pub expanded: Vec<Operation>,
    /// Limits, as typed.
    pub budgets: Budgets,
}

impl Default for View {
    fn default() -> Self {
        Self {
            urls: Vec::new(),
            live: None,
            capture: None,
            tab: Tab::default(),
            scale: None,
            sort: Sort::BY_TIME,
            filter: String::new(),
            session: None,
            window: Window::ALL,
            measured: None,
            times: Times::default(),
            selected: None,
            panel: Panel::default(),
            frame: None,
            expanded: Vec::new(),
            budgets: Budgets::default(),
        }
    }
}

const SCALES: [(&str, Scale); 3] =
    [("clock", Scale::Clock), ("start", Scale::FromStart), ("fold", Scale::FoldWaits)];

const KEYS: [(&str, SortKey); 8] = [
    ("time", SortKey::Start),
    ("operation", SortKey::Operation),
    ("outcome", SortKey::Outcome),
    ("round-trips", SortKey::RoundTrips),
    ("wall", SortKey::Wall),
    ("server", SortKey::Server),
    ("client", SortKey::Client),
    ("inside", SortKey::Inside),
];

impl View {
    /// Forgets what belongs to the capture that was open: its rows.
    pub fn forget_capture(&mut self) {
        self.session = None;
        self.selected = None;
        self.frame = None;
        self.expanded.clear();
        self.window = Window::ALL;
        self.measured = None;
    }

    /// Whether going to `next` is a step that Back should take back: not each key typed into
    /// Find, nor each turn of the wheel.
    #[must_use]
    pub fn is_step_to(&self, next: &Self) -> bool {
        self.tab != next.tab
            || self.selected != next.selected
            || self.panel != next.panel
            || self.frame != next.frame
            || self.session != next.session
            || self.scale != next.scale
            || self.sort != next.sort
            || self.urls != next.urls
            || self.live != next.live
            || self.capture != next.capture
    }

    /// As the address says it; what is as at first is left out.
    #[must_use]
    pub fn to_fragment(&self) -> String {
        let mut parts: Vec<String> =
            self.urls.iter().map(|url| format!("url={}", escape(url))).collect();
        parts.extend(self.live.iter().map(|url| format!("live={}", escape(url))));
        let mut add = |name: &str, value: String| parts.push(format!("{name}={}", escape(&value)));
        if let Some(capture) = &self.capture {
            add("capture", capture.to_string());
        }
        if self.tab != Tab::default() {
            add("tab", self.tab.name().to_owned());
        }
        if let Some((name, _)) = SCALES.iter().find(|(_, scale)| Some(*scale) == self.scale) {
            add("scale", (*name).to_owned());
        }
        if self.sort != Sort::BY_TIME {
            let known = KEYS.iter().find(|(_, key)| *key == self.sort.key);
            let name = known.map_or("time", |(name, _)| name);
            add("sort", format!("{}{name}", if self.sort.descending { "-" } else { "" }));
        }
        if !self.filter.is_empty() {
            add("find", self.filter.clone());
        }
        if let Some(session) = self.session {
            add("session", (session.at() + 1).to_string());
        }
        if !self.window.is_all() {
            add("range", format!("{}~{}", self.window.from, self.window.to));
        }
        if let Some(part) = self.measured {
            add("measure", format!("{}~{}", part.from, part.to));
        }
        if self.times == Times::OfDay {
            add("times", "day".to_owned());
        }
        if let Some(place) = self.selected {
            let hop = place.hop.map(|hop| format!(".{hop}")).unwrap_or_default();
            add("row", format!("{}{hop}", operation_text(place.operation)));
        }
        if self.panel != Panel::default() {
            add("panel", self.panel.name().to_owned());
        }
        if let Some(frame) = self.frame {
            add("frame", (frame.at() + 1).to_string());
        }
        if !self.expanded.is_empty() {
            let open: Vec<_> = self.expanded.iter().map(|&open| operation_text(open)).collect();
            add("open", open.join("~"));
        }
        let Budgets { wall, server, client, trips } = &self.budgets;
        for (name, text) in [
            ("max-wall", wall),
            ("max-server", server),
            ("max-client", client),
            ("max-trips", trips),
        ] {
            if !text.is_empty() {
                add(name, text.clone());
            }
        }
        parts.join("&")
    }

    /// What an address says.
    #[must_use]
    pub fn from_fragment(fragment: &str) -> Self {
        let mut view = Self::default();
        for part in fragment.split('&') {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            view.read(name, &unescape(value));
        }
        view
    }

    fn read(&mut self, name: &str, value: &str) {
        match name {
            "url" => self.urls.push(value.to_owned()),
            "live" => self.live = Some(value.to_owned()),
            "capture" => self.capture = Some(value.into()),
            "tab" => {
                let tab = Tab::ALL.into_iter().find(|tab| tab.name() == value);
                self.tab = tab.unwrap_or_default();
            }
            "scale" => {
                let scale = SCALES.iter().find(|(name, _)| *name == value);
                self.scale = scale.map(|&(_, scale)| scale);
            }
            "sort" => {
                let (descending, name) = match value.strip_prefix('-') {
                    Some(name) => (true, name),
                    None => (false, value),
                };
                if let Some(&(_, key)) = KEYS.iter().find(|(known, _)| *known == name) {
                    self.sort = Sort { key, descending };
                }
            }
            "find" => value.clone_into(&mut self.filter),
            "session" => {
                let number = value.parse().ok().filter(|&number: &usize| number > 0);
                self.session = number.map(|number| SessionIdx::of(number - 1));
            }
            "range" => self.window = window_of(value).unwrap_or(Window::ALL),
            "measure" => self.measured = window_of(value),
            "times" if value == "day" => self.times = Times::OfDay,
            "max-wall" => value.clone_into(&mut self.budgets.wall),
            "max-server" => value.clone_into(&mut self.budgets.server),
            "max-client" => value.clone_into(&mut self.budgets.client),
            "max-trips" => value.clone_into(&mut self.budgets.trips),
            "row" => self.selected = place_of(value),
            "panel" => {
                let panel = Panel::ALL.into_iter().find(|panel| panel.name() == value);
                self.panel = panel.unwrap_or_default();
            }
            "frame" => {
                let number = value.parse().ok().filter(|&number: &usize| number > 0);
                self.frame = number.map(|number| FrameIdx::of(number - 1));
            }
            "open" => {
                let places = value.split('~').filter_map(place_of);
                self.expanded = places.map(|place| place.operation).collect();
            }
            _ => {}
        }
    }
}

fn operation_text(operation: Operation) -> String {
    format!("{}.{}", operation.session.at() + 1, operation.call.at() + 1)
}

fn place_of(text: &str) -> Option<Place> {
    let mut numbers = text.split('.').map(|number| number.parse::<usize>().ok().filter(|&n| n > 0));
    let (session, call) = (numbers.next()??, numbers.next()??);
    let hop = match numbers.next() {
        Some(hop) => Some(u32::try_from(hop?).ok()?),
        None => None,
    };
    Some(Place { operation: operation_at(session - 1, call - 1), hop })
}

fn window_of(text: &str) -> Option<Window> {
    let (from, to) = text.split_once('~')?;
    let (from, to) = (browser::number(from)?, browser::number(to)?);
    (0.0 <= from && from < to && to <= 1.0).then_some(Window { from, to })
}

/// What may stand in a fragment as it is; the rest as percent and two digits.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~:/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

fn unescape(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        let code = tail.get(..2).and_then(|digits| core::str::from_utf8(digits).ok());
        match code.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(decoded) if byte == b'%' => {
                bytes.push(decoded);
                rest = tail.get(2..).unwrap_or_default();
            }
            _ => {
                bytes.push(byte);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_keeps_the_view() {
        let view = View {
            urls: vec!["demo/book-flight.jsonl".to_owned(), "https://a.example/b?c=d&e".to_owned()],
            live: Some("ws://127.0.0.1:7777".to_owned()),
            capture: Some("AbC-_9".into()),
            tab: Tab::Problems,
            scale: Some(Scale::FromStart),
            sort: Sort { key: SortKey::Server, descending: true },
            filter: "tool:book rt:>2 \"ä b\" 100%".to_owned(),
            session: Some(SessionIdx::of(2)),
            window: Window { from: 0.125, to: 0.5 },
            measured: Some(Window { from: 0.25, to: 0.375 }),
            times: Times::OfDay,
            selected: Some(Place { operation: operation_at(0, 41), hop: Some(2) }),
            panel: Panel::State,
            frame: Some(FrameIdx::of(11)),
            expanded: vec![operation_at(0, 41), operation_at(1, 0)],
            budgets: Budgets {
                server: "1s".to_owned(),
                trips: "2".to_owned(),
                ..Budgets::default()
            },
        };
        let fragment = view.to_fragment();
        assert_eq!(View::from_fragment(&fragment), view, "{fragment}");
        assert!(!fragment.contains(' '));
    }

    #[test]
    fn the_first_view_needs_no_words_and_nonsense_is_passed_over() {
        assert_eq!(View::default().to_fragment(), "");
        let odd = "tab=nowhere&row=0.0&open=x~1.2&range=5~1&scale&=&find=%zz&panel=x&frame=0";
        let view = View::from_fragment(odd);
        assert_eq!(view.expanded, [operation_at(0, 1)]);
        assert_eq!((view.selected, view.window), (None, Window::ALL));
        assert_eq!((view.panel, view.frame), (Panel::Hops, None));
        assert_eq!(view.filter, "%zz");
    }
}
