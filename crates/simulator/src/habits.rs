//! How random players behave.

/// How often random players do what, in a thousand inputs each. What is left are legal answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Habits {
    /// A legal draft, where drafts are taken.
    pub draft: u16,
    /// The clock runs out, where there is a deadline.
    pub timeout: u16,
    /// A seat loses its connection.
    pub disconnect: u16,
    /// A seat gives up.
    pub concede: u16,
    /// A seat is removed.
    pub kick: u16,
    /// A seat begins or ceases to pass by itself.
    pub auto_pass: u16,
    /// A moderator ends the match.
    pub moderate: u16,
    /// An answer to a question that is no longer open.
    pub stale: u16,
    /// Something that is wrong in itself.
    pub malformed: u16,
    /// Stop after so many inputs, taken or refused.
    pub max_inputs: u32,
    /// Stop after so many inputs that made a rule fail.
    pub max_faults: u32,
}

impl Habits {
    /// Everyone answers, legally and in time, until a rule fails.
    #[must_use]
    pub fn orderly() -> Habits {
        Habits {
            draft: 0,
            timeout: 0,
            disconnect: 0,
            concede: 0,
            kick: 0,
            auto_pass: 0,
            moderate: 0,
            stale: 0,
            malformed: 0,
            max_inputs: 10_000,
            max_faults: 1,
        }
    }

    /// Everything that can happen happens now and then.
    #[must_use]
    pub fn unruly() -> Habits {
        Habits {
            draft: 80,
            timeout: 60,
            disconnect: 6,
            concede: 3,
            kick: 2,
            auto_pass: 12,
            moderate: 1,
            stale: 40,
            malformed: 80,
            max_inputs: 400,
            max_faults: u32::MAX,
        }
    }

    /// As unruly, but nobody leaves and nobody sends what would be refused.
    #[must_use]
    pub fn lively() -> Habits {
        Habits { disconnect: 0, concede: 0, kick: 0, moderate: 0, stale: 0, malformed: 0, ..Habits::unruly() }
    }
}

impl Default for Habits {
    fn default() -> Habits {
        Habits::orderly()
    }
}
