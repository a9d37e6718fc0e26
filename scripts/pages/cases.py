"""What docs/figures.md shows: cases chosen from the results by the names of their rows; new results flow through."""
import dataclasses
import re


@dataclasses.dataclass
class Case:
    """A measurement of ours beside the best peer of the same run."""
    label: str
    size: str
    ms: float
    result: dict                        # the file that it comes from: device, date, commit
    of_copy: float | None = None
    peer: str = ""
    peer_ms: float | None = None
    rate: float | None = None           # G items/s
    products: float | None = None       # a refill, in products with the matrix that it fills
    kind: str = ""                      # the label without the method
    method: str = ""

    @property
    def ratio(self):
        return self.peer_ms / self.ms if self.peer_ms else None


def make_case(row, label=None, **more):
    values = dict(label=label or row["name"], size=row["size"], ms=row["ms"], result=row["result"],
                  of_copy=row.get("copy_fraction"), peer=row.get("peer", ""), peer_ms=row.get("peer_ms"),
                  rate=row.get("G_items_per_s"))
    return Case(**values | more)


def rows_of(results, bench, backend="cuda"):
    """The rows of a bench on a backend, each with its `result`; of several devices, those of the one measured last."""
    files = [data for data in results if (data["bench"], data["backend"]) == (bench, backend)]
    if not files:
        return []
    device = max(files, key=lambda data: data["date"])["device"]
    return [{"size": ""} | row | {"result": data} for data in files if data["device"] == device for row in data["rows"]
            if isinstance(row.get("ms"), (int, float)) and row["ms"] > 0 and "WRONG" not in row.get("note", "")]


def has_peer(row):
    return bool(row.get("peer") and row.get("peer_ms"))


def magnitude(size):
    """The number that a size begins with: "255^3" -> 255^3, "4095 x 1023 rows" -> 4095 * 1023."""
    found = re.match(r"(\d+)(?:\^(\d+)| x (\d+))?", size)
    return int(found[1]) ** int(found[2] or 1) * int(found[3] or 1) if found else 0


def largest(cases, key=lambda case: case.kind):
    """Of each kind the case of the greatest size; of equal sizes the one measured last."""
    found = {}
    for case in cases:
        rank = (magnitude(case.size), case.result["date"])
        if key(case) not in found or rank > (magnitude(found[key(case)].size), found[key(case)].result["date"]):
            found[key(case)] = case
    return list(found.values())


def fastest(rows, split):
    """{(kind, size, run): [(method, row)], the fastest first}; split: row -> (method, kind), or None."""
    groups = {}
    for row in rows:
        parts = split(row)
        if parts:
            groups.setdefault((parts[1], row["size"], id(row["result"])), []).append((parts[0], row))
    return {key: sorted(members, key=lambda member: member[1]["ms"]) for key, members in groups.items()}


def products(results, backend="cuda"):
    """y = A x: of every kind of matrix our fastest format beside the peer's fastest, rows "kind, format"."""
    def split(row):
        return tuple(reversed(row["name"].rsplit(", ", 1))) if has_peer(row) and ", " in row["name"] else None
    cases = []
    for (kind, _, _), members in fastest(rows_of(results, "spmv", backend), split).items():
        method, row = members[0]
        peer = min((member for _, member in members), key=lambda member: member["peer_ms"])
        cases.append(make_case(row, f"{kind}, {method}", kind=kind, method=method, peer=peer["peer"],
                               peer_ms=peer["peer_ms"]))
    return largest(cases)


def is_plain(kind):
    """Whether a kind of matrix is that of one element on a box as numbered: "P1 tet", not "P1 tet shuffled"."""
    return re.fullmatch(r"[PQ]\d \w+", kind) is not None


def is_block(kind):
    return re.search(r"\d x \d blocks", kind) is not None


