"""Prints the tables of README.md from the samples that benches/readme/measure took.

Usage: python3 benches/readme/tables.py DIRECTORY
"""

import json
import pathlib
import statistics
import sys

WAITING = ["yield", "block", "adaptive"]
MEANING = {
    "base": "binary trees, blocking butterfly barrier",
    "flat": "flat trees",
    "nonblocking": "`barrier()` does not wait",
    "smart": "send first to the rank last heard from",
    "best": "the defaults of runahead",
}


def read(directory, name):
    return json.loads((directory / f"{name}.json").read_text())["variants"]


def median(cell, variant, notify):
    return cell[f"{variant}/{notify}"]["median_s"]


def row(*columns):
    print("| " + " | ".join(columns) + " |")


def sort_table(cell):
    row("variant", *(f"{notify} | / base" for notify in WAITING))
    print("|---|" + "---:|---:|" * len(WAITING))
    for variant, meaning in MEANING.items():
        columns = []
        for notify in WAITING:
            time = median(cell, variant, notify)
            columns += [f"{time * 1e3:.0f} ms", f"{time / median(cell, 'base', notify):.2f}"]
        row(f"`{variant}`: {meaning}", *columns)
    best, base = median(cell, "best", "adaptive"), median(cell, "base", "yield")
    print(f"best/adaptive to base/yield: {best / base:.2f}; to base/block: "
          f"{best / median(cell, 'base', 'block'):.2f}")


def control_table(directory):
    row("program, 8 ranks unless said", "beside it", *(f"{n}: waits | does not" for n in WAITING))
    print("|---|---|" + "---:|---:|" * len(WAITING))
    cells = [
        ("radix sort", "competitors", "radix-competitors"),
        ("radix sort", "nothing", "radix-none"),
        ("prefix scan", "competitors", "scan-competitors"),
        ("prefix scan", "nothing", "scan-none"),
        ("barrier loop, 4 ranks", "bursts", "barrier-burst-4"),
        ("barrier loop", "bursts", "barrier-burst-8"),
        ("stencil, overlap, 4 ranks", "bursts", "overlap-burst-4"),
        ("stencil, overlap", "bursts", "overlap-burst-8"),
        ("stencil, fence, 4 ranks", "bursts", "fence-burst-4"),
    ]
    for program, load, name in cells:
        cell = read(directory, name)
        columns = []
        for notify in WAITING:
            base = median(cell, "base", notify)
            columns += [f"{median(cell, v, notify) / base:.2f}" for v in ("flat", "best")]
        row(program, load, *columns)


def mpi_table(directory):
    file = directory / "peers.json"
    if not file.exists():
        print("no MPI was there to compare with")
        return
    for name, cell in json.loads(file.read_text())["cells"].items():
        medians = {
            contestant: statistics.median(sample["figures"]["time_s"] for sample in entry["samples"])
            for contestant, entry in cell["contestants"].items()
        }
        mpi = medians.pop("openmpi-yield")
        ratios = ", ".join(f"{ours} {time / mpi:.2f}" for ours, time in medians.items())
        print(f"{name}: the same sort on Open MPI {mpi * 1e3:.0f} ms; to that: {ratios}")


def main():
    directory = pathlib.Path(sys.argv[1])
    sort_table(read(directory, "radix-competitors"))
    print()
    control_table(directory)
    print()
    mpi_table(directory)


main()
