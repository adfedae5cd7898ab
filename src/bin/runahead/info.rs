//! `runahead info`: what there is to choose from, in tables.

use comfy_table::{CellAlignment, Table, presets};
use runahead::order::schedule::{Schedule, check, names};
use runahead::verbs::Nic;
use runahead::{Algorithm, Launch, Tree};

/// Everything, with the algorithms counted for a barrier of `ranks`.
pub(crate) fn text(ranks: usize) -> String {
    let (algorithms, aliases) = (algorithms(ranks), aliases().join(", "));
    let trees: Vec<_> = Tree::ALL.iter().map(|tree| tree.name()).collect();
    let (trees, tree, networks) = (trees.join(", "), Tree::default(), networks());
    format!(
        "Barrier algorithms, for {ranks} ranks:\n{algorithms}\n\n\
         The number after a colon can be chosen. Other names: {aliases}\n\n\
         Trees of collectives: {trees} (default {tree})\n\n\
         Networks:\n{networks}\n"
    )
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
    let mut table = table(&["name", "most ranks", "causal", "what it is"]);
    let what = "ranks are threads of one process";
    match Launch::new(2).connect() {
        Ok(nics) => {
            let limits = nics[0].attributes();
            let causal = if limits.causal { "yes" } else { "no" };
            table.add_row([limits.provider, &limits.max_ranks.to_string(), causal, what]);
        }
        Err(error) => {
            table.add_row(["threads", "-", "-", &error.to_string()]);
        }
    }
    table
}
