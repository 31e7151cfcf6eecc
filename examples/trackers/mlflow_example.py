"""A study in MLflow: settings as parameters, each iteration as metrics, the best design as a dict."""

import sys

import mlflow

from problem import measure, study

place = sys.argv[1] if len(sys.argv) > 1 else "tracked"
mlflow.set_tracking_uri(f"sqlite:///{place}/mlflow.db")


def log(it):
    mlflow.log_metrics(it.last, step=it.iterations)


with mlflow.start_run(run_name="beam"):
    mlflow.log_params({"seed": study.settings["seed"], "searched by": study.choice})
    best = study.optimize(measure, callbacks=[log])
    mlflow.log_dict(best.design, "best.json")
