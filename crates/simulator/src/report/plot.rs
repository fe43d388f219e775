//! Small SVG plots of distributions, shares and differences. The page's style sheet sets their colours.

use std::fmt::Write;

use super::numbers::Estimate;
use crate::statistics::LengthDistribution;

const MAX_BARS: u32 = 40;
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 150.0;
/// Margins for the numbers below, and on both sides.
const FOOT: f64 = 22.0;
const SIDE: f64 = 8.0;

/// Draws a histogram. The last bar holds all outliers.
pub(crate) fn histogram(lengths: &LengthDistribution, unit: &str) -> String {
    let bars = bars(lengths);
    let most = bars.iter().map(|(_, _, count)| *count).max().unwrap_or(0).max(1) as f64;
    let all = lengths.matches().max(1) as f64;
    let wide = (WIDTH - 2.0 * SIDE) / bars.len().max(1) as f64;
    let (width, height) = (WIDTH, HEIGHT + FOOT);
    let (median, p95) = (lengths.percentile(50), lengths.percentile(95));
    let mut svg = format!(
        "<svg class=\"plot\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"Number of {unit} per match: \
         median {median}, 95th percentile {p95}.\">"
    );
    for (at, (low, high, count)) in bars.iter().enumerate() {
        let (x, tall) = (SIDE + at as f64 * wide, *count as f64 / most * (HEIGHT - 6.0));
        let name = if low == high { low.to_string() } else { format!("{low} to {high}") };
        let share = *count as f64 / all * 100.0;
        let _ = write!(
            svg,
            "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{tall:.1}\"><title>{name} {unit}: {count} matches, \
             {share:.1} %</title></rect>",
            HEIGHT - tall,
            (wide - 1.5).max(1.0)
        );
    }
    let _ = write!(svg, "<line x1=\"0\" y1=\"{HEIGHT}\" x2=\"{WIDTH}\" y2=\"{HEIGHT}\"/>");
    // About eight numbers fit below the axis.
    for (at, (low, ..)) in bars.iter().enumerate().step_by(bars.len().div_ceil(8).max(1)) {
        let x = SIDE + (at as f64 + 0.5) * wide;
        let _ = write!(svg, "<text x=\"{x:.1}\" y=\"{:.1}\">{low}</text>", HEIGHT + 16.0);
    }
    svg.push_str("</svg>");
    svg
}

/// Returns ranges of lengths with their number of matches.
fn bars(lengths: &LengthDistribution) -> Vec<(u32, u32, u64)> {
    let Some((least, _)) = lengths.counts().next() else { return Vec::new() };
    // A few endless matches must not squeeze all others into one bar.
    let last = lengths.percentile(99).max(least);
    let step = (last - least + 1).div_ceil(MAX_BARS).max(1);
    let count = (last - least) / step + 1;
    let mut bars: Vec<(u32, u32, u64)> =
        (0..count).map(|at| (least + at * step, least + (at + 1) * step - 1, 0)).collect();
    for (length, matches) in lengths.counts() {
        let at = ((length - least) / step).min(count - 1) as usize;
        bars[at].1 = bars[at].1.max(length);
        bars[at].2 += matches;
    }
    bars
}

/// Draws a bar for a share.
pub(crate) fn bar(share: f64) -> String {
    let long = share.clamp(0.0, 1.0) * 116.0;
    format!(
        "<svg class=\"whisker\" viewBox=\"0 0 120 14\" aria-hidden=\"true\"><rect class=\"rest\" x=\"2\" y=\"3\" width=\"116\" \
         height=\"8\"/><rect x=\"2\" y=\"3\" width=\"{long:.1}\" height=\"8\"/></svg>"
    )
}

/// Draws a share as a dot with its interval, from 0 to 1.
pub(crate) fn share(estimate: &Estimate) -> String {
    whisker(estimate, 0.0, 1.0, "whisker")
}

/// Draws a difference as a dot with its interval, clipped to -`reach` … `reach`.
pub(crate) fn difference(estimate: &Estimate, reach: f64) -> String {
    let class = match (estimate.is_significant(), estimate.value > 0.0) {
        (false, _) => "whisker",
        (true, true) => "whisker more",
        (true, false) => "whisker less",
    };
    whisker(estimate, -reach, reach, class)
}

fn whisker(estimate: &Estimate, from: f64, to: f64, class: &str) -> String {
    let x = |value: f64| 3.0 + ((value - from) / (to - from)).clamp(0.0, 1.0) * 114.0;
    let middle = x((from + to) / 2.0);
    let (low, dot, high) = (x(estimate.low), x(estimate.value), x(estimate.high));
    format!(
        "<svg class=\"{class}\" viewBox=\"0 0 120 14\" aria-hidden=\"true\"><line class=\"axis\" x1=\"2\" y1=\"7\" x2=\"118\" \
         y2=\"7\"/><line class=\"axis\" x1=\"{middle:.1}\" y1=\"0\" \
         x2=\"{middle:.1}\" y2=\"14\"/><line x1=\"{low:.1}\" y1=\"7\" x2=\"{high:.1}\" y2=\"7\"/><circle cx=\"{dot:.1}\" \
         cy=\"7\" r=\"3\"/></svg>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_match_is_in_one_bar() {
        let mut lengths = LengthDistribution::default();
        (10..400).for_each(|length| lengths.add(length, u64::from(length % 7)));
        lengths.add(100_000, 2);
        let bars = bars(&lengths);
        assert_eq!(bars.iter().map(|(_, _, count)| count).sum::<u64>(), lengths.matches());
        assert!(
            bars.len() <= MAX_BARS as usize && bars.windows(2).all(|pair| pair[0].1 < pair[1].0),
            "{bars:?}"
        );
        assert_eq!(bars.last().map(|bar| bar.1), Some(100_000));
        assert!(histogram(&LengthDistribution::default(), "inputs").ends_with("</svg>"));
    }
}
