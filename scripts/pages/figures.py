"""docs/figures.md: ten rows, ours against the best peer, and a plot each for what matters most."""
import dataclasses

from . import cases as choose
from .plots import make_plots, readable, run, times
from .results import number, one_decimal

INTRO = """# Figures at a glance

Written by `scripts/performance` from `bench/results/*.json`; do not edit. [Performance](performance.md) has every row,
says [how figures are taken](performance.md#how-figures-are-taken) and
[what falls short](performance.md#what-falls-short).

Each line is a measurement of ours beside the best peer on the same data in the same run. *Ratio* is the peer's time
over ours: below 1 the peer is faster. *Of copy* is the time that the declared bytes take at the machine's copy
bandwidth, over ours; what fits into a cache may pass 1. *All cases* says from where to where the ratio goes over
everything measured for the row: sizes, meshes, numberings, methods. *Run* leads to the rows; the runs are named below
the table.
"""
PRODUCTS_WANTED = 3  # a refill is to cost no more


@dataclasses.dataclass
class Row:
    """A row of the table: `parts` [(what a result must hold for the part to stand, cases)], one below the other, and
    every case that counts for the range."""
    what: str
    parts: list
    every: list

    def shown(self):
        return [case for _, cases in self.parts for case in cases]


def only(cases, wanted):
    return [case for case in cases if wanted(case)]


def products_rows(results):
    cases = choose.products(results)
    scalar = only(cases, lambda case: not choose.is_block(case.kind))
    block = only(cases, lambda case: choose.is_block(case.kind))
    return [
        Row("Matrix times vector, our fastest format beside cuSPARSE's fastest",
            [("\"element, format\" of `spmv` on CUDA with a peer",
              only(scalar, lambda case: choose.is_plain(case.kind)))], scalar),
        Row("Matrix times vector in block rows, beside cuSPARSE's BSR",
            [("\"element, 3 x 3 blocks, format\" of `spmv` on CUDA with a peer",
              only(block, lambda case: case.kind.endswith("3 x 3 blocks")))], block),
    ]


def iteration_rows(results):
    cases = choose.iterations(results)
    jacobi, stronger = only(cases, choose.is_jacobi), only(cases, choose.is_preconditioned)
    return [
        Row("An iteration of conjugate gradients with Jacobi",
            [("\"Jacobi-PCG iteration\" of `krylov` on CUDA with a peer", choose.largest(jacobi))], jacobi),
        Row("An iteration with a stronger preconditioner, beside the peer's with Jacobi",
            [("\"PCG, preconditioner iteration\" of `krylov` on CUDA with a peer", choose.largest(stronger))],
            stronger),
    ]


def matrix_free_row(results):
    cases = choose.matrix_free(results)
    return Row("Diffusion without a matrix, beside the assembled matrix",
               [(f"\"method, {kind}\" of `matrix_free` on CUDA", only(cases, lambda case: case.kind == kind))
                for kind in ("Q4 hexes", "Q4 quads")], cases)


def refill_row(results):
    parts, every = [], []
    for bench, physics in (("assembly", "diffusion"), ("elasticity", "elasticity"), ("convection", "")):
        cases = choose.refills(results, bench)
        every += cases
        if physics:
            tets = only(cases, lambda case: case.kind == "P1 tet")
            parts.append((f"\"strategy, P1 tet\" of `{bench}` on CUDA with its products noted",
                          [dataclasses.replace(case, label=f"{physics}, {case.label}") for case in tets]))
    return Row("Refill of a matrix, counted in products with it for want of a peer", parts, every)


def direct_rows(results):
    systems, grids = choose.tridiagonal(results), choose.cyclic_reduction(results)
    single = choose.largest(only(systems, lambda case: " x " not in case.size))
    return [
        Row("One tridiagonal system, beside cuSPARSE without and with pivoting",
            [(f"of `tridiagonal` on CUDA with {peer} as its peer", only(single, lambda case: case.kind == peer))
             for peer in ("gtsv2_nopivot", "gtsv2")], systems),
        Row("Poisson on a grid by block cyclic reduction, beside sine transforms with cuFFT",
            [(f"\"radix 4\" of `bcr` on CUDA in {kind} beside sine transforms",
              choose.largest(only(grids, lambda case: case.kind == kind)))
             for kind in ("2-D", "3-D")], grids),
    ]


def host_rows(results):
    products = choose.products(results, "threads")
    iterations = only(choose.iterations(results, "threads"), choose.is_jacobi)
    return [
        Row("Whole runs on threads (all cases: their phases)",
            [("\"element, phase\" of `end_to_end` with a peer", choose.whole_runs(results))], choose.phases(results)),
        Row("Matrix times vector and an iteration on threads",
            [("\"P1 tet, format\" of `spmv` on threads with a peer",
              only(products, lambda case: case.kind == "P1 tet")),
             ("\"Jacobi-PCG iteration\" of `krylov` on threads with a peer", choose.largest(iterations))],
            products + iterations),
    ]


def make_rows(results):
    return [*products_rows(results), *iteration_rows(results), matrix_free_row(results), refill_row(results),
            *direct_rows(results), *host_rows(results)]


def counted(cases):
    return "1 case" if len(cases) == 1 else f"{len(cases)} cases"


