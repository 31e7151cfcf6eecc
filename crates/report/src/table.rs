//! Rows of text as Markdown, which people read aligned, as LaTeX or as CSV.

use std::fmt::Write;

/// A header and rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// With these columns.
    pub fn new<S: Into<String>>(header: impl IntoIterator<Item = S>) -> Self {
        Self { header: header.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    /// Adds a row.
    ///
    /// # Panics
    ///
    /// Unless it has as many cells as there are columns.
    pub fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        let row: Vec<String> = cells.into_iter().map(Into::into).collect();
        assert_eq!(row.len(), self.header.len(), "cells of a row: {row:?}");
        self.rows.push(row);
    }

    /// As Markdown, aligned: the first column to the left, the others to the right.
    pub fn markdown(&self) -> String {
        let cell = |text: &String| text.replace('|', "\\|");
        let lines: Vec<Vec<String>> = std::iter::once(&self.header)
            .chain(&self.rows)
            .map(|line| line.iter().map(cell).collect())
            .collect();
        let wide = |column: usize| {
            lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.header.len()).map(wide).collect();
        let mut text = String::new();
        for (number, line) in lines.iter().enumerate() {
            for (column, (cell, &width)) in line.iter().zip(&widths).enumerate() {
                let _ = match column {
                    0 => write!(text, "| {cell:<width$} "),
                    _ => write!(text, "| {cell:>width$} "),
                };
            }
            text.push_str("|\n");
            if number == 0 {
                for (column, &width) in widths.iter().enumerate() {
                    let rule = "-".repeat(width + 1);
                    let _ = if column == 0 {
                        write!(text, "|{rule}-")
                    } else {
                        write!(text, "|{rule}:")
                    };
                }
                text.push_str("|\n");
            }
        }
        text
    }

    /// As a LaTeX `tabular` with the rules of `booktabs`. What Markdown has **bold** is bold.
    pub fn latex(&self) -> String {
        let columns: String =
            (0..self.header.len()).map(|at| if at == 0 { 'l' } else { 'r' }).collect();
        let line = |line: &Vec<String>| {
            let cells: Vec<String> = line.iter().map(|cell| latex(cell)).collect();
            format!("{} \\\\\n", cells.join(" & "))
        };
        let rows: String = self.rows.iter().map(line).collect();
        let header = line(&self.header);
        format!(
            "\\begin{{tabular}}{{{columns}}}\n\\toprule\n{header}\\midrule\n{rows}\\bottomrule\n\
             \\end{{tabular}}\n"
        )
    }

    /// As comma-separated values, after RFC 4180.
    pub fn csv(&self) -> String {
        let cell = |text: &String| match text.contains([',', '"', '\n']) {
            true => format!("\"{}\"", text.replace('"', "\"\"")),
            false => text.clone(),
        };
        let line = |line: &Vec<String>| line.iter().map(cell).collect::<Vec<_>>().join(",") + "\n";
        std::iter::once(&self.header).chain(&self.rows).map(line).collect()
    }
}

/// A cell in LaTeX.
fn latex(cell: &str) -> String {
    let mut text = String::new();
    for (at, part) in cell.split("**").enumerate() {
        let mut part: String = part.chars().map(letter).collect();
        if at % 2 == 1 {
            part = format!("\\textbf{{{part}}}");
        }
        text += &part;
    }
    text
}

fn letter(c: char) -> String {
    match c {
        '&' | '%' | '$' | '#' | '_' | '{' | '}' => format!("\\{c}"),
        '~' => "\\textasciitilde{}".to_owned(),
        '^' => "\\textasciicircum{}".to_owned(),
        '\\' => "\\textbackslash{}".to_owned(),
        '±' => "$\\pm$".to_owned(),
        '×' => "$\\times$".to_owned(),
        '→' => "$\\to$".to_owned(),
        'σ' => "$\\sigma$".to_owned(),
        'θ' => "$\\theta$".to_owned(),
        '–' => "--".to_owned(),
        c => c.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_reads_the_same_in_both_forms() {
        let mut table = Table::new(["name", "a, b"]);
        table.row(["x|y", "1"]);
        table.row(["\"z\"", "10.5 ± 1"]);
        let markdown = "\
            | name |     a, b |\n\
            |------|---------:|\n\
            | x\\|y |        1 |\n\
            | \"z\"  | 10.5 ± 1 |\n";
        assert_eq!(table.markdown(), markdown);
        assert_eq!(table.csv(), "name,\"a, b\"\nx|y,1\n\"\"\"z\"\"\",10.5 ± 1\n");
    }

    #[test]
    fn latex_means_what_was_written() {
        let mut table = Table::new(["name", "a_b"]);
        table.row(["x & y", "**1 ± 2** (50 %)"]);
        let expected = "\\begin{tabular}{lr}\n\\toprule\nname & a\\_b \\\\\n\\midrule\n\
            x \\& y & \\textbf{1 $\\pm$ 2} (50 \\%) \\\\\n\\bottomrule\n\\end{tabular}\n";
        assert_eq!(table.latex(), expected);
    }
}
