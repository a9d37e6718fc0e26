"""The model of an iteration on many GPUs, fitted to the results of bench/ranks: docs/figures/scaling.svg and its part of
docs/scaling.md.

    t(N) = c + n b / B + d + s H(N) + r a log2(machines) + what the network does not hide

c and B: a straight line through the times of one GPU; d and s: another through what N GPUs of one machine take longer than one
with the same rows, over the bytes of a halo. What lies beyond one machine is assumed, and said so.
"""
import math
import re

BEGIN, END = "<!-- model: scripts/performance writes what follows -->", "<!-- end of the model -->"
METHODS = {"PCG, P1 tet": ("two reductions an iteration", 2), "PCG of one reduction, P1 tet": ("one reduction", 1)}
DEVICE = "NVIDIA H200"
GPUS_OF_MACHINE = 8
REDUCTION = 6.0     # us for each doubling of the machines: assumed
NETWORK = 25e3      # bytes a us (25 GB/s) for each GPU: assumed
LATENCY = 10.0      # us of an exchange between machines: assumed
COUNTS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]
SHOWN = [1, 2, 4, 8, 16, 64, 256, 1024]


def line(points):
    """(intercept, slope) of the straight line with the least squares."""
    count = len(points)
    x, y = sum(p[0] for p in points) / count, sum(p[1] for p in points) / count
    slope = sum((p[0] - x) * (p[1] - y) for p in points) / sum((p[0] - x) ** 2 for p in points)
    return y - slope * x, slope


