#!/usr/bin/env python3
"""docs/figures.md follows the results: rows come and go with them, losses are said, plots are sound."""
import copy
import pathlib
import re
import sys
import tempfile
import unittest
import xml.etree.ElementTree

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
from pages import cases, figures, performance  # noqa: E402
from pages.results import read_results  # noqa: E402


def row(name, size, ms, **more):
    return {"name": name, "size": size, "ms": ms, "copy_fraction": 0.5, "G_items_per_s": 1 / ms, **more}


def compared(name, size, ms, peer, peer_ms, **more):
    return row(name, size, ms, peer=peer, peer_ms=peer_ms, ratio=peer_ms / ms, **more)


def result(bench, rows, backend="cuda", device="GPU", date="2026-01-01"):
    return {"bench": bench, "backend": backend, "device": device, "date": date, "commit": "abc", "rows": rows,
            "heading": bench, "anchor": f"{bench}-{device}"}


def full_results():
    """One result of every bench that the page draws from."""
    return [
        result("spmv", [
            compared("P1 tet, crs", "1000000 rows", 2.0, "CSR", 3.0),
            compared("P1 tet, packed_ell", "1000000 rows", 1.0, "SELL", 1.5),
            compared("P1 tet, crs", "1000 rows", 0.1, "CSR", 0.9),
            compared("P1 tet, 3 x 3 blocks, block_crs", "300000 rows", 2.0, "bsrmv", 5.0),
            compared("P1 tet shuffled, crs", "1000000 rows", 4.0, "CSR", 3.0)]),
        result("krylov", [
            compared("Jacobi-PCG iteration", "1000000 rows, 14.8/row", 1.0, "lib", 2.0),
            compared("PCG, SSOR iteration", "1000000 rows, 14.8/row", 4.0, "lib", 2.0),
            row("to 1e-8: Jacobi-PCG", "1000000 rows, 14.8/row", 500.0)]),
        result("matrix_free", [row("sum factorisation, Q4 hexes", "1000 dofs", 1.0),
                               compared("sum factorisation, Q4 quads", "1000 dofs", 1.0, "assembled", 3.0)]),
        result("assembly", [row("colour, P1 tet", "1000 cells", 9.0, note="20.0 SpMV; set-up"),
                            row("nonzeros, P1 tet", "1000 cells", 1.0, note="2.5 SpMV; set-up")]),
        result("elasticity", [row("two_pass, P1 tet", "1000 cells", 1.0, note="3.7 SpMV; set-up")]),
        result("tridiagonal", [compared("spike_cr", "1000 rows", 1.0, "gtsv2_nopivot", 4.0),
                               compared("spike_pivoting", "1000 rows", 1.0, "gtsv2", 5.0)]),
        result("bcr", [compared("radix 4", "63^2", 1.0, "sine transforms", 2.0),
                       compared("radix 4", "63^3", 4.0, "sine transforms", 1.0)]),
        result("end_to_end", [compared("P1 tet, matrix: all", "10 cells", 100.0, "FEniCSx", 300.0),
                              compared("P1 tet, solve", "10 cells", 100.0, "FEniCSx", 100.0)], "threads", "CPU"),
        result("spmv", [compared("P1 tet, crs", "1000 rows", 1.0, "Eigen", 2.0)], "threads", "CPU"),
        result("krylov", [compared("Jacobi-PCG iteration", "1000 rows", 1.0, "Eigen", 2.0)], "threads", "CPU"),
    ]


def numbered_rows(page):
    return re.findall(r"^\| \d+ \|", page, re.MULTILINE)


