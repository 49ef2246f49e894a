//! One mutation: which operator, at which site, and what to do where it does not apply.

use super::places::CANDIDATES;
use super::work::Workspace;
use super::yields::Maker;
use super::{APPROACH, FIRST, Operator, Outcome, SLIP, Session, TRANSPLANT, VERBATIM, operators};
use crate::id::ProductionId;
use crate::slip;

/// How often operators are drawn before they are tried in order.
const DRAWS: usize = 4;
/// How often an output that was made before is mutated on.
const REPEATS: usize = 2;
/// How often a mutant that is likely to crash as others have is made anew.
const AVOIDED: usize = 3;
/// How often a mutation is made again whose text reads as other tokens than its own.
const MISREAD_REPEATS: usize = 3;
/// What mutating an input with slips does, out of 1000: forgets them first; changes them rather than the derivation.
pub(super) const FORGET: u32 = 250;
const RESLIP: u32 = 300;

/// How many of 1000 mutations bring an input nearer to what the campaign is aimed at.
const AIMED: u32 = 500;

/// How many of 1000 inputs become whole texts of the engine's at most.
const MOST_VERBATIM: u32 = 500;

/// How many of 1000 inputs are made slightly invalid at most, if not more were asked for.
const MOST_ERRORS: u32 = 400;

/// While a campaign has yet to see much of the grammar: the mutations that give out an input of the covering set, out of 1000.
const OPEN: u32 = 800;

impl Session {
    /// One mutation, encoded. Others are made where it was made before, is likely to crash as others have, or reads as other tokens.
    pub(super) fn step(&mut self, shrink: bool) -> Outcome {
        self.step_from(shrink, Session::step_once)
    }

    /// The same that begins with another change.
    fn step_from(
        &mut self,
        shrink: bool,
        mut change: impl FnMut(&mut Session, bool) -> Outcome,
    ) -> Outcome {
        if shrink || self.work.is_mostly_new() {
            self.rebase();
        }
        // What was handed in with suspects is to be mutated with them: to be minimized, say.
        let avoids = self.work.steering.has_suspects() && self.crashes() == 0;
        let is_read = self.is_read();
        let (mut known, mut misread, mut avoided) = (0, 0, 0);
        let mut outcome = change(self, shrink);
        loop {
            self.encode();
            if outcome == Outcome::Exhausted {
                return outcome;
            }
            if is_read && misread < MISREAD_REPEATS && !self.is_read() {
                misread += 1;
                self.go_back();
            } else if !shrink && known < REPEATS && self.is_known() {
                known += 1;
            } else if avoids && self.is_to_be_avoided() {
                self.go_back();
                avoided += 1;
                if avoided > AVOIDED {
                    self.maker = None;
                    return Outcome::Exhausted;
                }
            } else {
                return outcome;
            }
            outcome = self.step_once(shrink);
        }
    }

    /// Makes the next input of the covering set that a campaign begins with the present one, of at most `max_size` bytes of
    /// choices and `max_len` of text. False if there is none, and now and then, as mutants of what came before are welcome.
    pub(super) fn open(&mut self, max_size: usize, max_len: usize) -> bool {
        self.has_begun = true;
        if self.steering == 0 || self.opening.is_over() || !self.draw(OPEN) {
            return false;
        }
        let graph = self.codec().graph().clone();
        let before = self.choices().to_vec();
        loop {
            let Workspace {
                steering, limits, ..
            } = &self.work;
            let mut opening = std::mem::take(&mut self.opening);
            let next = opening.next(&graph, steering, *limits);
            let is_over = next.is_none();
            if let Some(choices) = next {
                self.derive(choices);
            }
            self.opening = opening;
            if is_over {
                // What did not fit is not to be mutated in its place.
                self.adopt(&before);
                return false;
            }
            self.maker = None;
            let fits = self.choices().len() <= max_size && self.sentence().len() <= max_len;
            let is_read = self.work.graph().lexicon().is_none() || self.is_read();
            let is_new = self.choices() != before;
            if is_new
                && fits
                && is_read
                && !(self.work.steering.has_suspects() && self.is_to_be_avoided())
            {
                self.begin_with();
                return true;
            }
        }
    }

    /// The most crashes that had something of the present input's which no input has survived.
    fn crashes(&mut self) -> u16 {
        if self.is_verbatim() {
            return 0;
        }
        self.work.crashes()
    }

    /// Whether the present input is not to be run: the likelier, the more crashes were like it.
    fn is_to_be_avoided(&mut self) -> bool {
        let crashes = u32::from(self.crashes());
        crashes > 0 && self.work.rng.below(crashes + 1) > 0
    }

