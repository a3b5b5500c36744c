//! Making files and links of what is open: which dialog is shown, and how far it has come.
//!
//! The worker makes them, one at a time. What was made for a dialog that was left is dropped.

use hopscope_core::export::{Format, Rules};
use hopscope_core::ids::SessionIdx;
use leptos::prelude::*;
use web_sys::Blob;

use super::App;
use crate::browser;
use crate::protocol::{Link, Made, Order, Product};

/// A dialog for making something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialog {
    /// A file of another format.
    Export,
    /// A link.
    Share,
}

/// How far it has come.
#[derive(Debug, Clone, PartialEq)]
pub enum Stage {
    /// Nothing is being made.
    Idle,
    /// The worker makes it.
    UnderWay {
        /// Steps done.
        done: u64,
        /// Steps there are; 0 while that is not known.
        total: u64,
        /// Bytes written.
        bytes: u64,
    },
    /// A file was made and given to the browser.
    Saved {
        /// Its name.
        name: String,
        /// Its size.
        bytes: u64,
        /// What the rules name and is still in it.
        spared: Vec<String>,
    },
    /// A link was made.
    Linked(Box<Link>),
    /// It could not be made.
    Failed(String),
}

/// The making of something, as the page knows it.
#[derive(Clone, Copy)]
pub struct Making {
    /// The dialog that is shown.
    pub dialog: RwSignal<Option<Dialog>>,
    /// How far it has come.
    pub stage: RwSignal<Stage>,
    /// The order under way, and what to call its file.
    order: StoredValue<Option<(u32, String)>>,
}

impl Making {
    pub(super) fn new() -> Self {
        Self {
            dialog: RwSignal::new(None),
            stage: RwSignal::new(Stage::Idle),
            order: StoredValue::new(None),
        }
    }

    /// Shows a dialog.
    pub fn open(self, dialog: Dialog) {
        self.stage.set(Stage::Idle);
        self.dialog.set(Some(dialog));
    }

    /// Whether a dialog is shown.
    #[must_use]
    pub fn is_open(self) -> bool {
        self.dialog.with_untracked(Option::is_some)
    }

    /// Whether something is being made.
    #[must_use]
    pub fn is_busy(self) -> bool {
        matches!(*self.stage.read(), Stage::UnderWay { .. })
    }

    pub(super) fn is_at(self, number: u32, done: u64, total: u64, bytes: u64) {
        if self.is_of(number) {
            self.stage.set(Stage::UnderWay { done, total, bytes });
        }
    }

    pub(super) fn is_made(self, number: u32, result: Result<Made, String>, blob: Option<Blob>) {
        if !self.is_of(number) {
            return;
        }
        let order = self.order.try_update_value(Option::take).flatten();
        let name = order.map(|(_, name)| name).unwrap_or_default();
        self.stage.set(match (result, blob) {
            (Ok(Made::File { bytes, spared }), Some(blob)) => match browser::download(&name, &blob)
            {
                Ok(()) => Stage::Saved { name, bytes, spared },
                Err(error) => {
                    browser::complain(&error);
                    Stage::Failed("the browser did not take the file".to_owned())
                }
            },
            (Ok(Made::Link(link)), _) => Stage::Linked(link),
            (Ok(Made::File { .. }), None) => {
                Stage::Failed("the browser could not keep the file".to_owned())
            }
            (Err(reason), _) => Stage::Failed(reason),
        });
    }

    /// What was under way is not: its worker died, or something else was opened.
    pub(super) fn forget(self) {
        self.order.set_value(None);
        self.stage.set(Stage::Idle);
        self.dialog.set(None);
    }

    fn is_of(self, number: u32) -> bool {
        self.order.with_value(|order| order.as_ref().is_some_and(|(known, _)| *known == number))
    }
}

impl App {
    /// Makes a file of a format of what is open, and gives it to the browser.
    pub fn make_file(self, format: Format, sessions: Option<Vec<SessionIdx>>, rules: Rules) {
        let source = self.overall.with_untracked(|overall| {
            let sources = overall.as_ref().map(|overall| overall.sources.as_slice());
            sources.and_then(<[_]>::first).map(|source| source.name.clone())
        });
        let name = format.file_name(&source.unwrap_or_default());
        self.order(Product::File(format), sessions, rules, name);
    }

    /// Makes a link to what is open.
    pub fn make_link(self, sessions: Option<Vec<SessionIdx>>, rules: Rules) {
        self.order(Product::Link, sessions, rules, String::new());
    }

    fn order(
        self,
        product: Product,
        sessions: Option<Vec<SessionIdx>>,
        rules: Rules,
        name: String,
    ) {
        let Some(client) = self.conversation.with_value(|it| it.client.clone()) else { return };
        let generated_at = browser::clock();
        let order = Order { generation: 0, number: 0, product, sessions, generated_at, rules };
        self.making.order.set_value(Some((client.make(order), name)));
        self.making.stage.set(Stage::UnderWay { done: 0, total: 0, bytes: 0 });
    }

    /// Stops what is being made.
    pub fn stop_making(self) {
        if self.making.order.try_update_value(Option::take).flatten().is_some()
            && let Some(client) = self.conversation.with_value(|it| it.client.clone())
        {
            client.stop_making();
        }
        self.making.stage.set(Stage::Idle);
    }

    /// Leaves the dialog, and stops what is being made for it.
    pub fn close_making(self) {
        self.stop_making();
        self.making.dialog.set(None);
    }
}
