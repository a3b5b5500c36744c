//! What the page knows: little, and each thing once.
//!
//! Canonical are the status, the capture at a glance and the [`View`]; everything on screen is
//! derived from them, or asked of the worker by `asked`. The view lives in the address.

pub mod asked;
mod conversation;
pub mod making;
pub mod opening;
mod search;
pub mod view;

use leptos::prelude::*;

use hopscope_core::ids::FrameIdx;
use hopscope_core::view::Operation;
use hopscope_core::view::list::{ListQuery, Sort};
use hopscope_core::view::scroll::Scroll;
use hopscope_core::view::summary::Overall;
use hopscope_core::view::timeline::{Scale, Window};

use crate::browser;
use crate::protocol::{Following, Place, Progress, Question, Searched, Step, Stopped};
pub use view::{Panel, Tab, View};

/// Where the page stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// Nothing is open.
    Empty,
    /// Something is being read.
    Reading,
    /// All that could be read has been.
    Ready,
    /// Nothing can be shown, and why.
    Failed(Failure),
}

/// Why nothing can be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The worker died.
    Worker {
        /// In the browser's words.
        reason: String,
    },
    /// The worker is of another build than the page.
    Build,
    /// What was opened is no capture; see the sources of the capture.
    NoCapture,
    /// What was given cannot be opened.
    Refused {
        /// Why, as sentences.
        reason: String,
    },
    /// The browser could not read what was opened.
    Unreadable(Vec<Stopped>),
}

impl Status {
    /// As the page's root says it.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Reading => "reading",
            Self::Ready => "ready",
            Self::Failed(_) => "failed",
        }
    }
}

/// An effect. One piece of code for all of them, which are many.
pub fn effect(run: impl FnMut() + 'static) {
    fn begin(run: Box<dyn FnMut()>) {
        Effect::new(run);
    }
    begin(Box::new(run));
}

/// Finds the part of the lane that something takes, to scale or as it is drawn.
pub type FindPart = Box<dyn Fn(bool) -> Option<Window>>;

/// Scrolls so that a row is seen.
pub type BringIntoView = Box<dyn Fn(u64)>;

/// The page's state. Copied freely: it is handles.
#[derive(Clone, Copy)]
pub struct App {
    /// Where the page stands.
    pub status: RwSignal<Status>,
    /// How far reading has come.
    pub progress: RwSignal<Progress>,
    /// The capture at a glance, as far as it has been read.
    pub overall: RwSignal<Option<Overall>>,
    /// Why something is missing from what is open.
    pub stopped: RwSignal<Vec<Stopped>>,
    /// What is followed: more of it may come.
    pub following: RwSignal<Option<Following>>,
    /// Goes up whenever the worker is given something to read.
    pub sent: RwSignal<u32>,
    /// The worker has said something, or died: its program is there, or will not come.
    pub heard: RwSignal<bool>,
    /// What stands around the rows is there, or cannot be had.
    pub framed: RwSignal<bool>,
    /// When it grew last, as the page's clock has it.
    pub grew_at: RwSignal<String>,
    /// Goes up whenever there is more to show.
    pub version: RwSignal<u64>,
    /// The version that the waterfall shows.
    pub shown: RwSignal<u64>,
    /// What is looked at.
    pub view: RwSignal<View>,
    /// How far searching bodies has come, where that is wanted.
    pub searched: RwSignal<Option<Searched>>,
    /// Dark or light, where it is not as the system has it.
    pub dark: RwSignal<Option<bool>>,
    /// Files dropped on an open capture, until it is said what is to become of them.
    pub dropped: RwSignal<Option<opening::Opened>, LocalStorage>,
    /// A short remark for a moment, such as *Copied*.
    pub remark: RwSignal<Option<String>>,
    /// The problem that the keys have come to.
    pub problem: RwSignal<Option<u32>>,
    /// Where the waterfall is scrolled to.
    pub rows_at: RwSignal<Scroll>,
    /// Where the frames are.
    pub frames_at: RwSignal<Scroll>,
    /// Scrolls the waterfall so that a row is seen.
    pub bring_into_view: StoredValue<Option<BringIntoView>, LocalStorage>,
    /// The selected row's part of the lane, where it is known.
    pub part_of_selection: StoredValue<Option<FindPart>, LocalStorage>,
    /// Steps to be taken once the one under way has been.
    stepping: StoredValue<Option<i64>>,
    /// The list of keys is shown.
    pub help: RwSignal<bool>,
    /// What is known of the files and sessions is shown.
    pub about: RwSignal<bool>,
    /// How far reading had come when the worker died while it read.
    pub died_at: RwSignal<Option<Progress>>,
    /// It was said that the browser keeps no settings.
    told_of_storage: StoredValue<bool>,
    /// The making of a file, and the dialog for it.
    pub making: making::Making,
    conversation: StoredValue<conversation::Conversation, LocalStorage>,
}

