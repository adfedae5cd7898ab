//! The stencil: its results equal those of an independent implementation here, bit for bit.

#[path = "../../../../../examples/stencil/brightness.rs"]
mod brightness;
#[path = "../../../../../examples/stencil/field.rs"]
pub mod field;
#[path = "../../../../../examples/stencil/heat.rs"]
pub mod heat;
#[path = "../../../../../examples/stencil/pgm.rs"]
pub mod pgm;

use std::fs;
use std::path::Path;

use field::{Field, difference};
use heat::{Block, HALO_TAG, Order, sequential};
use pgm::{Encoding, Picture};
use runahead::{Algorithm, Error, Launch, Result};

use super::stencil_pgm::picture;
use super::{command, fail, listing, refuse, sizes, succeed};

/// Whether barriers wait.
const KINDS: [bool; 2] = [true, false];
const ORDERS: [Order; 2] = [Order::Overlap, Order::Fence];

/// Width and height: with many rows, with fewer rows than ranks, and without any inner cell.
const SHAPES: [(usize, usize); 8] =
    [(9, 40), (40, 9), (6, 15), (5, 3), (3, 3), (2, 8), (8, 2), (1, 1)];

/// Computes the steps cell by cell, by their definition.
fn reference(picture: &Picture, steps: u32) -> Vec<f64> {
    let (width, height) = (picture.width, picture.height);
    let mut cells: Vec<f64> = picture.samples.iter().copied().map(f64::from).collect();
    for _ in 0..steps {
        let before = cells.clone();
        let at = |row: usize, column: usize| before[row * width + column];
        for row in 1..height.max(2) - 1 {
            for column in 1..width.max(2) - 1 {
                let vertical = at(row - 1, column) + at(row + 1, column);
                let horizontal = at(row, column - 1) + at(row, column + 1);
                cells[row * width + column] = (vertical + horizontal) / 4.0;
            }
        }
    }
    cells
}

/// The field after the steps, as rank 0 has it.
fn parallel(job: &Launch, start: &Field, steps: u32, order: Order, wait: bool) -> Result<Field> {
    let ranks = job.collect(|world| {
        let start = (world.rank() == 0).then_some(start);
        let mut block = Block::scatter(world, start)?;
        block.run(steps, order, wait)?;
        block.gather(start)
    })?;
    ranks.into_iter().flatten().next().ok_or_else(|| Error::other("rank 0 has nothing"))
}

#[test]
fn the_sequential_program_follows_the_definition_of_a_step() {
    for (width, height) in SHAPES {
        for steps in [0, 1, 2, 7] {
            let picture = picture(Encoding::Raw, width, height, 65_535);
            let right = Field::new(width, reference(&picture, steps));
            let given = sequential(&Field::of_picture(&picture), steps);
            assert_eq!(difference(&right, &given), None);
        }
    }
}

#[test]
fn a_field_converts_back_to_its_picture() {
    let picture = picture(Encoding::Plain, 7, 5, 4000);
    let mut field = Field::of_picture(&picture);
    assert_eq!(field.to_picture(&picture), picture);
    field.rows_mut(1..2).fill(3.5);
    let samples = field.to_picture(&picture).samples;
    assert_eq!((&samples[..7], &samples[7..14]), (&picture.samples[..7], &[4; 7][..]));
}

#[test]
fn any_number_of_ranks_gives_the_same_bits() {
    for (width, height) in SHAPES {
        let picture = picture(Encoding::Raw, width, height, 65_535);
        let start = Field::of_picture(&picture);
        let right = Field::new(width, reference(&picture, 7));
        for &size in sizes() {
            // The defaults; windows of one message; and rows above the eager limit.
            for job in [
                Launch::new(size),
                Launch::new(size).window_messages(1),
                Launch::new(size).eager_bytes(16).open_barriers(1),
            ] {
                for (order, wait) in ORDERS.into_iter().flat_map(|o| KINDS.map(|k| (o, k))) {
                    let given = parallel(&job, &start, 7, order, wait).unwrap();
                    let wrong = difference(&right, &given);
                    assert_eq!(wrong, None, "{width} x {height}, {size}: {order:?} {wait}");
                }
            }
        }
    }
}

#[test]
fn any_barrier_algorithm_gives_the_same_bits() {
    let picture = picture(Encoding::Raw, 12, 30, 255);
    let start = Field::of_picture(&picture);
    let right = Field::new(12, reference(&picture, 30));
    for algorithm in Algorithm::ALL {
        for (order, wait) in ORDERS.into_iter().flat_map(|o| KINDS.map(|k| (o, k))) {
            let job = Launch::new(5).algorithm(algorithm);
            let given = parallel(&job, &start, 30, order, wait).unwrap();
            assert_eq!(difference(&right, &given), None, "{algorithm}: {order:?} {wait}");
        }
    }
}

