"""docs/performance.md: every row of every bench, and what falls short."""
from .results import amount, number, place

INTRO = """# Performance

Written by `scripts/performance` from `bench/results/*.json`; do not edit. [Figures at a glance](figures.md) is the page
to read first: one table, ours against the best peer, and five plots.

## How figures are taken

- A figure is a ratio taken in one run: against the copy bandwidth that the same program measured on the same machine just before, or
  against a peer library on the same data in the same process.
- *Declared bytes*: each input read once, each output written once, in the layout in use. *Least* is the time that these bytes take at
  copy bandwidth; *of copy* is least over measured. Traffic beyond the declared bytes counts against us.
- Times are medians of several samples after a warm-up, with device events on a GPU and a steady clock on a CPU; in brackets the least
  and the greatest sample. *Ratio* is the peer's time over ours: above 1 we are faster.
- Sizes are several times the last-level cache, unless the size is the point; what fits in the cache may pass copy bandwidth.
- A copy counts the bytes read and the bytes written.

| bench | declared bytes | data |
|---|---|---|
| `spmv` | 12 k + 24 per row, k non-zeros per row: value and column; row offset, x, y | random values; compared with the peer in the run |
| `krylov` | 12 k + 108 per row: the product and the passes over the vectors of Jacobi-PCG, fused where they can be | the assembled matrix, a random right-hand side |
| `amg` | none: set-up and solve to 1e-8, the second of two calls | assembled matrices, a random right-hand side; AMGX on the same matrix in the run; on threads hypre's BoomerAMG, of as many ranks, in turns with it |
| `multigrid` | none: the phases "lower orders" and "solve" of the second of two runs of a deck, set-up included | decks of higher order, elasticity, convection and modes; the preconditioners that are the alternative in the same process |
| `assembly` | the cells' unknowns, coordinates, places in the matrix, row offsets and coefficients read once; values and right-hand side written once | box meshes, constant coefficients; every strategy compared with `colour` in the run |
| `convection` | as `assembly`, and the velocity | box meshes, cell Peclet numbers about 1; every strategy compared with `colour` in the run |
| `elasticity` | as `assembly`, the matrix in block rows | box meshes, one isotropic material and its weight; every strategy compared with `colour` in the run; products are those of `block_crs` |
| `matrix_free` | x, y, the lists of unknowns and of contributions, the geometry that is kept | distorted boxes, random vectors; constants and the other geometry path as checks |
| `wave` | `force`: u, f, the scale, dofs, material and geometry of the cells once, the element vector twice; `step`: v and u beside | a cube of hexes, regular or smoothly distorted |
| `edge` | the edges' ends and coefficients, nodal values, each once; what a strategy keeps between its passes | box meshes; strategies compared with each other |
| `euler` | of the passes of a stage in `physics/conservation/scheme.hpp`: the lists of neighbours with c once, d, m and l as often as a pass reads or writes them, vectors of nodes each once a pass: `Scheme::bytes_per_stage` | boxes whose nodes are moved smoothly, a flow with a shock across it |
| `time` | passes of a scheme beside its right-hand side: `Stepper::bytes_per_step` | random vectors |
| `reactions` | none of reactions, see the steps of all nodes a second; matrices read and written once | mechanisms of mass action and named reactions from random states, checked for failed nodes, CVODE on all cores beside them where the build has found it; random matrices |
| `tridiagonal` | three diagonals, right-hand side and solution: 40 B a row in double (Toeplitz: 16 B) | random, diagonally dominant; backward errors, and differences from the peer |
| `grid_operator` | x read and y written once, b too for residuals: 16 and 24 B a node in double | random; equals the product of the same matrix in CRS |
| `bcr` | f read and u written once: 16 B an unknown in double | random; every solution compared with that of the sine transforms |
| `bvp` | 24 B an unknown given f in double, 12 in float | problems P1 and P2 of the source, with its printed errors |
| `lmsor` | an iteration: u 24 B a point in double, and 40, 24 or 16 B of coefficients by `recompute`; passes of several iterations read and write each array once | random wind and values; the residual after 4 iterations compared with the first row's |
| `coefficient` | the cells' nodes and their coordinates read once, the values written once | expressions at all quadrature points; the peer is what all cores take for the same values and a copy to the device, and the values are compared |
| `ranks` | none: an iteration of CG on several GPUs beside the same on one; see [scaling.md](scaling.md) | boxes with a rough source, a fixed number of iterations |
| `steps` | none: wall time of a step of `tessera run`, the difference of long and short runs; with states written, and on several GPUs | heat in a box of tetrahedra with a rough source; on several GPUs with periods of one cube |
| `whole_runs` | none: wall time of `tessera run` without output, from the start of the process to its end, and its phases | the cube with sines |
| `end_to_end` | none: times of whole phases, FEniCSx in the same run | the cube with sines |

To repeat: `build/release/bin/<name>_bench` with `--backend threads|cuda|all`, `--out FOLDER`, `--quick` for small sizes; `bench/end_to_end`;
`bench/whole_runs`; `bench/steps`; `bench/ranks` and `bench/steps --ranks N` on a machine with several GPUs.
"""