impl App {
    /// With nothing open, and the view that the address holds.
    #[must_use]
    pub fn new() -> Self {
        let dark = match browser::setting("theme").as_deref() {
            Some("dark") => Some(true),
            Some("light") => Some(false),
            _ => None,
        };
        let app = Self {
            status: RwSignal::new(Status::Empty),
            progress: RwSignal::new(Progress::default()),
            overall: RwSignal::new(None),
            stopped: RwSignal::new(Vec::new()),
            following: RwSignal::new(None),
            sent: RwSignal::new(0),
            heard: RwSignal::new(false),
            framed: RwSignal::new(false),
            grew_at: RwSignal::new(String::new()),
            version: RwSignal::new(0),
            shown: RwSignal::new(0),
            view: RwSignal::new(View::from_fragment(&browser::fragment())),
            searched: RwSignal::new(None),
            dark: RwSignal::new(dark),
            dropped: RwSignal::new_local(None),
            remark: RwSignal::new(None),
            problem: RwSignal::new(None),
            rows_at: RwSignal::new(Scroll::default()),
            frames_at: RwSignal::new(Scroll::default()),
            bring_into_view: StoredValue::new_local(None),
            part_of_selection: StoredValue::new_local(None),
            stepping: StoredValue::new(None),
            help: RwSignal::new(false),
            about: RwSignal::new(false),
            died_at: RwSignal::new(None),
            told_of_storage: StoredValue::new(false),
            making: making::Making::new(),
            conversation: StoredValue::new_local(conversation::Conversation::default()),
        };
        // Before anything is drawn; `reflect` has it follow.
        app.show_theme();
        app.say_state();
        app.start_worker();
        app
    }

    /// The one of this page.
    #[must_use]
    pub fn here() -> Self {
        expect_context()
    }

    /// Tests, tools and styles see the status on the page's root. It is ready when its rows and what stands around
    /// them are there to be read, not a moment before.
    fn say_state(self) {
        effect(move || {
            let waterfall = self.view.read().tab == Tab::Waterfall;
            let waits = !self.framed.get() || waterfall && self.shown.get() < self.version.get();
            let status = self.status.read();
            let said = if waits && *status == Status::Ready {
                Status::Reading.name()
            } else {
                status.name()
            };
            // What `boot.js` says of a trap is the last word, although some of the page may go on.
            if !browser::has_ended() {
                browser::mark_root("state", Some(said));
            }
        });
    }

    /// Styles follow the chosen theme; without one they follow the system.
    fn show_theme(self) {
        let theme = self.dark.get().map(|dark| if dark { "dark" } else { "light" });
        browser::mark_root("theme", theme);
    }

