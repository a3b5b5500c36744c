//! Which request continues which call: the rules 0 to 3, rivals, claims.

use super::calls::{Call, Calls, Status};
use super::frames::{Kind, Request};
use super::head;
use super::params::{self, Carried, Question, State};

/// Within this of a question, something lost means that its state may not be minted for it alone.
const MINTED: i128 = 60_000_000_000;

/// What becomes of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decision {
    /// It begins a call.
    New,
    /// It is a call's next hop.
    Linked {
        /// The call.
        call: usize,
        /// The evidence.
        by: &'static str,
        /// What was wrong with its state.
        issue: Option<&'static str>,
    },
    /// Refused: it cannot be told what it continues.
    Ambiguous,
    /// Refused: its state belongs to another operation or to one that has gone on.
    Replayed,
}

/// A question whose request was not recorded.
pub struct Orphan {
    /// The question.
    pub question: Question,
    /// Whether something has continued it.
    pub used: bool,
}

/// How often retries of one kind were refused.
pub struct Claim {
    first: Request,
    carried: Carried,
    count: usize,
}

/// By which rule calls are sure.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rule {
    State,
    SentAgain,
    Keys,
}

/// What the rules say before rivals and losses are asked.
struct Sure {
    rule: Rule,
    calls: Vec<usize>,
    by: &'static str,
    sole_owner: bool,
}

