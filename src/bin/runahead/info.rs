//! `runahead info`: what there is to choose from, in tables.

use comfy_table::{CellAlignment, Table, presets};
use runahead::order::schedule::{Schedule, check, names};
use runahead::verbs::Nic;
use runahead::{Algorithm, Launch, Tree};

/// Prints everything, with the algorithms counted for a barrier of `ranks`.
pub(crate) fn print(ranks: usize) {
    println!("Barrier algorithms, for {ranks} ranks:\n{}\n", algorithms(ranks));
    println!("The number after a colon can be chosen. Other names: {}\n", aliases().join(", "));
    let trees: Vec<_> = Tree::ALL.iter().map(|tree| tree.name()).collect();
    println!("Trees of collectives: {} (default {})\n", trees.join(", "), Tree::default());
    println!("Networks:\n{}", networks());
}

/// Each alias with its default, and the algorithm that it stands for.
fn aliases() -> Vec<String> {
    let aliases = names::ALL.into_iter().filter(|name| name.is_alias());
    let pairs = aliases.map(|name| {
        let written = match name.parameter {
            Some(parameter) => format!("{}:{}", name.name, parameter.default),
            None => name.name.to_owned(),
        };
        format!("{written} = {}", name.default_algorithm())
    });
    pairs.collect()
}

fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN).set_header(header);
    table
}

fn algorithms(ranks: usize) -> Table {
    let mut table = table(&["name", "hops", "signals", "per rank", "what it does"]);
    for algorithm in Algorithm::ALL {
        let shape = check::check(&Schedule::all(algorithm, ranks))
            .expect("the built-in schedules are right at every size");
        let default = if algorithm == Algorithm::default() { " (default)" } else { "" };
        table.add_row([
            format!("{algorithm}{default}"),
            shape.hops.to_string(),
            shape.signals.to_string(),
            shape.max_sends_per_rank.to_string(),
            algorithm.summary().to_owned(),
        ]);
    }
    for column in 1..=3 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

fn networks() -> Table {
    let mut table = table(&["name", "ranks", "message bytes", "descriptors per VI", "causal"]);
    match Launch::new(2).connect() {
        Ok(nics) => {
            let limits = nics[0].attributes();
            table.add_row([
                limits.provider.to_owned(),
                limits.max_ranks.to_string(),
                limits.max_message_bytes.to_string(),
                limits.max_descriptors_per_vi.to_string(),
                if limits.causal { "yes" } else { "no" }.to_owned(),
            ]);
        }
        Err(error) => {
            table.add_row(["threads".to_owned(), error.to_string()]);
        }
    }
    table
}
