//! The Rust crate `optimizer` as a peer: points on standard output, costs on standard input.
//!
//! `optimizer-peer tpe|cma-es D_CAT D_CON SEED`; the first line it reads is the start. A line is a
//! point: so many categories (0 to 10), then so many weights in [−5, 5]. It ends with its input.

use std::collections::HashMap;
use std::error::Error;
use std::io::{Write, stdin, stdout};

use optimizer::parameter::{CategoricalParam, FloatParam, ParamValue, Parameter};
use optimizer::sampler::cma_es::CmaEsSampler;
use optimizer::sampler::tpe::TpeSampler;
use optimizer::{Direction, Study};

fn study(sampler: &str, seed: u64) -> Result<Study<f64>, Box<dyn Error>> {
    match sampler {
        "tpe" => {
            let sampler = TpeSampler::builder().seed(seed).build()?;
            Ok(Study::with_sampler(Direction::Minimize, sampler))
        }
        "cma-es" => {
            let sampler = CmaEsSampler::builder().sigma0(2.0).seed(seed).build();
            Ok(Study::with_sampler(Direction::Minimize, sampler))
        }
        other => Err(format!("sampler must be tpe or cma-es, got {other}").into()),
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [sampler, d_cat, d_con, seed] = words.as_slice() else {
        return Err("usage: optimizer-peer tpe|cma-es D_CAT D_CON SEED".into());
    };
    let study = study(sampler, seed.parse()?)?;
    let categories: Vec<_> = (0..d_cat.parse::<usize>()?)
        .map(|j| CategoricalParam::new((0..11).collect::<Vec<usize>>()).name(format!("c{j}")))
        .collect();
    let weights: Vec<_> = (0..d_con.parse::<usize>()?)
        .map(|j| FloatParam::new(-5.0, 5.0).name(format!("x{j}")))
        .collect();

    let mut line = String::new();
    stdin().read_line(&mut line)?;
    let start = line.split_whitespace().map(str::parse).collect::<Result<Vec<f64>, _>>()?;
    let (chosen, placed) = start.split_at(categories.len());
    let chosen = chosen.iter().zip(&categories);
    let placed = placed.iter().zip(&weights);
    study.enqueue(HashMap::from_iter(
        chosen
            .map(|(c, of)| (of.id(), ParamValue::Categorical(*c as usize)))
            .chain(placed.map(|(x, of)| (of.id(), ParamValue::Float(*x)))),
    ));
    loop {
        let mut trial = study.ask();
        let mut said = Vec::new();
        for it in &categories {
            said.push(it.suggest(&mut trial)?.to_string());
        }
        for it in &weights {
            said.push(it.suggest(&mut trial)?.to_string());
        }
        writeln!(stdout(), "{}", said.join(" "))?;
        stdout().flush()?;
        line.clear();
        if stdin().read_line(&mut line)? == 0 {
            return Ok(());
        }
        study.tell(trial, Ok::<f64, &str>(line.trim().parse()?));
    }
}