def bricks(count):
    """How many along each axis, the fewest faces between them."""
    return min(((x, y, count // x // y) for x in range(1, count + 1) if count % x == 0
                for y in range(1, count // x + 1) if count // x % y == 0),
               key=lambda b: sum(b))


def faces(count):
    """Neighbours across faces of the brick that has most."""
    return sum(min(along - 1, 2) for along in bricks(count))


def halo(rows, count):
    """Bytes that a rank sends and receives for a product: a number of 8 B each way for each row of a face."""
    return 16 * faces(count) * rows ** (2 / 3)


class Measured:
    """A row of bench/ranks: all rows, ranks, us of one and of all, halo in bytes."""

    def __init__(self, data, row):
        dofs, ranks = re.match(r"(\d+) dofs on (\d+) ranks", row["size"]).groups()
        self.ranks, self.weak = int(ranks), "weak" in row["name"]
        self.each = int(dofs) / self.ranks
        self.of_one = int(dofs) / self.ranks if self.weak else int(dofs)
        self.alone, self.together = 1e3 * row["ms_of_one_rank"], 1e3 * row["ms"]
        self.halo = 1e6 * float(re.search(r"halo ([\d.]+) MB", row["note"])[1])
        self.machine = (data["device"], row["name"].split("another")[1:] != [])


class Method:
    def __init__(self, name, results):
        self.label, self.reductions = METHODS[name]
        self.rows = [Measured(data, row) for data in results for row in data["rows"]
                     if re.fullmatch(rf"{re.escape(name)}, (weak|strong)(, another machine)?", row["name"])]
        self.c, self.of_row = line([(row.of_one, row.alone) for row in self.rows])

    def beyond_one(self):
        """(halo, us more than one GPU with the same rows), where strong rows need the line of one GPU for these."""
        points = []
        for row in self.rows:
            same = row.alone if row.weak else row.alone - self.of_row * (row.of_one - row.each)
            points.append((row.halo, row.together - same))
        return points


class Model:
    def __init__(self, results):
        self.results = [data for data in results
                        if data["bench"] == "ranks" and data["device"].endswith(DEVICE) and data["backend"] == "cuda"]
        self.methods = [Method(name, self.results) for name in METHODS]
        self.points = [point for method in self.methods for point in method.beyond_one()]
        self.d, self.s = line(self.points)
        self.bytes_of_row = bytes_of_row(results)

    def one(self, method, rows):
        return method.c + method.of_row * rows

    def many(self, method, rows, count):
        """us of an iteration of `rows` on each of `count` GPUs."""
        us = self.one(method, rows)
        if count == 1:
            return us
        size = halo(rows, count)
        us += self.d + self.s * size
        machines = count / GPUS_OF_MACHINE
        if machines > 1:
            exchange = LATENCY + size / 2 / NETWORK
            us += method.reductions * REDUCTION * math.log2(machines) + max(0.0, exchange - method.of_row * rows / 2)
        return us


def bytes_of_row(results):
    """Of an iteration of Jacobi-PCG: the product in packed_ell, and the vectors as bench/krylov counts them beside CRS."""
    def of(bench, name, size):
        for data in results:
            if data["bench"] == bench and data["device"] == DEVICE:
                for row in data["rows"]:
                    if row["name"] == name and row["size"] == size:
                        return row["bytes"] / int(size.split()[0])
        return None
    size = "16777216 rows, 14.9/row"
    product = [of("spmv", f"P1 tet, {format}", size) for format in ("packed_ell", "crs")]
    iteration = of("krylov", "Jacobi-PCG iteration", size)
    return None if None in product + [iteration] else product[0] + iteration - product[1]


WEAK_ROWS = 33488896 // 2
STRONG_ROWS = 8 * WEAK_ROWS  # of all: what one machine of eight has in the weak curve


def efficiencies(model, method, weak):
    """[(N, efficiency)]: against one GPU (weak), against eight, whose memory such a problem needs (strong)."""
    if weak:
        return [(n, model.one(method, WEAK_ROWS) / model.many(method, WEAK_ROWS, n)) for n in COUNTS]
    base = 8 * model.many(method, STRONG_ROWS / 8, 8)
    return [(n, base / (n * model.many(method, STRONG_ROWS / n, n))) for n in COUNTS if n >= 8]


WIDTH, HEIGHT, LEFT, TOP, GAP = 380, 280, 62, 46, 66
COLOURS = ["#1b6ca8", "#c2571a"]


def panel(number, title, curves, points, low):
    x0 = LEFT + number * (WIDTH + GAP)
    def x(n):
        return x0 + WIDTH * math.log2(n) / 10
    def y(value):
        return TOP + HEIGHT * (1.02 - value) / (1.02 - low)
    out = [f'<text x="{x0 + WIDTH / 2}" y="{TOP - 16}" text-anchor="middle" font-size="14">{title}</text>']
    ticks = [tick / 20 for tick in range(21) if tick / 20 >= low - 1e-9] if low > 0.5 else [tick / 5 for tick in range(6)]
    for tick in ticks:
        out.append(f'<path d="M{x0} {y(tick):.1f}h{WIDTH}" stroke="#ddd"/>')
        out.append(f'<text x="{x0 - 8}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick:g}</text>')
    for n in COUNTS:
        out.append(f'<text x="{x(n):.1f}" y="{TOP + HEIGHT + 18}" text-anchor="middle">{n}</text>')
    out.append(f'<path d="M{x0} {TOP}v{HEIGHT}h{WIDTH}" fill="none" stroke="#333"/>')
    out.append(f'<path d="M{x(8):.1f} {TOP}v{HEIGHT}" stroke="#888" stroke-dasharray="3 4"/>')
    out.append(f'<text x="{x(8) - 6:.1f}" y="{TOP + 12}" text-anchor="end" fill="#666">one machine</text>')
    out.append(f'<text x="{x(8) + 6:.1f}" y="{TOP + 12}" fill="#666">several: assumed</text>')
    out.append(f'<text x="{x0 + WIDTH / 2}" y="{TOP + HEIGHT + 38}" text-anchor="middle">GPUs</text>')
    for i, (label, values) in enumerate(curves):
        path = "L".join(f"{x(n):.1f} {y(value):.1f}" for n, value in values)
        out.append(f'<path d="M{path}" fill="none" stroke-width="2" stroke="{COLOURS[i]}"/>')
        at = TOP + HEIGHT + 60 + 18 * i
        out.append(f'<path d="M{x0} {at - 4}h30" stroke-width="2" stroke="{COLOURS[i]}"/>')
        out.append(f'<text x="{x0 + 38}" y="{at}">{label}</text>')
    for i, measured in enumerate(points):
        out += [f'<circle cx="{x(n):.1f}" cy="{y(value):.1f}" r="4" fill="{COLOURS[i]}"/>' for n, value in measured]
    return out


def draw(model):
    weak = [(method.label, efficiencies(model, method, True)) for method in model.methods]
    strong = [(method.label, efficiencies(model, method, False)) for method in model.methods]
    measured = [[(row.ranks, row.alone / row.together) for row in method.rows if row.weak] for method in model.methods]
    low = 0.05 * math.floor(20 * min(value for _, curve in weak for _, value in curve))
    lines = panel(0, "Efficiency, 16.7 M rows a GPU (dots: measured)", weak, measured, low)
    lines += panel(1, "Efficiency, 134 M rows shared, over eight GPUs", strong, [], 0)
    size = (LEFT + 2 * (WIDTH + GAP), TOP + HEIGHT + 70 + 36)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{size[0]}" height="{size[1]}" font-family="sans-serif" '
            'font-size="12">\n<rect width="100%" height="100%" fill="white"/>\n' + "\n".join(lines) + "\n</svg>\n")


def fitted(model):
    out = ["| | c, us | n b / B, us for a million rows |", "|---|---:|---:|"]
    out += [f"| {method.label} | {method.c:.1f} | {1e6 * method.of_row:.2f} |" for method in model.methods]
    if model.bytes_of_row:
        first = model.methods[0]
        out += ["", f"An iteration of the first moves b = {model.bytes_of_row:.0f} B a row (the product in `packed_ell`, and the vectors), so B is "
                f"{model.bytes_of_row / (1e6 * first.of_row):.2f} TB/s. On N GPUs of one machine"
                f" d = {model.d:.1f} us and s = {1e6 * model.s:.1f} us a MB of the halo, through these:"]
    out += ["", "| GPUs | rows each, M | halo, MB | measured, us | model, us |", "|---|---:|---:|---:|---:|"]
    for method in model.methods:
        for row in method.rows:
            us = model.one(method, row.each) + model.d + model.s * row.halo
            other = ", another machine" if row.machine[1] else ""
            out.append(f"| {row.ranks}, {method.label}{other} | {row.each / 1e6:.1f} | {row.halo / 1e6:.2f} | {row.together:.1f} | {us:.1f} |")
    return out


def table(model):
    out = ["| GPUs | halo, MB | " + " | ".join(f"{method.label}: us | efficiency" for method in model.methods) + " |",
           "|---:|---:|" + "---:|---:|" * len(model.methods)]
    for n in SHOWN:
        cells = []
        for method in model.methods:
            us = model.many(method, WEAK_ROWS, n)
            cells.append(f"{us:.0f} | {model.one(method, WEAK_ROWS) / us:.3f}")
        out.append(f"| {n} | {halo(WEAK_ROWS, n) / 1e6:.1f} | " + " | ".join(cells) + " |")
    return out


def make(results, page):
    """The page with the part between its marks written anew, and {name: svg}."""
    model = Model(results)
    if BEGIN not in page or END not in page or not all(method.rows for method in model.methods):
        return page, {}
    before, rest = page.split(BEGIN, 1)
    after = rest.split(END, 1)[1]
    text = "\n".join([BEGIN, "", *fitted(model), "", *table(model), "", END])
    return before + text + after, {"scaling.svg": draw(model)}
