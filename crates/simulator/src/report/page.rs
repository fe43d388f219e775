//! Reports as a self-contained HTML page without network access. Its only script sorts tables.

use std::fmt::Write;

use super::compare;
use super::plot;
use super::sweep;
use super::table::{ReportTable, TableCell, percent};
use super::{ExperimentReport, plain};
use crate::coverage::Coverage;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Range of plotted differences, in both directions.
const REACH: f64 = 0.3;

/// Returns the page of one report, with its coverage if measured.
#[must_use]
pub fn report_page(report: &ExperimentReport<'_>, coverage: Option<&Coverage>) -> String {
    let mut page = HtmlPage::new(&report.title(), &about(report, &options(report)));
    page.problems(report);
    page.report(report, "");
    if let Some(coverage) = coverage {
        page.coverage(coverage);
    }
    page.finish()
}

/// Returns the page of a sweep.
#[must_use]
pub fn sweep_page(reports: &[ExperimentReport<'_>]) -> String {
    let Some(first) = reports.first() else { return String::new() };
    let title = format!("{}: {} combinations of options", plain(&first.program().name), reports.len());
    let mut page = HtmlPage::new(&title, &about(first, "different options"));
    page.table(&sweep(reports), "");
    page.heading("Individual reports");
    for (at, report) in reports.iter().enumerate() {
        let _ = write!(page.body, "<details><summary>{}</summary>", escape(&report.options()));
        page.problems(report);
        page.report(report, &format!("{at}-"));
        page.body.push_str("</details>");
    }
    page.finish()
}

/// Returns the page of a comparison.
#[must_use]
pub fn comparison_page(before: &ExperimentReport<'_>, after: &ExperimentReport<'_>) -> String {
    let title = format!("{}: before and after", plain(&before.program().name));
    let mut page = HtmlPage::new(&title, &about(before, &options(before)));
    compare(before, after).iter().for_each(|table| page.table(table, ""));
    page.heading("Individual reports");
    for (name, report) in [("Before", before), ("After", after)] {
        let _ = write!(page.body, "<details><summary>{name}: {}</summary>", escape(&report.title()));
        page.problems(report);
        page.report(report, &format!("{name}-"));
        page.body.push_str("</details>");
    }
    page.finish()
}

/// Describes the seeds and options in a sentence.
fn about(report: &ExperimentReport<'_>, options: &str) -> String {
    let experiment = report.experiment;
    let last = experiment.seed.wrapping_add(experiment.matches.saturating_sub(1));
    format!("Seeds {} to {last}, with {options}. The same seeds produce the same page.", experiment.seed)
}

fn options(report: &ExperimentReport<'_>) -> String {
    let options = report.options();
    if options.is_empty() { "default options".to_owned() } else { options }
}

struct HtmlPage {
    title: String,
    about: String,
    links: Vec<(String, String)>,
    body: String,
    /// Notes already shown: tables that share a note show it once.
    shown_notes: Vec<String>,
}

impl HtmlPage {
    fn new(title: &str, about: &str) -> HtmlPage {
        HtmlPage {
            title: title.to_owned(),
            about: about.to_owned(),
            links: Vec::new(),
            body: String::new(),
            shown_notes: Vec::new(),
        }
    }

    fn finish(self) -> String {
        let (title, about) = (escape(&self.title), escape(&self.about));
        let links = self.links.iter().map(|(id, name)| format!("<a href=\"#{id}\">{}</a>", escape(name)));
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
             content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
             <header><h1>{title}</h1><p>{about}</p></header>\n<nav aria-label=\"Contents\">{}</nav>\n<main>\n{}</main>\n\
             <footer>Made by <code>intermezzo simulate</code>.</footer>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
            links.collect::<Vec<_>>().join("\n"),
            self.body
        )
    }

    fn heading(&mut self, title: &str) {
        let id = anchor(title);
        let _ = writeln!(self.body, "<h2 id=\"{id}\">{}</h2>", escape(title));
        self.links.push((id, title.to_owned()));
    }

    fn report(&mut self, report: &ExperimentReport<'_>, prefix: &str) {
        for table in report.tables() {
            self.table(&table, prefix);
            if table.title == "Length" {
                let plot = plot::histogram(&report.findings.totals.inputs, "inputs");
                let _ = writeln!(
                    self.body,
                    "<figure>{plot}<figcaption>Matches by their number of inputs</figcaption></figure>"
                );
            }
        }
    }

    /// Adds a table. Tables with a prefix belong to a subreport and are not in the list of contents.
    fn table(&mut self, table: &ReportTable, prefix: &str) {
        match prefix {
            "" => self.heading(&table.title),
            _ => {
                let _ = writeln!(self.body, "<h3>{}</h3>", escape(&table.title));
            }
        }
        if !table.note.is_empty() && !self.shown_notes.contains(&table.note) {
            self.shown_notes.push(table.note.clone());
            let _ = writeln!(self.body, "<p>{}</p>", escape(&table.note));
        }
        let _ = write!(
            self.body,
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table><thead><tr>",
            escape(&table.title)
        );
        for column in &table.columns {
            let _ = write!(self.body, "<th scope=\"col\">{}</th>", escape(column.trim()));
        }
        self.body.push_str("</tr></thead><tbody>\n");
        // Shares of a whole are shown as bars.
        let has_bars = matches!(table.title.as_str(), "Branching" | "Coverage");
        for row in &table.rows {
            self.body.push_str("<tr>");
            row.iter().enumerate().for_each(|(at, cell)| self.cell(cell, at == 0, has_bars));
            self.body.push_str("</tr>\n");
        }
        self.body.push_str("</tbody></table></div>\n");
    }

    fn cell(&mut self, cell: &TableCell, is_name: bool, table_has_bars: bool) {
        let shown = match cell {
            TableCell::Share(estimate) => format!(
                "{} <small>{} – {}</small>{}",
                percent(estimate.value),
                percent(estimate.low),
                percent(estimate.high),
                plot::share(estimate)
            ),
            TableCell::Percent(share) if table_has_bars => {
                format!("{}{}", escape(&cell.text()), plot::bar(*share))
            }
            TableCell::Points(estimate) => {
                format!("{}{}", escape(cell.text().trim()), plot::difference(estimate, REACH))
            }
            other => escape(&other.text()),
        };
        let value = cell.value().map_or_else(String::new, |value| format!(" data-value=\"{value}\""));
        let _ = match (is_name, cell) {
            (true, _) => write!(self.body, "<th scope=\"row\"{value}>{shown}</th>"),
            (false, TableCell::Text(_)) => write!(self.body, "<td class=\"words\">{shown}</td>"),
            (false, _) => write!(self.body, "<td{value}>{shown}</td>"),
        };
    }

    fn problems(&mut self, report: &ExperimentReport<'_>) {
        for trouble in report.problems() {
            let title = escape(&trouble.title);
            let _ = write!(
                self.body,
                "<section class=\"trouble\"><p><strong>{title}</strong>; {}</p><ul>",
                escape(trouble.advice)
            );
            for (seed, how) in &trouble.examples {
                let _ = write!(self.body, "<li><code>--seed {seed}</code> {}</li>", escape(how));
            }
            self.body.push_str("</ul></section>\n");
        }
    }

    fn coverage(&mut self, coverage: &Coverage) {
        coverage.tables().iter().for_each(|table| self.table(table, ""));
    }
}

fn anchor(title: &str) -> String {
    title.to_lowercase().replace(|letter: char| !letter.is_alphanumeric(), "-")
}

/// Escapes text for HTML.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            letter => escaped.push(letter),
        }
    }
    escaped
}
