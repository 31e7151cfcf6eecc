//! Columns of text.

/// Rows of cells, aligned; the columns named with a leading `>` to the right.
#[derive(Debug, Default)]
pub(crate) struct Table {
    right: Vec<bool>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these columns.
    pub(crate) fn new(names: &[&str]) -> Self {
        let right = names.iter().map(|name| name.starts_with('>')).collect();
        let names = names.iter().map(|name| name.trim_start_matches('>').to_owned()).collect();
        Self { right, rows: vec![names] }
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }
}

impl std::fmt::Display for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let cell_width = |row: &Vec<String>, c: usize| row.get(c).map_or(0, |t| t.chars().count());
        let widest = |c| self.rows.iter().map(|row| cell_width(row, c)).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.right.len()).map(widest).collect();
        for row in &self.rows {
            let mut line = String::new();
            for ((cell, &width), &right) in row.iter().zip(&widths).zip(&self.right) {
                line +=
                    &if right { format!("{cell:>width$}  ") } else { format!("{cell:<width$}  ") };
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let mut table = Table::new(&["study", ">best"]);
        table.row(["one".into(), "1".into()]);
        table.row(["a longer name".into(), "-12.5".into()]);
        let text = "study           best\none                1\na longer name  -12.5\n";
        assert_eq!(table.to_string(), text);
    }
}
