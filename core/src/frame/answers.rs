//! The kinds of responses that are more than a result or an error, as they are kept.

use super::facts::{AnswerKind, Question, ShapeIdx, TaskReport};
use super::requests::PackedState;
use crate::table::Column;

/// Of one response.
#[derive(Debug, Clone, Copy)]
enum Packed {
    Question {
        state: PackedState,
        shape: u32,
    },
    /// By its place in a table of its own.
    Task(u32),
    Plain,
}

/// What a question keeps for its shape where it has none.
const NO_SHAPE: u32 = u32::MAX;

/// The table.
#[derive(Debug, Default)]
pub(super) struct Answers {
    packed: Column<Packed>,
    tasks: Column<(bool, TaskReport)>,
}

impl Answers {
    /// Adds that of a response.
    pub(super) fn add(&mut self, kind: AnswerKind) {
        self.packed.push(match kind {
            AnswerKind::Plain => Packed::Plain,
            AnswerKind::Question(Question { state, shape }) => Packed::Question {
                state: PackedState::of(state),
                shape: shape.map_or(NO_SHAPE, |ShapeIdx(shape)| shape),
            },
            AnswerKind::Task { handle, report } => {
                self.tasks.push((handle, report));
                Packed::Task(self.tasks.len() as u32 - 1)
            }
        });
    }

    /// That at a place.
    pub(super) fn get(&self, place: u32) -> AnswerKind {
        match self.packed.get(place as usize) {
            None | Some(Packed::Plain) => AnswerKind::Plain,
            Some(&Packed::Question { state, shape }) => {
                let shape = Some(ShapeIdx(shape)).filter(|&ShapeIdx(shape)| shape != NO_SHAPE);
                AnswerKind::Question(Question { state: state.state(), shape })
            }
            Some(&Packed::Task(task)) => {
                let task = self.tasks.get(task as usize);
                task.map_or(AnswerKind::Plain, |&(handle, report)| AnswerKind::Task {
                    handle,
                    report,
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::State;
    use crate::frame::facts::StateIdx;

    #[test]
    fn answers_come_back_as_they_were() {
        let question = |state, shape| AnswerKind::Question(Question { state, shape });
        let report = TaskReport { task: None, status: None, is_error: true };
        let all = [
            AnswerKind::Plain,
            question(State::None, None),
            question(State::Hidden, Some(ShapeIdx(0))),
            AnswerKind::Task { handle: true, report },
            question(State::Is(StateIdx(7)), Some(ShapeIdx(3))),
            AnswerKind::Task { handle: false, report },
        ];
        let mut answers = Answers::default();
        for kind in all {
            answers.add(kind);
        }
        for (kind, place) in all.iter().zip(0..) {
            assert_eq!(format!("{:?}", answers.get(place)), format!("{kind:?}"));
        }
    }
}
