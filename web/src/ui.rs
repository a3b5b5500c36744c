//! What is on screen: one file a component.
//!
//! Components read `state` and rows made by `core::view`, and change state by its methods. They
//! do no arithmetic on times and never see the engine.
//!
//! The page begins with its [`shell`] and the table of operations, which are no components. What stands around them is
//! fetched right behind ([`frame`]), and what is looked at later after that ([`parts`]).

mod about;
mod budgets;
mod columns;
mod detail;
mod dialogs;
mod export;
mod found;
pub mod frame;
mod frames;
mod keys;
mod lane;
mod live;
mod markup;
mod messages;
mod moment;
mod over_lane;
mod overview;
pub mod parts;
mod problems;
mod questions;
mod reading;
mod redaction;
mod row;
mod scroll;
mod share;
pub mod shell;
mod tabs;
mod tools;
mod top_bar;
mod waterfall;
mod welcome;

use crate::state::{Failure, Status};

/// Whether the worker died, which is the one failure that reopening can mend.
fn can_reopen(status: &Status) -> bool {
    matches!(status, Status::Failed(Failure::Worker { .. }))
}
