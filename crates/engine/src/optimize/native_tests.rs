//! Tests that need no code to run: the conditions of actions, found in their code when a program is loaded.
//!
//! Most conditions compare one number with another: whose turn it is, what a card costs, how many there are in a zone. The
//! search for offers tests those itself for all hosts, and enters only the code of hosts that have more to compute.

use intermezzo_program::{FlowInfo, Instr, NULL, Reg, Word, ZoneId};

use crate::optimize::program_index::ProgramIndex;
use crate::storage::board::{Entity, PhaseEntry};
use crate::storage::zones::ZoneTable;

/// The entity that a test reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Subject {
    Host,
    Actor,
    Match,
}

/// A comparison with a number, for which a test fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FailsIf {
    Equal,
    Other,
    Less,
    AtMost,
    More,
    AtLeast,
}

/// A test of a host and an actor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NativeTest {
    /// It is the actor's turn.
    ActorIsActive,
    /// A cell is set.
    Flag { of: Subject, column: u16 },
    /// A cell is compared with a number.
    Cell { of: Subject, column: u16, fails_if: FailsIf, value: i16 },
    /// The number of entities in a shared zone.
    SharedZone { zone: ZoneId, fails_if: FailsIf, value: i16 },
    /// The number of entities in a zone of an entity.
    OwnZone { of: Subject, zone: ZoneId, fails_if: FailsIf, value: i16 },
    /// A cell, such as a cost, is at most another.
    AtMost { of: Subject, column: u16, limit_of: Subject, limit: u16 },
}

impl Subject {
    fn of(reg: Reg) -> Option<Subject> {
        match reg {
            Reg::SELF => Some(Subject::Host),
            Reg::ACTOR => Some(Subject::Actor),
            _ => None,
        }
    }
}

/// The parts of a match that tests read.
#[derive(Clone, Copy)]
pub(crate) struct TestScene<'a> {
    pub(crate) tables: &'a ProgramIndex,
    pub(crate) cells: &'a [Word],
    pub(crate) zones: &'a ZoneTable,
    pub(crate) phases: &'a [PhaseEntry],
    pub(crate) actor: Word,
    pub(crate) actor_row: &'a Entity,
    pub(crate) match_row: &'a Entity,
}

impl TestScene<'_> {
    #[inline]
    fn row<'a>(&'a self, of: Subject, host: &'a Entity) -> &'a Entity {
        match of {
            Subject::Host => host,
            Subject::Actor => self.actor_row,
            Subject::Match => self.match_row,
        }
    }

    /// Returns the value of a cell, unless it is null or code has to report that there is none.
    #[inline]
    fn cell(&self, of: Subject, host: &Entity, column: u16) -> Option<Word> {
        let row = self.row(of, host);
        let cell = self.cells.get(row.base as usize + usize::from(column));
        cell.copied().filter(|value| column < row.columns && *value != NULL)
    }

    /// Returns the number of entities in a zone.
    #[inline]
    fn count(&self, zone: u32) -> Option<Word> {
        self.zones.head(zone).map(|head| Word::from(head.len()))
    }

    /// Returns the result of several tests of a host, unless code has to run or to report a fault.
    #[inline]
    pub(crate) fn all_hold(&self, tests: &[NativeTest], host: &Entity) -> Option<bool> {
        for test in tests {
            if !test.holds(self, host)? {
                return Some(false);
            }
        }
        Some(true)
    }
}

impl FailsIf {
    #[inline]
    fn allows(self, number: Word, value: i16) -> bool {
        let value = Word::from(value);
        !match self {
            FailsIf::Equal => number == value,
            FailsIf::Other => number != value,
            FailsIf::Less => number < value,
            FailsIf::AtMost => number <= value,
            FailsIf::More => number > value,
            FailsIf::AtLeast => number >= value,
        }
    }
}