class Figures(unittest.TestCase):
    def test_every_result_gives_ten_rows_and_five_plots(self):
        page, plots = figures.make_page(full_results())
        self.assertEqual(len(numbered_rows(page)), 10)
        self.assertEqual(len(plots), 5)
        self.assertNotIn("Left out", page)

    def test_a_bench_without_results_is_left_out_and_named(self):
        for left_out in full_results():
            results = [data for data in full_results()
                       if (data["bench"], data["backend"]) != (left_out["bench"], left_out["backend"])]
            page, _ = figures.make_page(results)
            self.assertIn("Left out", page, left_out["bench"])

    def test_no_results_give_a_page_that_says_so(self):
        page, plots = figures.make_page([])
        self.assertEqual((len(numbered_rows(page)), plots), (0, {}))
        self.assertEqual(page.count("No results to draw yet."), 5)

    def test_rows_without_times_peers_or_rates_break_nothing(self):
        for key in ("ms", "size", "peer", "peer_ms", "ratio", "copy_fraction", "G_items_per_s", "note"):
            results = full_results()
            for data in results:
                data["rows"] = [{k: v for k, v in entry.items() if k != key} for entry in data["rows"]]
            figures.make_page(results)

    def test_the_fastest_format_stands_beside_the_fastest_of_the_peer_at_the_largest_size(self):
        case = next(case for case in cases.products(full_results()) if case.kind == "P1 tet")
        self.assertEqual((case.method, case.size, case.ms, case.peer, case.peer_ms),
                         ("packed_ell", "1000000 rows", 1.0, "SELL", 1.5))

    def test_ratios_do_not_mix_runs(self):
        results = full_results()
        another_run = copy.deepcopy(results[0])
        another_run["rows"][1] |= {"ms": 3.0, "peer_ms": 0.5}
        found = [case for case in cases.products(results + [another_run]) if case.kind == "P1 tet"]
        self.assertEqual([(case.ms, case.peer_ms) for case in found], [(1.0, 1.5)])

    def test_the_device_measured_last_is_shown(self):
        newer = result("tridiagonal", [compared("spike_cr", "10 rows", 1.0, "gtsv2_nopivot", 7.0)], "cuda", "new GPU",
                       "2026-02-01")
        self.assertEqual([case.ratio for case in cases.tridiagonal(full_results() + [newer])], [7.0])

    def test_wrong_results_are_not_shown(self):
        results = full_results()
        results[0]["rows"][1]["note"] = "differs by 1e-01 WRONG"
        case = next(case for case in cases.products(results) if case.kind == "P1 tet")
        self.assertEqual(case.method, "crs")

    def test_a_row_that_failed_has_no_time(self):
        results = [result("spmv", [row("fine", "9 rows", 7.0), row("broken", "9 rows", 1.0) | {"ms": 0, "failed": True}])]
        page = performance.make_page(results)
        self.assertRegex(page, r"\| broken \| 9 rows \| failed \|")
        self.assertEqual([found["name"] for found in cases.rows_of(results, "spmv")], ["fine"])

    def test_losses_are_said(self):
        page, _ = figures.make_page(full_results())
        slower = page.partition("## Where we are slower")[2].partition("\n## ")[0]
        for loss in ("P1 tet shuffled 0.75x", "PCG, SSOR 0.50x", "3-D 0.25x"):
            self.assertIn(loss, slower)
        self.assertIn("0.50x, slower", page)
        self.assertIn("more than the 3 products wanted in 1 of 2 cases", slower)

    def test_phases_add_up_to_whole_runs(self):
        whole, = cases.whole_runs(full_results())
        self.assertEqual((whole.ms, whole.peer_ms), (200.0, 400.0))

    def test_plots_are_small_sound_svg_that_is_drawn_on_white(self):
        _, plots = figures.make_page(full_results())
        _, measured = figures.make_page(read_results(ROOT / "bench" / "results"))
        for name, svg in [*plots.items(), *measured.items()]:
            root = xml.etree.ElementTree.fromstring(svg)
            width, height = float(root.get("width")), float(root.get("height"))
            space = "{http://www.w3.org/2000/svg}"
            self.assertLess(len(svg.encode()), 30000, name)
            self.assertEqual(root.find(f"{space}rect").get("fill"), "white", name)
            for bar in list(root.iter(f"{space}rect"))[1:]:
                self.assertLessEqual(float(bar.get("x")) + float(bar.get("width")), width, name)
            for words in root.iter(f"{space}text"):
                self.assertTrue(0 <= float(words.get("x")) < width and 0 < float(words.get("y")) < height, name)

    def test_links_lead_to_sections_of_the_page_with_all_rows(self):
        with tempfile.TemporaryDirectory() as folder:
            for k in range(2):
                (pathlib.Path(folder) / f"{k}.json").write_text(
                    '{"bench": "spmv", "backend": "cuda", "device": "A (R) 1", "date": "2026-01-01"}')
            twice = read_results(pathlib.Path(folder))
        self.assertEqual([data["anchor"] for data in twice],
                         ["matrix-times-vector-cuda-a-r-1", "matrix-times-vector-cuda-a-r-1-1"])
        results = read_results(ROOT / "bench" / "results")
        headings = re.findall(r"^## (.*)", performance.make_page(results), re.MULTILINE)
        self.assertEqual([heading for heading in headings if ": " in heading], [data["heading"] for data in results])
        anchors = {data["anchor"] for data in results} | {"how-figures-are-taken", "what-falls-short"}
        page, _ = figures.make_page(results)
        for link in re.findall(r"performance\.md#([\w-]+)", page):
            self.assertIn(link, anchors)


if __name__ == "__main__":
    unittest.main()
