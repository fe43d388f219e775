//! The table: one line per figure, with its target if it has one.

/// One figure.
pub(crate) struct Row {
    pub(crate) figure: String,
    pub(crate) measured: String,
    /// The measurement relative to a baseline.
    pub(crate) relative: String,
    /// `None` for a figure that is only a baseline of others.
    pub(crate) target: Option<Target>,
}

/// A limit for a figure.
pub(crate) struct Target {
    pub(crate) text: String,
    pub(crate) is_met: bool,
}

impl Target {
    pub(crate) fn at_most(max: f64, value: f64, unit: &str) -> Option<Target> {
        Some(Target { text: format!("≤ {max}{unit}"), is_met: value <= max })
    }

    pub(crate) fn at_least(min: f64, value: f64, unit: &str) -> Option<Target> {
        Some(Target { text: format!("≥ {min}{unit}"), is_met: value >= min })
    }
}

pub(crate) fn heading() -> String {
    line(["figure", "measured", "relative", "target", "met?", "other load"])
}

impl Row {
    /// Creates a figure without a baseline and a target.
    pub(crate) fn plain(figure: &str, measured: String) -> Row {
        Row { figure: figure.to_owned(), measured, relative: String::new(), target: None }
    }

    /// Formats the figure as a line; `other_load` is the percentage of the machine that other processes used.
    pub(crate) fn line(&self, other_load: Option<f64>) -> String {
        let (target, met) = match &self.target {
            Some(target) => (target.text.as_str(), if target.is_met { "yes" } else { "NO" }),
            None => ("", ""),
        };
        let other_load = other_load.map(|percent| format!("{percent:.0} %")).unwrap_or_default();
        line([&self.figure, &self.measured, &self.relative, target, met, &other_load])
    }
}

fn line([figure, measured, relative, target, met, other_load]: [&str; 6]) -> String {
    format!("{figure:<44} {measured:>16} {relative:>24} {target:>14} {met:>5} {other_load:>10}")
}
