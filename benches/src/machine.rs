//! How much of the machine others took while something was measured: a figure from a busy machine is another figure.

use std::io;

/// Processor time so far, in ticks of the system: of everyone, and of those who are measured.
pub struct Spent {
    all: u64,
    busy: u64,
    ours: u64,
}

impl Spent {
    /// What was spent until now, with the processes that count as ours and those they have waited for.
    ///
    /// # Errors
    ///
    /// If the system does not tell.
    pub fn until_now(ours: &[u32]) -> io::Result<Spent> {
        let (all, busy) = of_machine(&std::fs::read_to_string("/proc/stat")?).ok_or_else(untold)?;
        let mut spent = Spent { all, busy, ours: 0 };
        for process in ours {
            let stat = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
            spent.ours += of_process(&stat).ok_or_else(untold)?;
        }
        Ok(spent)
    }

    /// The percentage of the machine that others have taken since `earlier`.
    #[must_use]
    pub fn by_others_since(&self, earlier: &Spent) -> f64 {
        let ours = self.ours - earlier.ours;
        let others = (self.busy - earlier.busy).saturating_sub(ours);
        100.0 * others as f64 / (self.all - earlier.all).max(1) as f64
    }
}

fn untold() -> io::Error {
    io::Error::other("the system does not tell where its time goes")
}

/// The first line of `/proc/stat`: all ticks, and those that were neither idle nor waiting for a disk.
fn of_machine(stat: &str) -> Option<(u64, u64)> {
    let ticks = stat.lines().next()?.strip_prefix("cpu ")?.split_whitespace();
    let ticks: Vec<u64> = ticks.map(|ticks| ticks.parse().ok()).collect::<Option<_>>()?;
    // Those of guests, from the ninth on, are counted in the first ones as well.
    let all = ticks.iter().take(8).sum();
    Some((all, all - ticks.get(3)? - ticks.get(4)?))
}

/// `/proc/PID/stat`: in user mode and in the kernel, of the process and of those it has waited for. The name in brackets
/// may have spaces.
fn of_process(stat: &str) -> Option<u64> {
    let (_, fields) = stat.rsplit_once(')')?;
    let ticks = fields.split_whitespace().skip(11).take(4).map(|ticks| ticks.parse::<u64>().ok());
    ticks.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_and_waiting_ticks_are_not_busy() {
        assert_eq!(of_machine("cpu  10 1 5 70 4 0 2 8 9 9\ncpu0 …"), Some((100, 26)));
    }

    #[test]
    fn a_name_with_brackets_does_not_shift_the_fields() {
        let stat = "7 (a ) b) S 1 7 7 0 -1 4 1 2 3 4 250 50 6 3 20";
        assert_eq!(of_process(stat), Some(309));
    }

    #[test]
    fn what_we_spend_is_not_taken_by_others() {
        let before = Spent { all: 0, busy: 0, ours: 0 };
        let after = Spent { all: 200, busy: 150, ours: 100 };
        assert_eq!(after.by_others_since(&before), 25.0);
    }
}