#[test]
fn a_difference_in_one_bit_is_found() {
    let right = Field::new(3, vec![1.0, 2.0, 3.0, 4.0, 0.0, 6.0]);
    assert_eq!(difference(&right, &right.clone()), None);
    let mut last_bit = right.clone();
    last_bit.rows_mut(0..1)[2] = f64::from_bits(3f64.to_bits() + 1);
    let told = "row 0, column 2 is 3.0000000000000004; a sequential program gives 3.0";
    assert_eq!(difference(&right, &last_bit).unwrap(), told);
    let negative = Field::new(3, vec![1.0, 2.0, 3.0, 4.0, -0.0, 6.0]);
    let told = "row 1, column 1 is -0.0; a sequential program gives 0.0";
    assert_eq!(difference(&right, &negative).unwrap(), told);
    let turned = Field::new(2, right.rows(0..2).to_vec());
    assert_eq!(difference(&right, &turned).unwrap(), "2 x 3 cells, not 3 x 2");
}

/// The outer ranks send what the middle one would receive from a runtime that delivers a halo
/// before its barrier.
#[test]
fn a_halo_of_another_step_is_found() {
    let start = Field::of_picture(&picture(Encoding::Raw, 4, 8, 255));
    let ran = Launch::new(3).run(|world| {
        let mut block = Block::scatter(world, (world.rank() == 0).then_some(&start))?;
        match world.rank() {
            1 => block.run(1, Order::Overlap, false),
            rank => {
                world.barrier()?;
                for _ in 0..if rank == 0 { 2 } else { 0 } {
                    world.send(1, HALO_TAG, &[0f64; 4])?;
                }
                world.recv::<f64>(1, HALO_TAG).map(drop)
            }
        }
    });
    let told = "rank 1: a halo of rank 0 is not of this step";
    assert_eq!(ran.unwrap_err().to_string(), told);
}

/// Runs the program on a file with this picture, and returns the picture that it wrote.
fn through(line: &str, picture: &Picture) -> Vec<u8> {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    fs::write(at("in.pgm"), picture.to_bytes()).unwrap();
    let mut command = command(line);
    let out = succeed(
        command
            .arg("--input")
            .arg(at("in.pgm"))
            .arg("--output")
            .arg(at("out.pgm"))
            .args(["--runs", "1"]),
    );
    assert!(out.ends_with(
        "\nChecked: in all runs the result was that of the sequential program, bit for bit.\n"
    ));
    assert_eq!(listing(directory.path()), ["in.pgm", "out.pgm"]);
    assert_eq!(fs::read(at("in.pgm")).unwrap(), picture.to_bytes(), "the input is left alone");
    fs::read(at("out.pgm")).unwrap()
}

#[test]
fn pictures_in_files_are_right_at_all_sizes_and_in_both_orders() {
    for encoding in [Encoding::Plain, Encoding::Raw] {
        for white in [255, 65_535] {
            // With 13 ranks, some have no rows.
            let picture = picture(encoding, 20, 12, white);
            let cells = reference(&picture, 9);
            let samples = cells.iter().map(|cell| (cell + 0.5).floor() as u16).collect();
            let right = Picture { samples, ..picture.clone() }.to_bytes();
            for &size in sizes() {
                for order in ORDERS.map(Order::name) {
                    let line = format!("stencil --ranks {size} --steps 9 --order {order}");
                    assert_eq!(through(&line, &picture), right, "{line}");
                }
            }
        }
    }
}

#[test]
fn a_picture_without_inner_cells_stays_unchanged() {
    for (width, height) in [(1, 1), (1, 9), (9, 1), (2, 9), (9, 2)] {
        let picture = picture(Encoding::Raw, width, height, 1000);
        assert_eq!(through("stencil --ranks 3 --steps 5", &picture), picture.to_bytes());
    }
}

#[test]
fn a_start_picture_is_generated_if_none_is_given() {
    let directory = tempfile::tempdir().unwrap();
    let (made, times) = (directory.path().join("made.pgm"), directory.path().join("times.svg"));
    let write = |line: &str| {
        let out = succeed(command(line).arg("--output").arg(&made).arg("--plot").arg(&times));
        let drawn = fs::read_to_string(&times).unwrap();
        assert!(drawn.contains("nonblocking"), "{drawn}");
        (out, Picture::read(&made).unwrap())
    };
    let (out, edge) = write("stencil --size 30 --ranks 4 --runs 1 --steps 1000 --competitors 1");
    let begin = "cores, 1 competitors: 30 x 30 cells (hot edge), 1000 steps, overlap\n";
    assert!(out.starts_with("4 ranks, ") && out.contains(begin), "{out}");
    assert_eq!((edge.width, edge.height, edge.white), (30, 30, 255));
    let (first, rest) = edge.samples.split_at(30);
    assert!(first.iter().all(|&sample| sample == 255), "the edge keeps its temperature");
    let middle: Vec<u16> = rest.iter().copied().skip(15).step_by(30).collect();
    assert!(middle.is_sorted_by(|a, b| a >= b) && middle[0] > 200 && middle[28] == 0, "{middle:?}");

    let line = "stencil --start spots --width 40 --height 20 --ranks 2 --runs 1 --steps 3";
    let (out, spots) = write(line);
    assert!(out.contains(": 40 x 20 cells (spots), 3 steps, overlap\n"), "{out}");
    assert_eq!((spots.width, spots.height), (40, 20));
    let hot = spots.samples.iter().filter(|&&sample| sample > 128).count();
    assert!((1..400).contains(&hot), "{hot}");
}

