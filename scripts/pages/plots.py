"""The plots of docs/figures.md: docs/figures/<name>.svg."""
import dataclasses
import re
from collections.abc import Callable

from . import cases as choose
from .bars import bar_chart
from .results import number, one_decimal, scaled


@dataclasses.dataclass
class Plot:
    name: str      # of the file, without .svg
    title: str
    says: str      # what is drawn, in whole sentences
    axis: str
    series: tuple
    groups: list   # as for bar_chart()
    results: list  # the files that the bars come from
    show: Callable = number

    def svg(self):
        runs = dict.fromkeys(run(data) for data in self.results)
        return bar_chart(self.title, "; ".join(runs), self.axis, self.series, self.groups, self.show)


def run(data):
    return f"{data['device']}, {data['date']}, commit {data.get('commit', 'unknown')}"


def readable(size):
    """16777216 rows, 14.9/row -> 16.8 M rows, 14.9/row"""
    return re.sub(r"\d{5,}", lambda found: scaled(int(found[0])).strip(), size)


def times(ratio):
    return "" if ratio is None else f"{ratio:.2f}x"


def note(*parts):
    return ", ".join(part for part in parts if part)


def pair(case, method="", peer=""):
    """The rate of ours with its method and ratio, and the peer's rate with its name where the names differ."""
    other = case.rate / case.ratio if case.ratio and case.rate else None
    return [(case.rate, note(method, times(case.ratio))), (other, peer)]


def sources(cases):
    found = []
    for case in cases:
        if all(case.result is not data for data in found):
            found.append(case.result)
    return found


def groups_of(*groups):
    """The groups that have something to draw, with the cases that have."""
    drawn = [(caption, [case for case in members if any(value for value, _ in case[1])])
             for caption, members in groups]
    return [(caption, members) for caption, members in drawn if members]


def plot_spmv(results):
    cases = choose.products(results)
    def bars(wanted):
        return [(case.kind, pair(case, case.method, case.peer)) for case in cases if wanted(case.kind)]
    plain, block = choose.is_plain, choose.is_block
    groups = groups_of(("One element kind on a box", bars(plain)),
                       ("Other numberings and meshes", bars(lambda kind: not plain(kind) and not block(kind))),
                       ("Block rows", bars(block)))
    return Plot("spmv", "Matrix times vector, y = A x",
                "Each matrix in our fastest format beside the fastest format of cuSPARSE; longer bars are faster.",
                "G non-zeros/s in double precision (longer is faster)", ("ours, fastest format", "fastest of the peer"),
                groups, sources(cases))


def per_row(case):
    """The same iteration as a rate: G rows/s."""
    return dataclasses.replace(case, rate=choose.magnitude(case.size) / case.ms / 1e6)


def plot_iteration(results):
    cases = [per_row(case) for case in choose.iterations(results)]
    jacobi = sorted(filter(choose.is_jacobi, cases), key=lambda case: choose.magnitude(case.size))
    others = choose.largest(case for case in cases if not choose.is_jacobi(case))

    def label(size):
        return re.sub(r", [\d.]+/row", "", readable(size))
    size = max((case.size for case in others), key=choose.magnitude, default="")
    groups = groups_of(("Jacobi-PCG by size", [(label(case.size), pair(case)) for case in jacobi]),
                       (f"Other methods and precisions, {label(size)}: ratio to the peer's Jacobi-PCG",
                        [(case.kind, pair(case)[:1]) for case in others if case.size == size]))
    return Plot("iteration", "One Krylov iteration on P1 tets",
                "Ours beside Jacobi-PCG made of cuSPARSE and cuBLAS, as rows of the system that one iteration gets"
                " through in a second; longer bars are faster. A stronger preconditioner costs more an iteration and"
                " needs fewer of them.",
                "G rows/s of one iteration (longer is faster)", ("ours", "Jacobi-PCG of cuSPARSE and cuBLAS"), groups,
                sources(cases))


def plot_matrix_free(results):
    cases = choose.matrix_free(results)
    def group(caption, shape):
        members = [case for case in cases if case.kind.endswith(shape)]
        alone = "" if any(case.ratio for case in members) else " (no assembled matrix in the run)"
        return caption + alone, [(case.kind, pair(case, case.method)) for case in members]
    return Plot("matrix_free", "Diffusion operator without a matrix",
                "Our fastest path in double precision, and where the run has the assembled matrix, the product with it"
                " in the format that `auto` takes; longer bars are faster.",
                "G unknowns/s in double precision (longer is faster)", ("without a matrix", "our assembled matrix"),
                groups_of(group("Hexahedra", "hexes"), group("Quadrangles", "quads")), sources(cases))


def plot_assembly(results):
    names = {"assembly": "Diffusion", "elasticity": "Elasticity, block rows", "convection": "Convection and diffusion"}
    found = {bench: sorted(choose.refills(results, bench), key=lambda case: not choose.is_plain(case.kind))
             for bench in names}
    groups = groups_of(*((names[bench], [(case.kind, [(case.products, note(case.method, f"{number(case.ms)} ms"))])
                                         for case in cases])
                         for bench, cases in found.items()))
    return Plot("assembly", "Refill of an assembled matrix",
                "Time of a refill by our fastest strategy over that of one product y = A x with the same matrix, each"
                " kind at its largest size; shorter bars are faster. No peer runs in the same process.",
                "products with the same matrix (shorter is faster)", ("ours, fastest strategy",),
                groups, sources(case for cases in found.values() for case in cases), one_decimal)


def plot_whole_runs(results):
    parts, wholes = choose.phases(results), choose.whole_runs(results)
    def bars(kind, size):
        members = [case for case in parts + wholes if (case.kind, case.size) == (kind, size)]
        return [(case.method, [(case.ms / 1e3, times(case.ratio)), (case.peer_ms / 1e3, "")])
                for case in members]
    groups = [(f"{case.kind}, {readable(case.size)}", bars(case.kind, case.size)) for case in wholes]
    return Plot("whole_runs", "From mesh to solution",
                "Poisson's problem on a cube of tets, both programs by conjugate gradients with Jacobi to 1e-8 on the"
                " same cores in turn, output left out; shorter bars are faster.",
                "seconds (shorter is faster)", ("ours", "FEniCSx"), groups, sources(wholes))


def make_plots(results):
    return [plot(results)
            for plot in (plot_spmv, plot_iteration, plot_matrix_free, plot_assembly, plot_whole_runs)]
