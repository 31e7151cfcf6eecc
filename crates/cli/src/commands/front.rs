//! `front`: the designs that nobody dominates.

use anyhow::Result;
use esenas_run::{FrontDesign, StoredFront};
use serde_json::{Map, Value, json};

use crate::Console;
use crate::args::{Front, FrontFormat};
use crate::draw::{self, Table, counted, cut, short};
use crate::exit::bad_input;

pub(super) fn front(args: &Front, console: &mut Console<'_>) -> Result<()> {
    let found = StoredFront::load(&args.dir)?;
    let Some(designs) = &found.designs else {
        return Err(bad_input(format_args!(
            "{}: the study has one objective, and so no front: `best` prints its best design",
            args.dir.display()
        )));
    };
    let names: Vec<String> = found.spec.objectives().into_iter().map(|it| it.name).collect();
    match args.format {
        FrontFormat::Table => table(&found, designs, &names, console),
        FrontFormat::Csv => csv(&found, designs, &names, console),
        FrontFormat::Jsonl => jsonl(&found, designs, &names, console),
    }
}

/// For people: what does not fit is cut off.
fn table(
    found: &StoredFront,
    designs: &[FrontDesign],
    names: &[String],
    console: &mut Console<'_>,
) -> Result<()> {
    let heads: Vec<String> = names.iter().map(|name| format!(">{name}")).collect();
    let heads: Vec<&str> = heads.iter().map(String::as_str).chain(["design"]).collect();
    let mut table = Table::new(&heads);
    for design in designs {
        let shown = cut(&design.to_value(&found.layout).to_string(), console.width / 2);
        table.row(design.values.iter().map(|x| short(*x)).chain([shown]));
    }
    writeln!(console.out, "{}", counted(designs.len() as u64, "design"))?;
    write!(console.out, "{table}")?;
    if designs.iter().any(|design| design.violation > 0.0) {
        writeln!(console.out, "\nnothing is feasible yet: these exceed limits least")?;
    }
    Ok(())
}

/// One row for each design: values, when it was evaluated, decisions, θ, and all of it as JSON.
fn csv(
    found: &StoredFront,
    designs: &[FrontDesign],
    names: &[String],
    console: &mut Console<'_>,
) -> Result<()> {
    let more = ["violation", "evaluation", "dna", "theta", "design"];
    let heads: Vec<&str> = names.iter().map(String::as_str).chain(more).collect();
    let mut table = esenas_report::Table::new(heads);
    for design in designs {
        let theta: Vec<Value> = design.theta.iter().map(|x| draw::json(*x)).collect();
        let more = [
            format!("{:?}", design.violation),
            design.evaluation.to_string(),
            json!(design.dna.genes()).to_string(),
            Value::from(theta).to_string(),
            design.to_value(&found.layout).to_string(),
        ];
        table.row(design.values.iter().map(|x| format!("{x:?}")).chain(more));
    }
    write!(console.out, "{}", table.csv())?;
    Ok(())
}

/// The same, one object for each design.
fn jsonl(
    found: &StoredFront,
    designs: &[FrontDesign],
    names: &[String],
    console: &mut Console<'_>,
) -> Result<()> {
    for design in designs {
        let values = names.iter().cloned().zip(design.values.iter().map(|x| draw::json(*x)));
        let theta: Vec<Value> = design.theta.iter().map(|x| draw::json(*x)).collect();
        let object = json!({
            "values": values.collect::<Map<_, _>>(), "violation": draw::json(design.violation),
            "evaluation": design.evaluation, "dna": design.dna.genes(), "theta": theta,
            "design": design.to_value(&found.layout),
        });
        writeln!(console.out, "{object}")?;
    }
    Ok(())
}