impl NativeTest {
    /// Returns its result, unless code has to run or to report a fault.
    #[inline]
    fn holds(self, scene: &TestScene<'_>, host: &Entity) -> Option<bool> {
        match self {
            NativeTest::ActorIsActive => {
                let players = scene.phases.iter().rev().map(|phase| phase.player);
                players.into_iter().find(|player| *player != NULL).map(|active| active == scene.actor)
            }
            NativeTest::Flag { of, column } => scene.cell(of, host, column).map(|flag| flag != 0),
            NativeTest::Cell { of, column, fails_if, value } => {
                scene.cell(of, host, column).map(|number| fails_if.allows(number, value))
            }
            NativeTest::SharedZone { zone, fails_if, value } => {
                let instance = u32::try_from(scene.tables.single_zone(zone)).ok()?;
                scene.count(instance).map(|count| fails_if.allows(count, value))
            }
            NativeTest::OwnZone { of, zone, fails_if, value } => {
                let row = scene.row(of, host);
                let instance = row.zones + scene.tables.slot(row.kind, zone)?;
                scene.count(instance).map(|count| fails_if.allows(count, value))
            }
            NativeTest::AtMost { of, column, limit_of, limit } => {
                let (number, limit) = (scene.cell(of, host, column)?, scene.cell(limit_of, host, limit)?);
                Some(number <= limit)
            }
        }
    }

    /// Finds the test that the code at `at` begins with. Returns it with its length and the address to which it goes if it fails.
    fn find(code: &[Instr], at: usize) -> Option<(NativeTest, usize, usize)> {
        let compared = |instr: &Instr, number: Reg, length: usize| {
            let (a, fails_if, value, skip) = match *instr {
                Instr::SkipEqInt { a, value, skip } => (a, FailsIf::Equal, value, skip),
                Instr::SkipNeInt { a, value, skip } => (a, FailsIf::Other, value, skip),
                Instr::SkipLtInt { a, value, skip } => (a, FailsIf::Less, value, skip),
                Instr::SkipLeInt { a, value, skip } => (a, FailsIf::AtMost, value, skip),
                Instr::SkipGtInt { a, value, skip } => (a, FailsIf::More, value, skip),
                Instr::SkipGeInt { a, value, skip } => (a, FailsIf::AtLeast, value, skip),
                _ => return None,
            };
            (a == number).then_some((fails_if, value, at + length + usize::from(skip)))
        };
        let flagged = |of, column, dst: Reg, branch: &Instr| match branch {
            Instr::JumpUnless { cond, to } if *cond == dst => {
                Some((NativeTest::Flag { of, column }, 2, *to as usize))
            }
            branch => {
                let (fails_if, value, to) = compared(branch, dst, 2)?;
                Some((NativeTest::Cell { of, column, fails_if, value }, 2, to))
            }
        };
        match code.get(at..)? {
            [
                Instr::Prop { dst: own, entity, column },
                Instr::Prop { dst: of_other, entity: other, column: limit },
                Instr::SkipLt { a, b, skip },
                ..,
            ] if (a, b) == (of_other, own) && own != of_other && own != other => {
                let (of, limit_of) = (Subject::of(*entity)?, Subject::of(*other)?);
                let test = NativeTest::AtMost { of, column: *column, limit_of, limit: *limit };
                Some((test, 3, at + 3 + usize::from(*skip)))
            }
            [Instr::Prop { dst, entity, column }, branch, ..] => {
                flagged(Subject::of(*entity)?, *column, *dst, branch)
            }
            [Instr::MatchProp { dst, column }, branch, ..] => flagged(Subject::Match, *column, *dst, branch),
            [Instr::TheZone { dst: zone_at, zone }, Instr::ZoneLen { dst, zone: read }, branch, ..]
                if read == zone_at =>
            {
                let (fails_if, value, to) = compared(branch, *dst, 3)?;
                Some((NativeTest::SharedZone { zone: *zone, fails_if, value }, 3, to))
            }
            [
                Instr::ZoneOf { dst: zone_at, entity, zone },
                Instr::ZoneLen { dst, zone: read },
                branch,
                ..,
            ] if read == zone_at => {
                let (of, (fails_if, value, to)) = (Subject::of(*entity)?, compared(branch, *dst, 3)?);
                Some((NativeTest::OwnZone { of, zone: *zone, fails_if, value }, 3, to))
            }
            [
                Instr::Flow { dst, what: FlowInfo::Active },
                Instr::Assert { value },
                Instr::SkipNe { a, b, skip },
                ..,
            ] if value == dst && [(Reg::ACTOR, *dst), (*dst, Reg::ACTOR)].contains(&(*a, *b)) => {
                Some((NativeTest::ActorIsActive, 3, at + 3 + usize::from(*skip)))
            }
            _ => None,
        }
    }

