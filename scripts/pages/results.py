"""Results of benches: reading them, and how their numbers are written."""
import json
import re
import sys

# Titles of the sections, in the order in which they stand on docs/performance.md.
TITLES = {
    "spmv": "Matrix times vector",
    "krylov": "Krylov iterations and solves",
    "amg": "Multigrid",
    "multigrid": "Decks that multigrid solves",
    "assembly": "Numeric assembly",
    "convection": "Numeric assembly with a velocity",
    "elasticity": "Numeric assembly of elasticity",
    "matrix_free": "Matrix-free operators",
    "wave": "Waves by spectral elements",
    "edge": "Edge loops",
    "euler": "Stages of compressible flow",
    "time": "Steps of explicit schemes",
    "reactions": "Reactions of many nodes, exponentials of many matrices",
    "tridiagonal": "Tridiagonal systems",
    "grid_operator": "Stencils of grids without a matrix",
    "bcr": "Direct solutions on grids",
    "bvp": "Two-point boundary value problems",
    "lmsor": "Relaxation of convection-diffusion",
    "expression": "Expressions of decks",
    "coefficient": "Coefficients at quadrature points",
    "ranks": "Several GPUs",
    "steps": "Steps through time",
    "whole_runs": "From deck to solution",
    "end_to_end": "From mesh to solution",
}
ORDER = list(TITLES)


def read_results(folder):
    """Every result in the folder, in the order of the sections, with the `heading` and the `anchor` of its section."""
    results = []
    for path in sorted(folder.glob("*.json")):
        try:
            data = json.loads(path.read_text())
            data["rows"] = data.get("rows") or []
            data["bench"], data["backend"], data["device"], data["date"]
        except (ValueError, KeyError, TypeError) as problem:
            sys.exit(f"error: {path.name} in {folder} is not the result of a bench: {problem!r}")
        results.append(data)
    results.sort(key=lambda d: (ORDER.index(d["bench"]) if d["bench"] in ORDER else len(ORDER), d["bench"],
                                d["backend"], d["device"]))
    seen = {}
    for data in results:
        data["heading"] = f"{TITLES.get(data['bench'], data['bench'])}: {place(data)}"
        # A renderer numbers equal headings: the second is called heading-1.
        anchor = re.sub(r"[^\w\- ]", "", data["heading"].lower()).replace(" ", "-")
        data["anchor"] = f"{anchor}-{seen[anchor]}" if anchor in seen else anchor
        seen[anchor] = seen.get(anchor, 0) + 1
    return results


def place(data):
    return f"{data['backend']}, {data['device']}"


def number(value, digits=3):
    """A number with `digits` significant digits and no exponent."""
    if value is None:
        return ""
    if value == 0:
        return "0"
    text = f"{value:#.{digits}g}".rstrip(".")
    return f"{float(text):.0f}" if "e" in text else text


def one_decimal(value):
    return f"{value:.1f}"


def scaled(count):
    """1842411584 -> 1.84 G"""
    for unit, scale in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if count >= scale:
            return f"{number(count / scale)} {unit}"
    return f"{count:.0f} "


def amount(count):
    """1842411584 -> 1.84 GB"""
    return scaled(count) + "B"