    /// One mutation of the derivation, or of its slips.
    fn step_once(&mut self, shrink: bool) -> Outcome {
        if self.is_verbatim() && self.step_verbatim(shrink) {
            return Outcome::Mutated(operators::Verbatim.name());
        }
        self.work.settle();
        if shrink && !self.work.slips.is_empty() {
            // Either may be what matters to the input.
            if self.draw(500) {
                self.forget_slip();
                self.maker = None;
                return Outcome::Mutated(operators::Slip.name());
            }
        } else if self.has_slips() {
            if self.errors == 0 || self.draw(FORGET) {
                self.work.slips.forgive();
            } else if self.draw(RESLIP) {
                if self.draw(300) {
                    self.forget_slip();
                }
                if self.apply_numbered(SLIP) {
                    return Outcome::Mutated(operators::Slip.name());
                }
            }
        } else if !shrink && self.errors > 0 {
            let share = (f64::from(self.errors) * self.yields.merit(SLIP)).round() as u32;
            if self.draw(share.min(MOST_ERRORS.max(self.errors))) && self.apply_numbered(SLIP) {
                return Outcome::Mutated(operators::Slip.name());
            }
            let share = (f64::from(self.verbatim) * self.yields.merit(VERBATIM)).round() as u32;
            if self.draw(share.min(MOST_VERBATIM)) && self.change_verbatim() {
                return Outcome::Mutated(operators::Verbatim.name());
            }
        }
        self.change(shrink)
    }

    fn forget_slip(&mut self) {
        let i = self.work.rng.index(self.work.slips.len());
        self.work.slips.remove(i);
    }

    /// One mutation that takes a part of another input, if one fits.
    pub(super) fn transplant(&mut self, donor: &[u8], shrink: bool) -> Outcome {
        self.step_from(shrink, |session, shrink| {
            if !shrink && session.is_verbatim() && session.cross_verbatim(donor) {
                return Outcome::Mutated(operators::Verbatim.name());
            }
            session.work.settle();
            if session.errors == 0 || session.is_verbatim() {
                session.work.slips.forgive();
            }
            session.enter_donor(slip::split(donor).0);
            let outcome = match session.apply_numbered(TRANSPLANT) {
                true => Outcome::Mutated(operators::Transplant.name()),
                false => session.change(shrink),
            };
            session.leave_donor();
            outcome
        })
    }

    /// Changes the derivation by one operator.
    pub(super) fn change(&mut self, shrink: bool) -> Outcome {
        let approaches = self.work.aim.is_some() && !shrink && self.draw(AIMED);
        if approaches && self.apply_numbered(APPROACH) {
            return Outcome::Mutated(operators::Approach.name());
        }
        for _ in 0..DRAWS {
            let number = self.yields.draw(&mut self.work.rng);
            if (!shrink || self.operators[number].shrinks()) && self.apply_numbered(number) {
                return Outcome::Mutated(self.operators[number].name());
            }
        }
        let count = self.operators.len() - FIRST;
        let first = self.work.rng.index(count);
        for at in 0..count {
            let number = FIRST + (first + at) % count;
            if (!shrink || self.operators[number].shrinks()) && self.apply_numbered(number) {
                return Outcome::Mutated(self.operators[number].name());
            }
        }
        self.maker = None;
        Outcome::Exhausted
    }

    /// Applies an operator at a site that promises something, and takes note that the present input is its work.
    pub(super) fn apply_numbered(&mut self, number: usize) -> bool {
        let Some((site, place)) = self.draw_site(number) else {
            return false;
        };
        let operators = std::mem::take(&mut self.operators);
        let applied = match operators.get(number) {
            Some(operator) => self.attempt(&**operator, site),
            None => false,
        };
        self.operators = operators;
        if applied {
            self.maker = Some(Maker {
                operator: number,
                place,
            });
        }
        applied
    }

    /// Lets an operator work on a site; where it fails, nothing has changed.
    fn attempt(&mut self, operator: &dyn Operator, site: u32) -> bool {
        let applied = operator.apply(&mut self.work, site);
        match applied {
            true => self.work.commit(),
            false => self.work.edits.roll_back(),
        }
        applied
    }

    /// A site for an operator, by what its nonterminals have yielded, and the nonterminal.
    fn draw_site(&mut self, number: usize) -> Option<(u32, ProductionId)> {
        let operator = self.operators.get(number)?;
        if !operator.is_ready(&self.work) {
            return None;
        }
        let Some(kind) = operator.kind() else {
            return Some((0, self.work.nonterminal(0)));
        };
        let places = &self.yields.places;
        let choose =
            |candidates: &[_; CANDIDATES], rng: &mut _| places.draw(number, candidates, rng);
        self.work.draw_by(kind, choose)
    }

    /// Whether the present input was there before.
    fn is_known(&mut self) -> bool {
        let hash = self.hash();
        self.yields.knows(hash)
    }

    /// Remembers the present input as the work of its maker.
    pub(super) fn remember(&mut self) {
        if let Some(maker) = self.maker {
            let hash = self.hash();
            self.yields.made(hash, maker);
        }
    }

    /// Applies an operator at one of its sites, drawn uniformly.
    pub fn apply(&mut self, operator: &dyn Operator) -> bool {
        self.work.settle();
        let site = match operator.kind() {
            None => Some(0),
            Some(kind) => self.work.draw(kind),
        };
        site.is_some_and(|site| self.apply_at(operator, site))
    }

    /// Applies an operator at a site.
    pub(super) fn apply_at(&mut self, operator: &dyn Operator, site: u32) -> bool {
        self.work.settle();
        self.fill_whole();
        let applied = operator.is_ready(&self.work) && self.attempt(operator, site);
        if applied {
            self.maker = None;
            self.encode();
            self.render();
        }
        applied
    }
}