def milliseconds(row):
    if row.get("failed"):
        return "failed"
    text = number(row["ms"], 4)
    if "ms_min" in row and "ms_max" in row:
        text += f" ({number(row['ms_min'], 4)}..{number(row['ms_max'], 4)})"
    return text


def bandwidth(row):
    speed = row["GB_per_s"]
    return "" if not speed else f"{speed:.0f}" if speed >= 100 else number(speed)


def columns(data):
    """Pairs of heading and a function of a row; a column stands where any row has it."""
    copy = data.get("copy_GB_per_s")
    item = next((row["item"] for row in data["rows"] if "item" in row), "items")
    every = [
        ("case", None, lambda r: r["name"]),
        ("size", "size", lambda r: r["size"]),
        ("ms (min..max)", "ms", milliseconds),
        ("declared", "bytes", lambda r: amount(r["bytes"]) if r["bytes"] else ""),
        ("least ms", "bytes", lambda r: number(r["bytes"] / copy / 1e6) if copy and r["bytes"] else ""),
        ("GB/s", "GB_per_s", bandwidth),
        ("of copy", "copy_fraction", lambda r: f"{r['copy_fraction']:.2f}" if r["copy_fraction"] else ""),
        (f"G {item}/s", "G_items_per_s", lambda r: number(r["G_items_per_s"])),
        ("peer", "peer", lambda r: r["peer"]),
        ("peer ms", "peer_ms", lambda r: number(r["peer_ms"], 4)),
        ("ratio", "ratio", lambda r: f"{r['ratio']:.2f}x"),
        ("note", "note", lambda r: r["note"]),
    ]
    return [(head, key, show) for head, key, show in every
            if key is None or any(key in row for row in data["rows"])]


# Results whose program has another name.
PROGRAMS = {"reactions": "time_bench"}


def section(data):
    bench = data["bench"]
    lines = [f"## {data['heading']}", ""]
    program = bench if bench in ("end_to_end", "ranks", "steps", "whole_runs") else PROGRAMS.get(bench, f"{bench}_bench")
    facts = [f"`{program}`", data["date"],
             f"commit {data.get('commit', 'unknown')}"]
    if data.get("copy_GB_per_s"):
        facts.append(f"copy {number(data['copy_GB_per_s'], 4)} GB/s")
    lines += [", ".join(facts) + ".", ""]
    table = columns(data)
    text = {"case", "size", "peer", "note"}
    lines.append("| " + " | ".join(head for head, _, _ in table) + " |")
    lines.append("|" + "|".join("---" if head in text else "---:" for head, _, _ in table) + "|")
    for row in data["rows"]:
        cells = (show(row) if key is None or key in row else "" for _, key, show in table)
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


