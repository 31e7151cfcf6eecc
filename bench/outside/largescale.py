"""COCO's bbob-largescale: 80 to 640 weights, no decisions."""

import settings

import peers

SOME = (1, 2, 6, 8, 10, 12, 15, 17, 21, 24)


def suite(out, quick):
    """Each dimension beside peers that are made for it; instance 1."""
    algorithms = {"auto": peers.esenas(), "SepCMA": peers.sep_cma}
    algorithms |= {name: peers.pypop(name) for name in ("LMCMA", "MMES", "LMMAES")}
    algorithms["pycma diagonal"] = peers.pycma(CMA_diagonal=True)

    def parts():
        some = settings.coco("bbob-largescale", 80, [1], SOME)
        if quick:
            yield "D = 80", some, [10 * 80, 50 * 80], algorithms
            return
        full = algorithms | {"pycma": peers.pycma()}
        yield "D = 80, longer", some, [100 * 80, 500 * 80], full
        for dim in (80, 160, 320, 640):
            functions = range(1, 25) if dim == 80 else SOME
            problems = settings.coco("bbob-largescale", dim, [1], functions)
            yield f"D = {dim}", problems, [50 * dim, 100 * dim], algorithms

    return settings.tables("largescale", parts(), out)
