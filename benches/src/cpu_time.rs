//! Processor time used by other processes during a measurement: figures from a busy machine are not comparable.

use std::io;

/// Processor time since boot, in system ticks.
pub struct CpuTime {
    all: u64,
    busy: u64,
    /// Ticks of the measured processes.
    ours: u64,
}

impl CpuTime {
    /// Reads the time used until now. `ours` are the measured processes; children they have waited for count too.
    ///
    /// # Errors
    ///
    /// If `/proc` cannot be read.
    pub fn until_now(ours: &[u32]) -> io::Result<CpuTime> {
        let (all, busy) = machine_ticks(&std::fs::read_to_string("/proc/stat")?).ok_or_else(unavailable)?;
        let mut time = CpuTime { all, busy, ours: 0 };
        for process in ours {
            let stat = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
            time.ours += process_ticks(&stat).ok_or_else(unavailable)?;
        }
        Ok(time)
    }

    /// Returns the percentage of the machine that other processes used since `earlier`.
    #[must_use]
    pub fn by_others_since(&self, earlier: &CpuTime) -> f64 {
        let ours = self.ours - earlier.ours;
        let others = (self.busy - earlier.busy).saturating_sub(ours);
        100.0 * others as f64 / (self.all - earlier.all).max(1) as f64
    }
}

fn unavailable() -> io::Error {
    io::Error::other("processor times cannot be read from /proc")
}

/// Reads the first line of `/proc/stat`. Returns all ticks, and those that were neither idle nor waiting for a disk.
fn machine_ticks(stat: &str) -> Option<(u64, u64)> {
    let ticks = stat.lines().next()?.strip_prefix("cpu ")?.split_whitespace();
    let ticks: Vec<u64> = ticks.map(|ticks| ticks.parse().ok()).collect::<Option<_>>()?;
    // Ticks of virtual guests, from the ninth field on, are included in the first fields.
    let all = ticks.iter().take(8).sum();
    Some((all, all - ticks.get(3)? - ticks.get(4)?))
}

/// Reads `/proc/PID/stat`. Returns the ticks in user and kernel mode of the process and of the children it has waited for.
fn process_ticks(stat: &str) -> Option<u64> {
    // The process name in brackets may contain spaces and brackets.
    let (_, fields) = stat.rsplit_once(')')?;
    let ticks = fields.split_whitespace().skip(11).take(4).map(|ticks| ticks.parse::<u64>().ok());
    ticks.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_and_waiting_ticks_are_not_busy() {
        assert_eq!(machine_ticks("cpu  10 1 5 70 4 0 2 8 9 9\ncpu0 …"), Some((100, 26)));
    }

    #[test]
    fn a_name_with_brackets_does_not_shift_the_fields() {
        let stat = "7 (a ) b) S 1 7 7 0 -1 4 1 2 3 4 250 50 6 3 20";
        assert_eq!(process_ticks(stat), Some(309));
    }

    #[test]
    fn our_own_time_does_not_count_as_other_load() {
        let before = CpuTime { all: 0, busy: 0, ours: 0 };
        let after = CpuTime { all: 200, busy: 150, ours: 100 };
        assert_eq!(after.by_others_since(&before), 25.0);
    }
}