def between(texts):
    """The first and the last of sorted texts: "1.01x to 1.44x"."""
    return texts[0] if texts[0] == texts[-1] else f"{texts[0]} to {texts[-1]}"


def ratio_of(case):
    if case.products:
        return f"{one_decimal(case.products)} products"
    return times(case.ratio) + (", slower" if case.ratio and case.ratio < 1 else "")


def least_to_greatest(cases):
    refills = [case for case in cases if case.products]
    if refills:
        return f"{between([one_decimal(n) for n in sorted(case.products for case in refills)])}, {counted(refills)}"
    compared = [case for case in cases if case.ratio]
    if not compared:
        return ""
    return f"{between([times(ratio) for ratio in sorted(case.ratio for case in compared)])}, {counted(compared)}"


def table(rows):
    """The table, and below it the runs that it names by letters."""
    heads = ("", "what", "case", "size", "ours, ms", "of copy", "best peer", "its ms", "ratio", "all cases", "run")
    lines = ["| " + " | ".join(heads) + " |", "|---:|---|---|---|---:|---:|---|---:|---:|---|---|"]
    runs = []
    for index, row in enumerate(rows, 1):
        for place, case in enumerate(row.shown()):
            if all(case.result is not data for data in runs):
                runs.append(case.result)
            letter = chr(ord("a") + next(k for k, data in enumerate(runs) if data is case.result))
            first = place == 0
            lines.append("| " + " | ".join([
                str(index) if first else "", row.what if first else "", case.label, readable(case.size),
                number(case.ms, 4), f"{case.of_copy:.2f}" if case.of_copy else "", case.peer,
                number(case.peer_ms, 2 if case.products else 4), ratio_of(case),
                least_to_greatest(row.every) if first else "", f"[{letter}](performance.md#{case.result['anchor']})",
            ]) + " |")
    named = [f"**{chr(ord('a') + k)}** `{data['bench']}`, {run(data)}" for k, data in enumerate(runs)]
    return "\n".join(lines) + "\n\nRuns: " + ";\n".join(named) + ".\n" if runs else ""


def left_out(rows):
    missing = [f"- {row.what}: no result has rows {needs}." for row in rows
               for needs, cases in row.parts if not cases]
    return "Left out, for it has not been measured yet:\n\n" + "\n".join(missing) + "\n" if missing else ""


def losses(rows):
    """The cases in which the peer is faster, one entry for each kind, and the refills that cost too much."""
    lines = []
    for row in rows:
        kinds = {}
        for case in row.every:
            if case.ratio and not case.products:
                kinds.setdefault(case.kind, []).append(case)
        entries = []
        for kind, cases in kinds.items():
            slower = sorted(only(cases, lambda case: case.ratio < 1), key=lambda case: case.ratio)
            sizes = [readable(case.size.split(",")[0]) for case in
                     sorted(slower, key=lambda case: choose.magnitude(case.size))]
            if slower:
                entries.append(f"{kind} {between([times(case.ratio) for case in slower])} in {len(slower)} of"
                               f" {counted(cases)}, {between(sizes)}")
        if entries:
            lines.append(f"- {row.what}: {'; '.join(entries)}.")
        refills = [case for case in row.every if case.products]
        dear = sorted(only(refills, lambda case: case.products > PRODUCTS_WANTED), key=lambda case: case.products)
        if dear:
            lines.append(f"- {row.what}: more than the {PRODUCTS_WANTED} products wanted in {len(dear)} of"
                         f" {counted(refills)}, the most in {dear[-1].label}: {one_decimal(dear[-1].products)}.")
    return ("## Where we are slower\n\nAmong the cases of the table;"
            " [what falls short](performance.md#what-falls-short) has all others, and causes.\n\n"
            + ("\n".join(lines) if lines else "In none.") + "\n")


def whole_solves(results):
    cases = choose.solves(results)
    if not cases:
        return ""
    said = "; ".join(f"{case.kind} {number(case.ms, 4)} ms" for case in sorted(cases, key=lambda case: case.ms))
    return f"Whole solves {cases[0].method} of {readable(cases[0].size)}, without a peer in the run: {said}.\n"


def show(plot, more=""):
    if not plot.groups:
        return f"## {plot.title}\n\nNo results to draw yet.\n"
    rows = {}
    for data in plot.results:
        rows.setdefault(run(data), []).append(f"[`{data['bench']}`](performance.md#{data['anchor']})")
    links = "; ".join(f"{name} (rows of {', '.join(links)})" for name, links in rows.items())
    return "\n".join(part for part in (f"## {plot.title}\n\n{plot.says} Measured on {links}.\n", more,
                                       f"![{plot.title}: {plot.axis}](figures/{plot.name}.svg)\n") if part)


def make_page(results):
    """The page, and {name of a file in docs/figures: its text}."""
    rows, plots = make_rows(results), make_plots(results)
    more = {"iteration": whole_solves(results)}
    parts = [INTRO, table([row for row in rows if row.shown()]), left_out(rows), losses(rows)]
    parts += [show(plot, more.get(plot.name, "")) for plot in plots]
    return "\n".join(part for part in parts if part), {f"{plot.name}.svg": plot.svg() for plot in plots if plot.groups}