# Why a row is slower than its peer: (bench, backend, part of the name) -> cause.
CAUSES = {
    ("spmv", "cuda", "shuffled"): "a numbering without locality fetches a line of x for nearly every non-zero;"
    " renumber (`mesh.numbering`) first.",
    ("krylov", "cuda", "multicolour SSOR"): "a sweep is two launches a colour and reads x scattered; it pays where"
    " it saves most iterations, not on uniform boxes. The peer is an iteration of Jacobi-PCG.",
    ("krylov", "cuda", "Chebyshev"): "an iteration holds `degree` products more than that of the peer, Jacobi-PCG.",
    ("krylov", "cuda", "BiCGStab"): "two products an iteration; the peer is Jacobi-PCG, with one.",
    ("bcr", "cuda", "radix"): "below 2047 rows a solution is a chain of short kernels, in 3-D a chain of chains; at"
    " 8191 the right-hand sides of radix 4 do not fit into shared memory at once. On such grids take `solver.type = \"fft\"`.",
    ("krylov", "cuda", "GMRES"): "an iteration orthogonalises against up to 30 vectors; the peer is Jacobi-PCG.",
}


# What ratio to a peer is aimed at where it is not 1: (bench, beginning of the peer's name) -> ratio.
AIMS = {("bcr", "sine transforms"): 1 / 3, ("bcr", "radix 2"): 1.25}


def aim(bench, row):
    return next((ratio for (of, peer), ratio in AIMS.items() if of == bench and row["peer"].startswith(peer)), 1)


def behind_peer(files):
    """Rows slower than what is aimed at beside their peer, one line for each bench and cause."""
    groups = {}
    for data in files:
        for row in data["rows"]:
            if "ratio" not in row or row["ratio"] >= aim(data["bench"], row):
                continue
            cause = next((text for (bench, backend, part), text in CAUSES.items()
                          if bench == data["bench"] and backend == data["backend"] and part in row["name"]), "")
            wanted = f" ({number(aim(data['bench'], row))}x wanted)" if aim(data["bench"], row) != 1 else ""
            name = f"{row['name']}, {row['size']}: {row['ratio']:.2f}x of {row['peer']}{wanted}"
            groups.setdefault((data["bench"], place(data), cause), []).append(name)
    return [f"- **{bench}** ({where}): {'; '.join(names)}.{' ' + cause[0].upper() + cause[1:] if cause else ''}"
            for (bench, where, cause), names in groups.items()]


def krylov_behind(files):
    found = []
    for data in files:
        for row in data["rows"]:
            if data["bench"] != "krylov" or not row["name"].startswith("Jacobi-PCG iteration") \
                    or row.get("copy_fraction", 1) >= 1 / 1.15:
                continue
            cause = (f" In {number(1e3 * row['ms'])} us the latency of kernels that wait for one another shows."
                     if row["ms"] < 0.2 else "")
            found.append(f"- **{row['name']}, {row['size']}** ({place(data)}): {row['copy_fraction']:.2f} of copy,"
                         f" which is less than the 0.87 wanted.{cause}")
    return found


def assembly_behind(files):
    """The best strategy of each element, where a refill takes more than three products."""
    found = []
    for data in files:
        if data["bench"] not in ("assembly", "convection", "elasticity"):
            continue
        best = {}
        for row in data["rows"]:
            element = row["name"].split(", ", 1)[-1]
            if " SpMV" in row.get("note", "") and (
                    element not in best or row["G_items_per_s"] > best[element]["G_items_per_s"]):
                best[element] = row
        worst = [f"{row['name']} {row['note'].split(' SpMV')[0]}" for row in best.values()
                 if float(row["note"].split(" SpMV")[0].split()[-1]) > 3]
        if worst:
            found.append(f"- **{data['bench']}** ({place(data)}): a refill is to cost three products; the best strategy"
                         " of each element takes, in products, " + "; ".join(worst) + ".")
    return found


def shortfalls(files):
    lines = behind_peer(files) + krylov_behind(files) + assembly_behind(files)
    lines.append("- **No peer for assembly** runs in the same process; every strategy is compared with the colours in"
                 " the run, and with the threads in the tests.")
    return "## What falls short\n\nWith the causes as far as they are known.\n\n" + "\n".join(lines) + "\n"


def make_page(results):
    return "\n".join([INTRO, shortfalls(results)] + [section(data) for data in results])
