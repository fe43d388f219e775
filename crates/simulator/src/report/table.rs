//! Tables of reports, for the terminal and for pages.

use super::numbers::Estimate;

/// Content of a table cell.
#[derive(Clone, PartialEq, Debug)]
pub enum TableCell {
    Text(String),
    Count(u64),
    /// Number and its decimals.
    Number(f64, usize),
    /// Share with its interval, plotted from 0 to 1.
    Share(Estimate),
    /// Mean with its interval.
    Mean(Estimate),
    /// Share without an interval.
    Percent(f64),
    /// Difference of shares with its interval.
    Points(Estimate),
    /// Difference of other numbers with its interval.
    Difference(Estimate),
    /// Empty cell.
    Nothing,
}

impl TableCell {
    /// Returns the text of the cell.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            TableCell::Text(text) => text.clone(),
            TableCell::Count(count) => count.to_string(),
            TableCell::Number(number, decimals) => format!("{number:.decimals$}"),
            TableCell::Percent(share) => percent(*share),
            TableCell::Share(Estimate { value, low, high }) => {
                format!("{:>7}  {:>7} – {:>7}", percent(*value), percent(*low), percent(*high))
            }
            TableCell::Mean(Estimate { value, low, high }) => {
                format!("{value:>8.2}  {low:>8.2} – {high:>8.2}")
            }
            TableCell::Points(estimate) => {
                let Estimate { value, low, high } = estimate;
                let points = |share: f64| format!("{:+.1}", share * 100.0);
                format!("{:>6} ({} … {}) {}", points(*value), points(*low), points(*high), mark(estimate))
            }
            TableCell::Difference(estimate) => {
                let Estimate { value, low, high } = estimate;
                format!("{value:+.2} ({low:+.2} … {high:+.2}) {}", mark(estimate))
            }
            TableCell::Nothing => String::new(),
        }
    }

    /// Returns the number by which rows are sorted.
    #[must_use]
    pub fn value(&self) -> Option<f64> {
        match self {
            TableCell::Text(_) | TableCell::Nothing => None,
            TableCell::Count(count) => Some(*count as f64),
            TableCell::Number(number, _) | TableCell::Percent(number) => Some(*number),
            TableCell::Share(estimate)
            | TableCell::Mean(estimate)
            | TableCell::Points(estimate)
            | TableCell::Difference(estimate) => Some(estimate.value),
        }
    }
}

/// Returns the mark of a significant difference, with its direction.
fn mark(estimate: &Estimate) -> &'static str {
    match (estimate.is_significant(), estimate.value > 0.0) {
        (false, _) => " ",
        (true, true) => "▲",
        (true, false) => "▼",
    }
}

/// Formats a share in per cent.
#[must_use]
pub fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// Table with a title.
#[derive(Clone, PartialEq, Debug)]
pub struct ReportTable {
    pub title: String,
    /// Explanation for readers.
    pub note: String,
    /// Column names.
    pub columns: Vec<String>,
    /// Rows; the first cell of each is its name.
    pub rows: Vec<Vec<TableCell>>,
}

impl ReportTable {
    pub(crate) fn new(title: &str, note: &str, columns: &[&str]) -> ReportTable {
        let columns = columns.iter().map(|column| (*column).to_owned()).collect();
        ReportTable { title: title.to_owned(), note: note.to_owned(), columns, rows: Vec::new() }
    }

    /// Returns the lines of the table with at most `most` rows.
    #[must_use]
    pub fn lines(&self, most: usize) -> Vec<String> {
        let rows = self.rows.iter().take(most);
        let texts: Vec<Vec<String>> = rows.map(|row| row.iter().map(TableCell::text).collect()).collect();
        let width = |column: usize| {
            let cells = texts.iter().filter_map(|row| row.get(column));
            cells.chain(self.columns.get(column)).map(|text| text.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let is_words = |column: usize| {
            column == 0 || self.rows.iter().all(|row| matches!(row.get(column), Some(TableCell::Text(_))))
        };
        let line = |cells: &[String]| {
            let padded =
                cells.iter().zip(&widths).enumerate().map(|(at, (text, width))| match is_words(at) {
                    true => format!("{text:<width$}"),
                    false => format!("{text:>width$}"),
                });
            padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        };
        let left = self.rows.len().saturating_sub(most);
        let more = (left > 0).then(|| format!("… and {left} more in the HTML and JSON reports"));
        std::iter::once(line(&self.columns)).chain(texts.iter().map(|row| line(row))).chain(more).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_align_left_and_numbers_right() {
        let mut table = ReportTable::new("Things", "", &["thing", "times"]);
        table.rows.push(vec![TableCell::Text("a long name".into()), TableCell::Count(7)]);
        table.rows.push(vec![TableCell::Text("b".into()), TableCell::Count(123_456)]);
        assert_eq!(table.lines(9), ["thing         times", "a long name       7", "b            123456"]);
        assert_eq!(table.lines(1)[2], "… and 1 more in the HTML and JSON reports");
    }

    #[test]
    fn significant_differences_are_marked() {
        let sure = TableCell::Points(Estimate { value: 0.1, low: 0.05, high: 0.15 });
        let unsure = TableCell::Points(Estimate { value: 0.1, low: -0.05, high: 0.25 });
        assert_eq!(sure.text(), " +10.0 (+5.0 … +15.0) ▲");
        assert_eq!(unsure.text().trim_end(), " +10.0 (-5.0 … +25.0)");
    }
}
