# esenas as a container: the command and the Python package, nothing else.
#
#     docker build -t esenas .
#     docker run --rm -v "$PWD:/work" esenas run study.toml
#
# The page of `esenas view` needs `-p 8765:8765` and `--host 0.0.0.0`.

FROM rust:1.95-slim-trixie AS build
RUN apt-get update \
 && apt-get install -y --no-install-recommends python3 python3-venv \
 && rm -rf /var/lib/apt/lists/*
RUN python3 -m venv /tools && /tools/bin/pip install --no-cache-dir maturin==1.16.0
WORKDIR /source
COPY . .
RUN /tools/bin/maturin build --release --locked --out /wheels

FROM python:3.13-slim-trixie
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir /wheels/*.whl && rm -r /wheels
RUN useradd --create-home esenas
USER esenas
WORKDIR /work
ENTRYPOINT ["esenas"]
CMD ["--help"]
