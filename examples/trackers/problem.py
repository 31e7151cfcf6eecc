"""The study that the examples of this folder watch: the lightest beam that bears its load."""

import esenas

study = esenas.Study(
    esenas.Dict(width=esenas.real(0.01, 0.2), height=esenas.real(0.01, 0.4)),
    direction="minimize",
    constraints={"stress": {"at_most": 160}, "slenderness": {"at_most": 5}},
    evaluations=600,
    seed=0,
)


def measure(design):
    width, height = design["width"], design["height"]
    limits = {"stress": 0.06 / (width * height**2), "slenderness": height / width}
    return {"value": 7850 * width * height, "constraints": limits}