impl Calls<'_> {
    /// What becomes of the request at `at`.
    pub fn link(&mut self, at: usize, request: &Request) -> Decision {
        let Some(carried) = params::carried(&self.frames[at], request) else {
            return Decision::New;
        };
        self.take_questions_ahead(at);
        let candidates = self.candidates(at, request);
        if let Some(call) = self.traced(&candidates, request) {
            return Decision::Linked { call, by: "trace_link", issue: None };
        }
        let sure = match self.sure(&candidates, request, &carried) {
            Ok(sure) => sure,
            Err(decision) => return decision,
        };
        let (mut rivals, mut orphans) = (Vec::new(), Vec::new());
        for call in &sure.calls {
            for rival in self.rivals(at, *call, request) {
                let minted = sure.sole_owner && self.minted(*call);
                if !minted && !rivals.contains(&rival) && !sure.calls.contains(&rival) {
                    rivals.push(rival);
                }
            }
        }
        if !sure.calls.is_empty() {
            orphans = self.rival_orphans(request, &carried, sure.rule);
        }
        let of = rivals.len() + orphans.len();
        if let ([call], 0) = (sure.calls.as_slice(), of) {
            let issue = match sure.rule {
                Rule::Keys => state_issue(self.calls[*call].parked(), &carried),
                _ => None,
            };
            if issue.is_none() || self.losses.is_empty() {
                return Decision::Linked { call: *call, by: sure.by, issue };
            }
        }
        let of = of + sure.calls.len();
        if !sure.calls.is_empty() && of >= 2 && self.claim(request, &carried) >= of {
            for call in sure.calls.iter().chain(&rivals) {
                self.calls[*call].seen_off = true;
            }
            for orphan in orphans {
                self.orphans[orphan].used = true;
            }
            self.claims.retain(|claim| !claim.is(request, &carried));
        }
        Decision::Ambiguous
    }

    /// Parked, still pending calls with the request's method and name.
    fn candidates(&self, at: usize, request: &Request) -> Vec<usize> {
        let name = params::name(request);
        let side = self.frames[at].side;
        let fits = |call: &Call| {
            call.parked().is_some()
                && !call.seen_off
                && call.side == side
                && call.first.method == request.method
                && params::names_fit(call.name.as_ref(), name.as_ref())
        };
        (0..self.calls.len()).filter(|call| fits(&self.calls[*call])).collect()
    }

    /// Rule 0.
    fn traced(&self, candidates: &[usize], request: &Request) -> Option<usize> {
        let link = params::meta(request, "io.modelcontextprotocol/tracelink")?;
        let traced: Vec<usize> = candidates
            .iter()
            .copied()
            .filter(|call| {
                params::meta(&self.calls[*call].first, "traceparent")
                    .is_some_and(|parent| params::same(parent, link))
            })
            .collect();
        if traced.len() == 1 { traced.first().copied() } else { None }
    }

    fn original(&self, call: usize, request: &Request) -> bool {
        let first = &self.calls[call].first;
        params::same_params(first, request) && !params::clients_differ(first, request)
    }

    fn holds_state(&self, call: usize, state: &State) -> bool {
        matches!(state, State::Known(_))
            && self.calls[call].parked().is_some_and(|question| question.state == *state)
    }

    /// Rules 1 to 3.
    fn sure(
        &mut self,
        candidates: &[usize],
        request: &Request,
        carried: &Carried,
    ) -> Result<Sure, Decision> {
        let state = &carried.state;
        if !matches!(state, State::Known(_)) {
            return self.by_keys(candidates, request, carried);
        }
        let owners: Vec<usize> = (0..self.calls.len())
            .filter(|call| self.calls[*call].questions().any(|question| question.state == *state))
            .collect();
        let orphan =
            self.orphans.iter().position(|orphan| !orphan.used && orphan.question.state == *state);
        let orphans =
            self.orphans.iter().filter(|it| !it.used && it.question.state == *state).count();
        let holding: Vec<usize> =
            candidates.iter().copied().filter(|call| self.holds_state(*call, state)).collect();
        if !holding.is_empty() {
            return Ok(self.by_state(&holding, owners.len() + orphans == 1, request, carried));
        }
        if let (Some(orphan), true) = (orphan, owners.is_empty()) {
            self.orphans[orphan].used = true;
            return Err(Decision::New);
        }
        if owners.is_empty() {
            return self.by_keys(candidates, request, carried);
        }
        if let ([owner], 0) = (owners.as_slice(), orphans)
            && self.sent_again(*owner, request, carried)
        {
            return Ok(Sure {
                rule: Rule::SentAgain,
                calls: vec![*owner],
                by: "request_state",
                sole_owner: true,
            });
        }
        let asked_so = |call: usize| {
            self.calls[call].questions().any(|it| it.state == *state && it.keys == carried.keys)
        };
        let left: Vec<usize> = owners
            .into_iter()
            .filter(|call| candidates.contains(call) && !asked_so(*call))
            .collect();
        if left.is_empty() {
            let lost = !self.losses.is_empty();
            return Err(if lost { Decision::Ambiguous } else { Decision::Replayed });
        }
        self.by_keys(&left, request, carried)
    }

    /// Rule 1.
    fn by_state(
        &self,
        holding: &[usize],
        sole_owner: bool,
        request: &Request,
        carried: &Carried,
    ) -> Sure {
        let with_keys: Vec<usize> = holding
            .iter()
            .copied()
            .filter(|call| self.calls[*call].parked().is_some_and(|it| it.keys == carried.keys))
            .collect();
        let calls = if sole_owner {
            holding.to_vec()
        } else {
            with_keys.iter().copied().filter(|call| self.original(*call, request)).collect()
        };
        let by = match (holding.len(), with_keys.len()) {
            (1, _) => "request_state",
            (_, 1) => "request_state+keys",
            _ => "request_state+arguments",
        };
        Sure { rule: Rule::State, calls, by, sole_owner }
    }

    /// Rule 2: a retry sent again after its connection dropped, or after it was refused.
    fn sent_again(&self, owner: usize, request: &Request, carried: &Carried) -> bool {
        let call = &self.calls[owner];
        let unanswered = |response: Option<usize>| match response.map(|at| &self.frames[at].kind) {
            None => true,
            Some(Kind::Response(response)) => response.error.is_some(),
            Some(_) => false,
        };
        let since = call.hops.iter().rev().take_while(|hop| hop.question.is_none());
        let name = params::name(request);
        matches!(call.status, Status::Pending | Status::Failed)
            && call.first.method == request.method
            && params::names_fit(call.name.as_ref(), name.as_ref())
            && self.original(owner, request)
            && call.latest_question().is_some_and(|question| question.state == carried.state)
            && since.clone().count() > 0
            && since.clone().all(|hop| unanswered(hop.response))
    }

    /// Rule 3.
    fn by_keys(
        &self,
        candidates: &[usize],
        request: &Request,
        carried: &Carried,
    ) -> Result<Sure, Decision> {
        let hidden = carried.state == State::Hidden;
        let with_keys: Vec<usize> = candidates
            .iter()
            .copied()
            .filter(|call| {
                self.calls[*call].parked().is_some_and(|question| {
                    question.keys == carried.keys
                        && if hidden {
                            question.state == State::Hidden
                        } else {
                            !question.keys.is_empty()
                        }
                })
            })
            .collect();
        if with_keys.is_empty() {
            return Err(Decision::New);
        }
        let calls =
            with_keys.iter().copied().filter(|call| self.original(*call, request)).collect();
        let by = match (hidden, with_keys.len()) {
            (false, 1) => "input_keys",
            (false, _) => "input_keys+arguments",
            (true, 1) => "redacted_state",
            (true, _) => "redacted_state+arguments",
        };
        Ok(Sure { rule: Rule::Keys, calls, by, sole_owner: false })
    }

    /// The calls whose question may be what was not seen.
    fn rivals(&self, at: usize, candidate: usize, request: &Request) -> Vec<usize> {
        let of = &self.calls[candidate];
        let rivals = |other: &Call| {
            other.side == of.side
                && other.first.method == of.first.method
                && params::names_fit(other.name.as_ref(), of.name.as_ref())
                && (params::same_params(&other.first, &of.first)
                    || params::same_params(&other.first, request))
                && !other.seen_off
                && other.parked().is_none()
                && (self.may_have_asked(other) || self.cut_question(other))
        };
        (0..self.calls.len())
            .filter(|call| *call != candidate && self.calls[*call].hops[0].request < at)
            .filter(|call| rivals(&self.calls[*call]))
            .collect()
    }

    /// Pending with an open hop since which something was lost.
    fn may_have_asked(&self, call: &Call) -> bool {
        call.status == Status::Pending
            && call.open()
            && call
                .hops
                .last()
                .is_some_and(|hop| self.losses.iter().any(|lost| *lost > hop.request))
    }

    /// Settled by a cut answer that may have been a question.
    fn cut_question(&self, call: &Call) -> bool {
        call.status == Status::Unreadable
            && call.hops.last().and_then(|hop| hop.response).is_some_and(|at| {
                match &self.frames[at].kind {
                    Kind::Response(response) => {
                        response.cut.as_deref().is_some_and(|it| !head::shows_no_question(it))
                    }
                    _ => false,
                }
            })
    }

    /// The orphans that the retry may continue.
    fn rival_orphans(&self, request: &Request, carried: &Carried, rule: Rule) -> Vec<usize> {
        let roots = self.calls.iter().filter(|call| {
            call.first.method == request.method && params::same_params(&call.first, request)
        });
        if rule == Rule::State && params::has_arguments(request) && roots.count() == 1 {
            return Vec::new();
        }
        (0..self.orphans.len())
            .filter(|orphan| {
                let orphan = &self.orphans[*orphan];
                // A hidden state equals nothing.
                !orphan.used
                    && carried.state != State::Hidden
                    && orphan.question.state == carried.state
                    && orphan.question.keys == carried.keys
            })
            .collect()
    }

    /// Whether states are minted for each question, and nothing was lost near this call's.
    fn minted(&self, call: usize) -> bool {
        let twice = |state: &String| self.states.iter().filter(|it| *it == state).count() > 1;
        if self.states.len() < 2 || self.states.iter().any(twice) {
            return false;
        }
        let Some(question) = self.calls[call].latest_question() else { return false };
        let asked = self.frames[question.frame].ts;
        self.losses.iter().all(|lost| (self.frames[*lost].ts - asked).abs() > MINTED)
    }

    /// Counts a claim, and says how many there are of its signature.
    fn claim(&mut self, request: &Request, carried: &Carried) -> usize {
        if let Some(claim) = self.claims.iter_mut().find(|claim| claim.is(request, carried)) {
            claim.count += 1;
            return claim.count;
        }
        self.claims.push(Claim { first: request.clone(), carried: carried.clone(), count: 1 });
        1
    }
}

impl Claim {
    fn is(&self, request: &Request, carried: &Carried) -> bool {
        self.first.method == request.method
            && params::name(&self.first) == params::name(request)
            && params::same_params(&self.first, request)
            && self.carried == *carried
    }
}

/// What was wrong with the state that a retry brought.
fn state_issue(asked: Option<&Question>, carried: &Carried) -> Option<&'static str> {
    match (&asked?.state, &carried.state) {
        (State::Known(_), State::Absent) => Some("missing"),
        (State::Absent, State::Known(_)) => Some("invented"),
        (State::Known(issued), State::Known(sent)) if issued != sent => Some("changed"),
        _ => None,
    }
}