    /// Finds the tests that some code begins with, which all go to the same address if they fail. Returns their length and
    /// that address, too; no tests have no such address.
    pub(crate) fn find_all(code: &[Instr], start: usize) -> (Vec<NativeTest>, usize, Option<usize>) {
        let (mut tests, mut at, mut end) = (Vec::new(), start, None);
        while let Some((test, length, to)) = NativeTest::find(code, at) {
            if *end.get_or_insert(to) != to {
                break;
            }
            tests.push(test);
            at += length;
        }
        (tests, at - start, end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Reg = Reg(9);
    const B: Reg = Reg(10);
    const STACK: ZoneId = ZoneId(0);

    #[test]
    fn tests_that_fail_to_the_same_address_are_found_together() {
        let code = [
            Instr::TheZone { dst: A, zone: STACK },
            Instr::ZoneLen { dst: A, zone: A },
            Instr::SkipNeInt { a: A, value: 0, skip: 7 },
            Instr::Flow { dst: A, what: FlowInfo::Active },
            Instr::Assert { value: A },
            Instr::SkipNe { a: Reg::ACTOR, b: A, skip: 4 },
            Instr::Prop { dst: A, entity: Reg::SELF, column: 1 },
            Instr::Prop { dst: B, entity: Reg::ACTOR, column: 2 },
            Instr::SkipLt { a: B, b: A, skip: 1 },
            Instr::Done {},
            Instr::Fail { code: intermezzo_program::FaultCode::Missing },
        ];
        let (tests, length, end) = NativeTest::find_all(&code, 0);
        let cost = NativeTest::AtMost { of: Subject::Host, column: 1, limit_of: Subject::Actor, limit: 2 };
        let is_empty = NativeTest::SharedZone { zone: STACK, fails_if: FailsIf::Other, value: 0 };
        assert_eq!((tests, length, end), (vec![is_empty, NativeTest::ActorIsActive, cost], 9, Some(10)));
    }

    #[test]
    fn tests_end_where_one_goes_elsewhere_or_computes_more() {
        let flag = Instr::Prop { dst: A, entity: Reg::SELF, column: 5 };
        let code = [
            flag,
            Instr::JumpUnless { cond: A, to: 6 },
            flag,
            Instr::JumpUnless { cond: A, to: 5 },
            Instr::Done {},
            Instr::Done {},
            Instr::Done {},
        ];
        let (tests, length, end) = NativeTest::find_all(&code, 0);
        assert_eq!((tests.len(), length, end), (1, 2, Some(6)));
        let computed = [flag, Instr::Not { dst: A, a: A }, Instr::JumpUnless { cond: A, to: 0 }];
        assert_eq!(NativeTest::find_all(&computed, 0), (Vec::new(), 0, None));
        // What a limit is read from must not be what was read before.
        let again = [
            Instr::Prop { dst: Reg::ACTOR, entity: Reg::SELF, column: 1 },
            Instr::Prop { dst: B, entity: Reg::ACTOR, column: 2 },
            Instr::SkipLt { a: B, b: Reg::ACTOR, skip: 0 },
        ];
        assert_eq!(NativeTest::find_all(&again, 0).1, 0);
    }

    #[test]
    fn comparisons_fail_as_the_instructions_do() {
        let allowed =
            |fails_if: FailsIf| (0..3).filter(|number| fails_if.allows(*number, 1)).collect::<Vec<_>>();
        assert_eq!(allowed(FailsIf::Equal), [0, 2]);
        assert_eq!(allowed(FailsIf::Other), [1]);
        assert_eq!(allowed(FailsIf::Less), [1, 2]);
        assert_eq!(allowed(FailsIf::AtMost), [2]);
        assert_eq!(allowed(FailsIf::More), [0, 1]);
        assert_eq!(allowed(FailsIf::AtLeast), [0]);
    }
}
