"""Bar charts as plain SVG: dark text on white, so that they read in light and in dark viewers."""
import html
import math

from .results import number

COLOURS = ("#2f6db5", "#e08a2c")  # ours, the peer: apart for the colour-blind and in grey, too
INK, GRID = "#1a1a1a", "#d9d9d9"
WIDTH = 900
EDGE = 16
BAR, LINE, GAP = 12, 14, 7  # heights of a bar, of the line that it stands on, and between the bars of two cases
LETTER = 7.2                # width of a letter of 12 px, on the safe side


def text(x, y, words, size=12, anchor="start", weight="normal"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" font-weight="{weight}" '
            f'fill="{INK}">{html.escape(words)}</text>')


def box(x, y, width, height, colour):
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height}" fill="{colour}"/>'


def tick_step(greatest, ticks=6):
    """The greatest of 1, 2, 5, 10 ... that gives about as many ticks."""
    power = 10 ** math.floor(math.log10(greatest / ticks))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= greatest / ticks)


def bar_chart(title, subtitle, axis, series, groups, show=number):
    """Horizontal bars, one for each value, with the value and its note at the end.

    title, subtitle, axis: words; the axis names its unit.
    series: names of ours and, if any, of the peer, for the legend.
    groups: [(caption, [(label, [(value or None, note), one for each of series], ...)])].
    show: the words for a value.
    """
    cases = [case for _, members in groups for case in members]
    bars = [bar for _, pair in cases for bar in pair if bar[0] is not None]
    greatest = max(value for value, _ in bars)

    def words(bar):
        return show(bar[0]) + (f" ({bar[1]})" if bar[1] else "")

    left = EDGE + LETTER * max(len(label) for label, _ in cases) + 8
    room = WIDTH - EDGE - left
    # The greatest scale at which every bar has room for its words, and in any case a fifth of the room for the longest.
    scale = min((room - 6 - LETTER * len(words(bar))) / bar[0] for bar in bars if bar[0])
    scale = max(scale, 0.2 * room / greatest)
    step = tick_step(greatest)
    ticks = [(left + k * step * scale, f"{k * step:g}") for k in range(int(greatest / step) + 1)]

    out = [text(EDGE, 28, title, 16, weight="bold"), text(EDGE, 48, subtitle)]
    x, y = EDGE, 68
    for name, colour in zip(series, COLOURS):
        out += [box(x, y - 10, 12, 12, colour), text(x + 18, y, name)]
        x += 18 + LETTER * len(name) + 24
    for caption, members in groups:
        y += 26
        out.append(text(EDGE, y, caption, 13, weight="bold"))
        y += 8
        lines = sum(value is not None for _, pair in members for value, _ in pair)
        height = lines * LINE + len(members) * GAP
        # Lines stand under the bars of their group, and do not cross its caption.
        out += [f'<path d="M{x:.1f} {y}v{height}" stroke="{GRID if k else INK}"/>' for k, (x, _) in enumerate(ticks)]
        for label, pair in members:
            drawn = [(bar, colour) for bar, colour in zip(pair, COLOURS) if bar[0] is not None]
            y += GAP / 2
            out.append(text(left - 8, y + LINE * len(drawn) / 2 + 4, label, anchor="end"))
            for bar, colour in drawn:
                out.append(box(left, y + (LINE - BAR) / 2, max(bar[0] * scale, 1), BAR, colour))
                out.append(text(left + bar[0] * scale + 6, y + BAR - 1, words(bar)))
                y += LINE
            y += GAP / 2
    out += [text(x, y + 16, label, anchor="middle") for x, label in ticks]
    out.append(text(left, y + 36, axis))
    height = math.ceil(y + 48)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
            f'viewBox="0 0 {WIDTH} {height}" font-family="Helvetica, Arial, DejaVu Sans, sans-serif">\n'
            f'<title>{html.escape(title)}</title>\n<rect width="100%" height="100%" fill="white"/>\n'
            + "\n".join(out) + "\n</svg>\n")
