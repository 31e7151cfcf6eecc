#!/usr/bin/env python3
"""Draws the optimization history of a run as an SVG, with nothing but the standard library:

    esenas export runs/quickstart --format csv | python3 scripts/picture.py > docs/quickstart.svg

Values are at most 0 in the quick start, so their distance to 0 is drawn on a logarithmic axis.
"""

import csv
import math
import sys

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 320, 62, 16, 30, 44
CURVES = [("centre_mean", "centre (mean)", "#0072b2"), ("best", "best so far", "#d55e00")]


def main():
    rows = list(csv.DictReader(sys.stdin))
    rows = rows[:: max(1, len(rows) // 400)]
    xs = [int(row["total_evaluations"]) for row in rows]
    gaps = {name: [max(1e-12, -float(row[name])) for row in rows] for name, _, _ in CURVES}
    low = math.floor(math.log10(min(min(g) for g in gaps.values())))
    high = math.ceil(math.log10(max(max(g) for g in gaps.values())))

    def x_of(x):
        return LEFT + (WIDTH - LEFT - RIGHT) * x / xs[-1]

    def y_of(gap):
        return TOP + (HEIGHT - TOP - BOTTOM) * (high - math.log10(gap)) / (high - low)

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
    ]
    for power in range(low, high + 1):
        y = y_of(10.0**power)
        label = f"{-(10.0**power):g}"
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        out.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{label}</text>')
    for tick in range(0, 6):
        x = xs[-1] * tick / 5
        out.append(f'<text x="{x_of(x):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{x / 1000:,.0f}k</text>')
    out.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 8}" text-anchor="middle">evaluations</text>')
    out.append(f'<text x="{LEFT}" y="18">value of the quick start (the optimum is 0)</text>')
    for at, (name, label, colour) in enumerate(CURVES):
        points = " ".join(f"{x_of(x):.1f},{y_of(g):.1f}" for x, g in zip(xs, gaps[name]))
        out.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.8"/>')
        x = WIDTH - RIGHT - 240 + 120 * at
        out.append(f'<line x1="{x}" x2="{x + 18}" y1="14" y2="14" stroke="{colour}" stroke-width="3"/>')
        out.append(f'<text x="{x + 24}" y="18">{label}</text>')
    print("\n".join(out + ["</svg>"]))


main()
