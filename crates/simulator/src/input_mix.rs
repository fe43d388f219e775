//! Mix of inputs that random players send.

/// Rates per thousand of each kind of input. All other inputs are legal answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InputMix {
    /// A legal draft, if the question accepts drafts.
    pub draft: u16,
    /// A timeout, if the question has a deadline.
    pub timeout: u16,
    /// A seat loses its connection.
    pub disconnect: u16,
    /// A seat concedes.
    pub concede: u16,
    /// A seat is removed.
    pub kick: u16,
    /// A seat starts or stops auto-passing.
    pub auto_pass: u16,
    /// A moderator ends the match.
    pub moderate: u16,
    /// An answer to a question that is no longer open.
    pub stale: u16,
    /// An invalid input.
    pub malformed: u16,
    /// Number of inputs, accepted or refused, after which play stops.
    pub max_inputs: u32,
    /// Number of inputs that made a rule fail, after which play stops.
    pub max_faults: u32,
}

impl InputMix {
    /// Returns a mix of legal answers only, which stops when a rule fails.
    #[must_use]
    pub fn orderly() -> InputMix {
        InputMix {
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

    /// Returns a mix in which every kind of input occurs.
    #[must_use]
    pub fn chaotic() -> InputMix {
        InputMix {
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

    /// Returns the chaotic mix without leaving and without inputs that would be refused.
    #[must_use]
    pub fn varied() -> InputMix {
        InputMix {
            disconnect: 0,
            concede: 0,
            kick: 0,
            moderate: 0,
            stale: 0,
            malformed: 0,
            ..InputMix::chaotic()
        }
    }
}

impl Default for InputMix {
    fn default() -> InputMix {
        InputMix::orderly()
    }
}
