//! `runahead schedules`: counts the hops and signals of every barrier algorithm, beside the papers'
//! formulas. With `--markdown` it prints the page docs/SCHEDULES.md.
//!
//! The counts come from the graph check, so every listed schedule has passed it.

use std::collections::BTreeSet;

use comfy_table::{CellAlignment, Table, presets};
use runahead::Algorithm;
use runahead::internals::order::schedule::Schedule;
use runahead::internals::order::schedule::check::{Shape, check};
use runahead::internals::order::schedule::names::{self, Name};
use runahead::internals::order::schedule::papers::{Formulas, Prediction};

/// The numbers of ranks in the table: powers of two, and one that is not.
const SIZES: [usize; 7] = [2, 4, 8, 16, 64, 100, 128];

/// The parameters in the table, besides each family's default.
const PARAMETERS: [u8; 2] = [2, 4];

const INTRODUCTION: &str = "\
# Barrier schedules in numbers

Made by `cargo run --release -- schedules --markdown > docs/SCHEDULES.md`; a test compares this page
with what the command prints.

Each row is an algorithm as `runahead` names it, with its parameter after a colon. Each column is a
number of ranks `P`. *Hops* are the signals that must follow one another before the last rank is
complete. *Signals* are those that all ranks together send in one barrier. Both are counted in the
schedule itself, by the check that proves it a barrier.

If a paper's formula gives another number, that number is in parentheses. It is never lower, for
these reasons:

- Formulas count *rounds*. A round costs no hop if none of its signals waits for one of the round
  before.
- A tree with `n` children a rank holds more than `n^depth` ranks.
- In the paper's butterfly, a rank that does two exchanges in a stage does one after the other. Here
  it does both in one step.
- The last round of an n-way dissemination leaves out signals that would wrap around to ranks
  already told.

In formulas `k` is `ceil(lg P)`, `z` is `floor(lg P)`, and `n` is the parameter. The papers leave a
broadcast `t_bc` or a multicast to the network. Here it is one round of `P - 1` signals from rank 0.
Where no paper has a formula, or only one for a single rank's signals, the formula is ours. Hops are
not time: a rank that sends or receives many signals in one round, as rank 0 of a flat tree does,
needs longer for each.

Signals travel in three ways.

- **On the board**, where ranks share memory, there are none: a rank stores one word, and all look
  at it. If ranks are on several hosts, each host has a board, and the last rank of a host to enter
  writes one word to each other host, by RDMA: one hop, `H (H - 1)` writes on `H` hosts.
- **As words**, by RDMA: the network writes 8 bytes into a cell of the receiver, as in kini-2003 and
  hoefler-2005 §4.1.3. Every schedule can do that. RPE is `pairwise-exchange`, RDS is
  `dissemination`, and the n-way dissemination is `n-way-dissemination`. `board` becomes
  `all-to-all`, in which every rank has a word of each other (`dissemination` above 64 ranks). A
  schedule of one hop completes there while all members compute. In the others, ranks in between
  must look and forward.
- **As messages** everywhere else.

`RUNAHEAD_SIGNALS` chooses between words and messages.

