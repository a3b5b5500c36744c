//! Tables for millions of small entries: they grow without being copied, and waste little.
//!
//! Owns how entries are kept and found, and no meaning of what they are.

mod column;
mod distinct;
mod forms;
mod numbered;
mod numbers;
mod texts;

pub(crate) use column::Column;
pub(crate) use distinct::Distinct;
pub(crate) use forms::Forms;
pub(crate) use numbered::Numbered;
pub(crate) use numbers::Numbers;
pub(crate) use texts::Texts;