#[test]
fn the_program_runs_one_kind_of_barrier_or_both() {
    let rows = |options: &str| {
        let line = format!("stencil --size 12 --ranks 3 --runs 2 --steps 4 {options}");
        let out = succeed(&mut command(&line));
        let both = !options.contains("--barrier");
        assert_eq!(out.contains("\nRun by run, nonblocking / traditional is "), both, "{out}");
        let rows = out.lines().filter_map(|line| line.strip_prefix("| ")).skip(1);
        let cells = rows.map(|row| row.split('|').map(str::trim).step_by(2).take(2));
        cells.map(|cells| cells.collect::<Vec<_>>().join(" ")).collect::<Vec<_>>()
    };
    let both = rows("");
    assert_eq!((both.len(), &both[0][..]), (2, "traditional 1.00"));
    assert!(both[1].starts_with("nonblocking "), "{both:?}");
    assert_eq!(rows("--barrier traditional"), ["traditional 1.00"]);
    assert_eq!(rows("--barrier nonblocking --algorithm all-to-all"), ["nonblocking -"]);
}

#[test]
fn wrong_files_are_reported_with_their_names() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    fs::write(at("out.pgm"), "as it was").unwrap();
    for (content, error) in [
        (&b"P6 1 1 255 abc"[..], "it is no PGM file: it begins with \"P6 ...\", not with P2 or P5"),
        (b"P5 3 2\n", "it ends before the largest sample"),
        (b"P2 3 x 255", "byte 5: the height is \"x\", which is no unsigned number"),
        (b"P5 3 2 65536\n", "byte 7: the largest sample is 65536; it must be from 1 to 65535"),
        (b"P5 1 1 255#", "byte 10: one white-space byte must follow the largest sample"),
        (b"P5 3 2 255\nabc", "a picture of 3 x 2 has 6 samples; the file has 3"),
        (
            b"P5 1 1 255\nabc",
            "byte 12: there is more after the last sample; one picture is all that is read",
        ),
    ] {
        fs::write(at("in.pgm"), content).unwrap();
        let mut command = command("stencil --input");
        let told = fail(command.arg(at("in.pgm")).arg("--output").arg(at("out.pgm")));
        assert_eq!(told, format!("error: {}: {error}", at("in.pgm").display()));
    }
    assert_eq!(fs::read(at("out.pgm")).unwrap(), b"as it was");
    assert_eq!(listing(directory.path()), ["in.pgm", "out.pgm"]);

    for path in [&at("missing.pgm"), directory.path()] as [&Path; 2] {
        let why = fs::read(path).unwrap_err();
        let told = fail(command("stencil --input").arg(path));
        assert_eq!(told, format!("error: cannot read {}: {why}", path.display()));
    }
    let nowhere = at("in.pgm").join("out.pgm"); // a file is no folder
    let told = fail(command("stencil --size 5 --output").arg(&nowhere));
    assert!(told.starts_with(&format!("error: cannot write {}: ", nowhere.display())), "{told}");
}

#[test]
fn bad_options_are_refused() {
    for (line, error) in [
        ("--ranks 0", "'0' for '--ranks <RANKS>': 0 is not in 1..=65535"),
        ("--runs 0", "'0' for '--runs <RUNS>': 0 is not in 1..=4294967295"),
        ("--steps 0", "'0' for '--steps <STEPS>': 0 is not in 1..=4294967295"),
        ("--size 0", "'0' for '--size <CELLS>': 0 is not in 1..=32768"),
        ("--width 32769", "'32769' for '--width <CELLS>': 32769 is not in 1..=32768"),
        ("--order first", "'first' for '--order <ORDER>'"),
        ("--start cold", "'cold' for '--start <PICTURE>'"),
        ("--barrier none", "'none' for '--barrier <KIND>'"),
    ] {
        let told = refuse(&mut command(&format!("stencil {line}")));
        assert_eq!(told, format!("error: invalid value {error}"));
    }
    for line in ["--input x --size 5", "--input x --start spots", "--size 5 --height 6"] {
        let told = refuse(&mut command(&format!("stencil {line}")));
        assert!(told.contains("cannot be used with"), "{told}");
    }
    let told = fail(&mut command("stencil --size 5 --ranks 300 --runs 1 --output no/folder"));
    assert!(told.starts_with("error: cannot write no/folder: "), "{told}");
}

#[test]
fn the_digest_of_a_field_depends_on_every_bit() {
    let field = Field::new(3, (0..12).map(f64::from).collect());
    assert_eq!(field.digest(), field.clone().digest());
    for cell in 0..12 {
        for bit in 0..64 {
            let mut cells = field.rows(0..4).to_vec();
            cells[cell] = f64::from_bits(cells[cell].to_bits() ^ 1 << bit);
            assert_ne!(Field::new(3, cells).digest(), field.digest(), "cell {cell}, bit {bit}");
        }
    }
    assert_ne!(Field::new(4, field.rows(0..4).to_vec()).digest(), field.digest());
}