    /// What else the outside is told of the state.
    pub fn reflect(self) {
        Effect::new(move || self.show_theme());
        // The browser's tab is named after what is open.
        Effect::new(move || match self.overall.read().as_ref().and_then(|o| o.sources.first()) {
            Some(source) => browser::title(&format!("{} · hopscope", source.name)),
            None => browser::title("hopscope"),
        });
        // The address holds the view. What is worth a step back makes one.
        Effect::new(move |before: Option<View>| {
            let view = self.view.get();
            let fragment = view.to_fragment();
            if fragment != browser::fragment() {
                let step = before.is_some_and(|before| before.is_step_to(&view));
                browser::set_fragment(&fragment, step);
            }
            view
        });
    }

    /// Takes the view from the address again, after Back or a link; opens what it names.
    pub fn address_changed(self) {
        let view = View::from_fragment(&browser::fragment());
        let other = {
            let known = self.view.read_untracked();
            view.urls != known.urls || view.live != known.live || view.capture != known.capture
        };
        self.view.set(view);
        if other {
            self.open_address();
        }
    }

    /// The scale in use: the chosen one, or the one that suits the capture.
    #[must_use]
    pub fn scale(self) -> Scale {
        let suits = || self.overall.read().as_ref().map(|overall| overall.scale);
        self.view.read().scale.or_else(suits).unwrap_or(Scale::FoldWaits)
    }

    /// The scale in use, for whoever does not follow it.
    #[must_use]
    pub fn scale_untracked(self) -> Scale {
        untrack(move || self.scale())
    }

    /// Whether the scale is the one that suits the capture, not one that was chosen.
    #[must_use]
    pub fn scale_is_suggested(self) -> bool {
        self.view.read().scale.is_none()
    }

    /// Chooses a scale.
    pub fn set_scale(self, scale: Scale) {
        self.view.update(|view| {
            view.scale = Some(scale);
            view.window = Window::ALL;
            view.measured = None;
        });
    }

    /// Whether a range can be measured on the scale in use; says why not.
    #[must_use]
    pub fn can_measure(self) -> bool {
        let can = self.scale_untracked() != Scale::FoldWaits;
        if !can {
            self.say("Folded waits have no scale to measure on: choose Clock or From start (m)");
        }
        can
    }

    /// Measures the selected operation, or where none is seen, all that is.
    pub fn measure(self) {
        if self.can_measure() {
            let part = self.part_of_selection.with_value(|it| it.as_ref()?(true));
            self.view.update(|view| view.measured = Some(part.unwrap_or(view.window)));
        }
    }

    /// Moves the ends of the measured range by shares of what is seen.
    pub fn measure_more(self, from: f64, to: f64) {
        if self.view.read_untracked().measured.is_none() {
            return self.measure();
        }
        self.view.update(|view| {
            let wide = view.window.to - view.window.from;
            view.measured = view
                .measured
                .map(|it| Window::ALL.between(it.from + from * wide, it.to + to * wide));
        });
    }

    /// Which operations the waterfall shows, in what order.
    #[must_use]
    pub fn list(self) -> ListQuery {
        let view = self.view.read();
        ListQuery { session: view.session, sort: view.sort, filter: view.filter.clone() }
    }

    /// Sorts by a column; a second time the other way round, a third time as recorded.
    pub fn sort_by(self, sort: Sort) {
        self.view.update(|view| {
            view.sort = match view.sort {
                now if now == sort => Sort { descending: !sort.descending, ..sort },
                now if now.key == sort.key => Sort::BY_TIME,
                _ => sort,
            };
        });
    }

    /// Shows or hides an operation's hops.
    pub fn toggle(self, operation: Operation) {
        self.view.update(|view| match view.expanded.iter().position(|&open| open == operation) {
            Some(at) => drop(view.expanded.remove(at)),
            None => view.expanded.push(operation),
        });
    }

    /// Selects a row.
    pub fn select(self, place: Option<Place>) {
        self.view.update(|view| view.selected = place);
    }