def iterations(results, backend="cuda"):
    """Iterations of Krylov methods; the peer is Jacobi-PCG from its library's parts."""
    return [make_case(row, row["name"].removesuffix(" iteration"), kind=row["name"].removesuffix(" iteration"),
                      peer=f"Jacobi-PCG of {row['peer']}")
            for row in rows_of(results, "krylov", backend) if row["name"].endswith(" iteration") and has_peer(row)]


def is_jacobi(case):
    return case.kind == "Jacobi-PCG"


def is_preconditioned(case):
    """Conjugate gradients with something stronger than Jacobi: "PCG, multicolour SSOR"."""
    return case.kind.startswith("PCG, ")


def solves(results, backend="cuda"):
    """Whole solves to a tolerance, of the greatest system with more than one: rows "to 1e-8: method"."""
    cases = [make_case(row, method, kind=method, method=row["name"].split(":")[0])
             for row in rows_of(results, "krylov", backend)
             for method in [row["name"].partition(": ")[2]] if row["name"].startswith("to 1e-")]
    size = max((case.size for case in cases), key=magnitude, default="")
    return [case for case in cases if case.size == size]


def matrix_free(results):
    """Our fastest product without a matrix in double beside our assembled one, rows "method, Q4 hexes"."""
    def split(row):
        found = re.fullmatch(r"(.*), (Q\d+ (?:hexes|quads))", row["name"])
        return found.groups() if found and "float" not in found[1] and not found[1].startswith("assembled") else None
    cases = []
    for (kind, _, _), members in fastest(rows_of(results, "matrix_free"), split).items():
        method, row = members[0]
        peer = f"our {row['peer']} matrix" if has_peer(row) else "none in the run"
        cases.append(make_case(row, f"{kind}, {method}", kind=kind, method=method, peer=peer))
    return largest(cases)


def refills(results, bench, backend="cuda"):
    """Refills of a matrix by the fastest strategy, in products: rows "strategy, kind" that note "2.8 SpMV"."""
    def split(row):
        return tuple(row["name"].split(", ", 1)) if ", " in row["name"] and count(row) else None

    def count(row):
        found = re.match(r"([\d.]+) SpMV", row.get("note", ""))
        return float(found[1]) if found else None
    cases = []
    for (kind, _, _), members in fastest(rows_of(results, bench, backend), split).items():
        method, row = members[0]
        cases.append(make_case(row, f"{kind}, {method}", kind=kind, method=method, peer="one product y = A x",
                               peer_ms=row["ms"] / count(row), products=count(row)))
    return largest(cases)


def tridiagonal(results):
    """Tridiagonal systems beside a solver of cuSPARSE; its names stand in `kind`."""
    return [make_case(row, kind=row["peer"], peer=f"cuSPARSE {row['peer']}")
            for row in rows_of(results, "tridiagonal") if has_peer(row) and "gtsv" in row["peer"]]


def cyclic_reduction(results):
    """Block cyclic reduction of radix 4 beside our sine transforms; `kind` is 2-D or 3-D."""
    return [make_case(row, kind=f"{row['size'].rpartition('^')[2]}-D", peer="our sine transforms")
            for row in rows_of(results, "bcr")
            if has_peer(row) and (row["name"], row["peer"]) == ("radix 4", "sine transforms")]


def phases(results):
    """Phases of whole runs beside FEniCSx, rows "P1 tet, solve"; `kind` is the element, `method` the phase."""
    return [make_case(row, row["name"].partition(":")[0], kind=row["name"].split(", ")[0],
                      method=row["name"].partition(":")[0].split(", ", 1)[1])
            for row in rows_of(results, "end_to_end", "threads") if has_peer(row) and ", " in row["name"]]


def whole_runs(results):
    """The phases of each element added up."""
    sums = {}
    for case in phases(results):
        whole = sums.setdefault((case.kind, case.size, id(case.result)), dataclasses.replace(
            case, label=f"{case.kind}, mesh to solution", method="all phases", ms=0.0, peer_ms=0.0, of_copy=None))
        whole.ms += case.ms
        whole.peer_ms += case.peer_ms
    return largest(sums.values())
