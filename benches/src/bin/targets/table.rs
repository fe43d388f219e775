//! The table: a line for each figure, with its target where it has one.

/// One figure.
pub(crate) struct Row {
    /// What was measured.
    pub(crate) figure: String,
    /// How long that took, or what it came to.
    pub(crate) measured: String,
    /// What it is compared with, and the outcome.
    pub(crate) compared: String,
    /// What is aimed at; nothing if the figure is only there to compare with.
    pub(crate) target: Option<Target>,
}

/// What is aimed at, and whether it is met.
pub(crate) struct Target {
    pub(crate) text: String,
    pub(crate) is_met: bool,
}

impl Target {
    pub(crate) fn at_most(most: f64, value: f64, unit: &str) -> Option<Target> {
        Some(Target { text: format!("≤ {most}{unit}"), is_met: value <= most })
    }

    pub(crate) fn at_least(least: f64, value: f64, unit: &str) -> Option<Target> {
        Some(Target { text: format!("≥ {least}{unit}"), is_met: value >= least })
    }
}

pub(crate) fn heading() -> String {
    line(["figure", "measured", "compared", "target", "met?", "others"])
}

impl Row {
    /// A figure to compare others with.
    pub(crate) fn plain(figure: &str, measured: String) -> Row {
        Row { figure: figure.to_owned(), measured, compared: String::new(), target: None }
    }

    /// The figure as a line; `others` is the percentage of the machine that somebody else took.
    pub(crate) fn line(&self, others: Option<f64>) -> String {
        let (target, met) = match &self.target {
            Some(target) => (target.text.as_str(), if target.is_met { "yes" } else { "NO" }),
            None => ("", ""),
        };
        let others = others.map(|others| format!("{others:.0} %")).unwrap_or_default();
        line([&self.figure, &self.measured, &self.compared, target, met, &others])
    }
}

fn line([figure, measured, compared, target, met, others]: [&str; 6]) -> String {
    format!("{figure:<44} {measured:>16} {compared:>24} {target:>14} {met:>5} {others:>7}")
}