RDMA devices can often send to all ranks at once. Then the last round of `gather-multicast`, in
groups of three and more, is one datagram from rank 0, whatever `P` is. That is RGM of kini-2003:
`P - 1` of its signals are written, and one is sent ([how](RDMA.md#release-by-multicast)).
`combining-tree` and the tournaments are names of it, so the same holds for them. In `flat-tree`,
`mcs-tree` and `binomial-tree` rank 0 writes to every rank. In all of these, no rank goes on before
rank 0 has called the library again after the last report. In `all-to-all` no rank waits for that.";

const ALIASES: &str = "\
A name that is the *same as* another algorithm has the same schedule. The combining tree, the
tournaments and gather + multicast differ in the memory in which a rank learns of the others. A cell
for each signal replaces all of these. kini-2003 counts the members of a group without the first,
hoefler-2005 with it. The central counter is a flat tree whose counter is rank 0's cells. There is
no fetch-and-increment here. Rank 0 itself must therefore be scheduled to release the others, where
in the paper the last rank to arrive does it.";

/// The tables, as the page of the documentation or alone.
pub(crate) fn text(markdown: bool) -> String {
    let rows = rows();
    let hops =
        counts(&rows, |formulas| formulas.rounds, |shape| shape.hops, |predicted| predicted.rounds);
    let signals = counts(
        &rows,
        |formulas| formulas.signals,
        |shape| shape.signals,
        |predicted| predicted.signals,
    );
    let names = listed();
    if markdown {
        format!(
            "{INTRODUCTION}\n\n## Hops\n\n{hops}\n\n## Signals\n\n{signals}\n\n\
             ## Names\n\n{ALIASES}\n\n{names}\n"
        )
    } else {
        format!(
            "Hops (rounds of the papers, where they differ):\n{hops}\n\n\
             Signals (those of the papers, where they differ):\n{signals}\n\n\
             Names:\n{names}\n"
        )
    }
}

/// A row of the tables of counts: a name, its parameter, and their algorithm.
struct Row {
    name: Name,
    parameter: Option<u8>,
    algorithm: Algorithm,
}

fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for name in names::ALL {
        let parameters: BTreeSet<_> = match name.parameter {
            None => [None].into(),
            Some(parameter) => {
                PARAMETERS.into_iter().chain([parameter.default]).map(Some).collect()
            }
        };
        for parameter in parameters {
            let algorithm = name.algorithm(parameter).expect("2 and the default are in any range");
            rows.push(Row { name, parameter, algorithm });
        }
    }
    rows
}

/// One number for each row and size: the one counted, and the one predicted if it differs.
fn counts(
    rows: &[Row],
    formula: impl Fn(&Formulas) -> &'static str,
    found: impl Fn(&Shape) -> usize,
    predicted: impl Fn(&Prediction) -> usize,
) -> Table {
    let header = ["algorithm", "formula"].map(str::to_owned);
    let mut table = table(header.into_iter().chain(SIZES.map(|size| size.to_string())));
    for Row { name, parameter, algorithm } in rows {
        let label = match parameter {
            Some(parameter) => format!("{}:{parameter}", name.name),
            None => name.name.to_owned(),
        };
        let cells = SIZES.map(|size| {
            let shape = check(&Schedule::all(*algorithm, size))
                .expect("the built-in schedules are right at every size");
            let found = found(&shape);
            match name.predicted(parameter.unwrap_or(0), size).as_ref().map(&predicted) {
                Some(other) if other != found => format!("{found} ({other})"),
                _ => found.to_string(),
            }
        });
        table.add_row([label, formula(&name.formulas).to_owned()].into_iter().chain(cells));
    }
    for column in 2..2 + SIZES.len() {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// All names: their parameters, which algorithm has the same schedule, and the source.
fn listed() -> Table {
    let header = ["name", "parameter (default)", "same as", "source", "what it does"];
    let mut table = table(header.map(str::to_owned));
    for name in names::ALL {
        let parameter = name.parameter.map(|parameter| {
            format!("{}, {} to 255 ({})", parameter.counts, parameter.least, parameter.default)
        });
        let same = match (name.is_alias(), name.parameter) {
            (false, _) => String::new(),
            (true, None) => name.default_algorithm().to_string(),
            (true, Some(_)) => format!("{}:(n - 1)", name.default_algorithm().name()),
        };
        table.add_row([
            name.name.to_owned(),
            parameter.unwrap_or_default(),
            same,
            name.formulas.source.to_owned(),
            name.summary.to_owned(),
        ]);
    }
    table
}

fn table(header: impl IntoIterator<Item = String>) -> Table {
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN).set_header(header.into_iter().collect::<Vec<_>>());
    table
}
