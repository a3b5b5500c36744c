//! Reading a large file, most of it by a second worker.
//!
//! Owns which slices are read where, and their order. What the second worker does not read, for
//! whatever reason, is read here: the capture is the same.

use std::collections::VecDeque;

use hopscope_core::capture::NotTaken;
use hopscope_core::engine::Engine;
use hopscope_core::ids::SourceIdx;
use web_sys::Blob;

use super::reading::{Ended, Reading, SLICE, slice};
use super::second::{Lines, Second, lines};

/// The smallest file that is worth a second worker, in bytes.
pub(super) const LARGE: f64 = 16.0 * 1024.0 * 1024.0;
/// One slice of so many is read here, for what comes from the second worker is still to be linked.
const HERE: u32 = 4;
/// How many slices are under way.
const AHEAD: usize = 8;

/// A slice under way.
enum Coming<H, A> {
    Here(H),
    Apart { from: f64, to: f64, batch: A },
}

impl Reading {
    /// Reads all of a file that is not compressed, into the source at a place.
    pub(super) async fn read_large(&mut self, place: SourceIdx, blob: &Blob) -> Result<(), Ended> {
        let mut second = Second::start();
        let size = blob.size();
        let (mut at, mut asked, mut number) = (0.0, 0.0, 0);
        let mut coming = VecDeque::new();
        while at < size {
            while coming.len() < AHEAD && asked < size {
                // The first one is small, for the first rows to be there soon.
                let step = if asked == 0.0 { SLICE / 8.0 } else { SLICE };
                let (from, to) = (asked, size.min(asked + step));
                let ready = second.as_ref().filter(|it| it.is_ready() && number % HERE != 0);
                coming.push_back(match ready {
                    Some(second) => Coming::Apart { from, to, batch: second.read(blob, from, to) },
                    None => Coming::Here(lines(blob, from, to)),
                });
                (asked, number) = (to, number + 1);
            }
            let before = at;
            at = match coming.pop_front() {
                Some(Coming::Here(lines)) => self.read_here(place, blob, at, lines.await).await?,
                Some(Coming::Apart { from, to, batch }) => {
                    let batch = batch.await;
                    self.goes_on()?;
                    let take = |_: &_, engine: &mut Engine| Ok(batch.map(|it| engine.take(&it)));
                    let taken = self.with_source(place, take);
                    match taken.map_err(|reason| self.damaged(reason))? {
                        Some(Ok(next)) => next as f64,
                        refused => {
                            if refused == Some(Err(NotTaken::OtherFormat)) {
                                second = None;
                            }
                            self.read_here(place, blob, at, lines(blob, from, to).await).await?
                        }
                    }
                }
                // What is left of the last slices.
                None => {
                    let rest = lines(blob, at, size).await;
                    self.read_here(place, blob, at, rest).await?
                }
            };
            self.progress.bytes += (at - before) as u64;
            // The end is told of otherwise.
            if at < size {
                self.report();
            }
        }
        Ok(())
    }

    /// Reads some lines here, from an offset on that may be before or within them. Says up to where.
    async fn read_here(
        &mut self,
        place: SourceIdx,
        blob: &Blob,
        at: f64,
        lines: Result<Lines, String>,
    ) -> Result<f64, Ended> {
        self.goes_on()?;
        let lines = lines.map_err(|reason| self.unreadable(at, reason))?;
        let end = lines.end().max(at);
        let fetched;
        let bytes = match lines.after(at) {
            Some(bytes) => bytes,
            None => {
                let bytes = slice(blob, at, end).await;
                self.goes_on()?;
                fetched = bytes.map_err(|reason| self.unreadable(at, reason))?;
                fetched.as_slice()
            }
        };
        let push = |_: &_, engine: &mut Engine| {
            engine.push(bytes);
            Ok(())
        };
        self.with_source(place, push).map_err(|reason| self.damaged(reason))?;
        Ok(end)
    }

    /// The open source cannot be read on.
    fn unreadable(&self, at: f64, reason: String) -> Ended {
        self.breaks_off(&reason);
        Ended::Unreadable { at, reason }
    }
}
