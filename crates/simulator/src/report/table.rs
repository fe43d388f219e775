//! Tables as reports show them, in the terminal and on a page.

use super::numbers::Estimate;

/// What a table cell holds.
#[derive(Clone, PartialEq, Debug)]
pub enum Cell {
    /// Words.
    Text(String),
    /// A count.
    Count(u64),
    /// A number with so many decimals.
    Number(f64, usize),
    /// A share with its interval, drawn from 0 to 1.
    Share(Estimate),
    /// A share without.
    Percent(f64),
    /// A difference of shares with its interval.
    Points(Estimate),
    /// A difference of other numbers with its interval.
    Difference(Estimate),
    /// There is nothing to tell.
    Nothing,
}

impl Cell {
    /// What people read.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Cell::Text(text) => text.clone(),
            Cell::Count(count) => count.to_string(),
            Cell::Number(number, decimals) => format!("{number:.decimals$}"),
            Cell::Percent(share) => percent(*share),
            Cell::Share(Estimate { value, low, high }) => {
                format!("{:>7}  {:>7} – {:>7}", percent(*value), percent(*low), percent(*high))
            }
            Cell::Points(estimate) => {
                let Estimate { value, low, high } = estimate;
                let points = |share: f64| format!("{:+.1}", share * 100.0);
                format!("{:>6} ({} … {}) {}", points(*value), points(*low), points(*high), mark(estimate))
            }
            Cell::Difference(estimate) => {
                let Estimate { value, low, high } = estimate;
                format!("{value:+.2} ({low:+.2} … {high:+.2}) {}", mark(estimate))
            }
            Cell::Nothing => String::new(),
        }
    }

    /// What rows are sorted by.
    #[must_use]
    pub fn value(&self) -> Option<f64> {
        match self {
            Cell::Text(_) | Cell::Nothing => None,
            Cell::Count(count) => Some(*count as f64),
            Cell::Number(number, _) | Cell::Percent(number) => Some(*number),
            Cell::Share(estimate) | Cell::Points(estimate) | Cell::Difference(estimate) => {
                Some(estimate.value)
            }
        }
    }
}

/// Tells that a difference is hardly by chance, and in which direction.
fn mark(estimate: &Estimate) -> &'static str {
    match (estimate.is_significant(), estimate.value > 0.0) {
        (false, _) => " ",
        (true, true) => "▲",
        (true, false) => "▼",
    }
}

/// A share in per cent.
#[must_use]
pub fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// A table with a title.
#[derive(Clone, PartialEq, Debug)]
pub struct Table {
    /// What it is about.
    pub title: String,
    /// How to read it.
    pub note: String,
    /// What its columns are called.
    pub columns: Vec<String>,
    /// Its rows; the first cell of each is its name.
    pub rows: Vec<Vec<Cell>>,
}

impl Table {
    pub(crate) fn new(title: &str, note: &str, columns: &[&str]) -> Table {
        let columns = columns.iter().map(|column| (*column).to_owned()).collect();
        Table { title: title.to_owned(), note: note.to_owned(), columns, rows: Vec::new() }
    }

    /// The lines of the table, as wide as they have to be; of many rows the first `most`.
    #[must_use]
    pub fn lines(&self, most: usize) -> Vec<String> {
        let rows = self.rows.iter().take(most);
        let texts: Vec<Vec<String>> = rows.map(|row| row.iter().map(Cell::text).collect()).collect();
        let width = |column: usize| {
            let cells = texts.iter().filter_map(|row| row.get(column));
            cells.chain(self.columns.get(column)).map(|text| text.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let is_words = |column: usize| {
            column == 0 || self.rows.iter().all(|row| matches!(row.get(column), Some(Cell::Text(_))))
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
        let more = (left > 0).then(|| format!("… and {left} more, in the page and in JSON"));
        std::iter::once(line(&self.columns)).chain(texts.iter().map(|row| line(row))).chain(more).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_left_and_numbers_right() {
        let mut table = Table::new("Things", "", &["thing", "times"]);
        table.rows.push(vec![Cell::Text("a long name".into()), Cell::Count(7)]);
        table.rows.push(vec![Cell::Text("b".into()), Cell::Count(123_456)]);
        assert_eq!(table.lines(9), ["thing         times", "a long name       7", "b            123456"]);
        assert_eq!(table.lines(1)[2], "… and 1 more, in the page and in JSON");
    }

    #[test]
    fn what_is_hardly_chance_is_marked() {
        let sure = Cell::Points(Estimate { value: 0.1, low: 0.05, high: 0.15 });
        let unsure = Cell::Points(Estimate { value: 0.1, low: -0.05, high: 0.25 });
        assert_eq!(sure.text(), " +10.0 (+5.0 … +15.0) ▲");
        assert_eq!(unsure.text().trim_end(), " +10.0 (-5.0 … +25.0)");
    }
}