    /// Selects the row some rows away and scrolls to it. Steps taken before the answer to the last
    /// one are taken together, so that a key held down loses none.
    pub fn step(self, by: i64) {
        let under_way = self.stepping.get_value();
        self.stepping.set_value(Some(under_way.map_or(0, |more: i64| more.saturating_add(by))));
        if under_way.is_some() {
            return;
        }
        self.ask(Question::step(self.step_from_here(by)), move |reply| {
            let more = self.stepping.get_value().unwrap_or(0);
            self.stepping.set_value(None);
            if let Ok(Some((row, place))) = reply {
                self.select(Some(place));
                self.show_row(row);
                if more != 0 {
                    self.step(more);
                }
            }
        });
    }

    fn step_from_here(self, by: i64) -> Step {
        let view = self.view.read_untracked();
        Step {
            list: untrack(|| self.list()),
            expanded: view.expanded.clone(),
            selected: view.selected,
            by,
        }
    }

    fn show_row(self, row: u64) {
        self.bring_into_view.with_value(|show| {
            if let Some(show) = show {
                show(row);
            }
        });
    }

    /// Scrolls to the selected row, where it is in the list.
    pub fn show_selected(self) {
        if self.view.read_untracked().selected.is_none() {
            return;
        }
        self.ask(Question::step(self.step_from_here(0)), move |reply| {
            if let Ok(Some((row, _))) = reply {
                self.show_row(row);
            }
        });
    }

    /// Goes to an operation in the waterfall, whatever hid it.
    pub fn go_to(self, operation: Operation) {
        self.view.update(|view| {
            view.tab = Tab::Waterfall;
            view.filter = String::new();
            view.session = view.session.filter(|&session| session == operation.session);
            view.selected = Some(Place { operation, hop: None });
        });
        self.show_selected();
    }

    /// Goes to a hop of an operation, in the panel, without leaving the tab.
    pub fn select_hop(self, operation: Operation, hop: Option<u32>) {
        self.view.update(|view| {
            view.selected = Some(Place { operation, hop });
            if hop.is_some() {
                view.panel = Panel::Hops;
            }
        });
    }

    /// Goes to a frame in the raw stream, whatever hid it.
    pub fn go_to_frame(self, frame: FrameIdx) {
        self.view.update(|view| {
            view.tab = Tab::Frames;
            view.filter = String::new();
            view.frame = Some(frame);
        });
    }

    /// Goes to the next problem, or the one before, of those in the Problems tab.
    pub fn next_problem(self, by: i32) {
        self.view.update(|view| view.tab = Tab::Problems);
        self.problem.update(|at| *at = Some(at.map_or(0, |at| at.saturating_add_signed(by))));
    }

    /// Changes between dark and light.
    pub fn toggle_theme(self) {
        let dark = !self.dark.get_untracked().unwrap_or_else(browser::prefers_dark);
        self.keep("theme", if dark { "dark" } else { "light" });
        self.dark.set(Some(dark));
    }

    /// Has the browser keep a setting; says so, once, where it does not.
    pub fn keep(self, name: &str, value: &str) {
        if !browser::keep_setting(name, value) && !self.told_of_storage.get_value() {
            self.told_of_storage.set_value(true);
            self.say("The browser keeps no settings for this page: they last until it is closed");
        }
    }

    /// Copies a text and says so.
    pub fn copy(self, text: &str) {
        self.copy_and_say(text, "Copied");
    }

    /// Copies a text; says `done`, or that it was not allowed.
    pub fn copy_and_say(self, text: &str, done: &str) {
        let done = done.to_owned();
        browser::copy(text, move |copied| {
            self.say(if copied {
                &done
            } else {
                "The browser did not allow copying: the clipboard is closed to this page"
            });
        });
    }

    /// Says something for a moment.
    pub fn say(self, text: &str) {
        self.remark.set(Some(text.to_owned()));
        // Time to read it.
        let long = core::time::Duration::from_millis(1500 + 50 * text.len() as u64);
        let said = text.to_owned();
        set_timeout(
            move || {
                if self.remark.read_untracked().as_ref() == Some(&said) {
                    self.remark.set(None);
                }
            },
            long,
        );
    }
}

impl Default for App {
    fn default() -> Self {
        Self::new()
    }
}
