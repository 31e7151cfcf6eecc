"""COCO's bbob-mixint: four fifths of the coordinates are whole numbers of 2 to 16 values."""

import settings

import peers


def suite(out, quick):
    """Each dimension beside peers; instances 1 to 3."""
    fast = {"auto": peers.esenas(), "random": peers.random, "pycma": peers.pycma()}
    fast |= {"CatCMAwM": peers.catcmawm, "CMAwM": peers.cmaes_margin}
    # Their own time is hundreds of times that of the others.
    slow = {"Optuna TPE": peers.tpe, "NGOpt": peers.nevergrad("NGOpt")}

    def parts():
        for dim in (5, 10) if quick else (5, 10, 20, 40, 80):
            algorithms = fast if quick or dim > 5 else fast | slow
            problems = settings.coco("bbob-mixint", dim, [1] if quick else [1, 2, 3])
            yield f"D = {dim}", problems, [25 * dim, 100 * dim], algorithms
        for dim in () if quick else (5, 10):
            problems = settings.coco("bbob-mixint", dim, [1, 2])
            yield f"D = {dim}, longer", problems, [100 * dim, 1000 * dim], fast

    return settings.tables("mixint", parts(), out)
