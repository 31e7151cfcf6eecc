"""Writes esenas/algorithms.py, esenas/problems.py and esenas/policies.py, from the schema of study files and their manual.

    python python/generate.py          # writes them
    python python/generate.py --check  # says whether they are what it would write

So a setting is described once, in docs/study.md, and read by one parser, in Rust.
"""

from __future__ import annotations

import json
import re
import sys
import textwrap
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
NAMES = {
    "asng": "ASNG",
    "bbob": "BBOB",
    "cma-es": "CMAES",
    "es": "ES",
    "line-es": "LineES",
    "lm-ma-es": "LMMAES",
    "neat": "NEAT",
    "nsga2": "NSGA2",
    "rl": "RL",
    "sep-cma-es": "SepCMAES",
    "snes": "SNES",
}
FILES = {
    "algorithms": ("What optimizes θ (`weights`), and what proposes models (`controller`).", "weights", "controller"),
    "problems": ("Problems that bring their own objective.", "problem"),
    "policies": ("Classes of policies, for the setting `policy` of a problem.", "policy"),
}
#: A function of the caller's is no problem to name: it is what `Study(space, dim)` makes.
LEFT_OUT = {"callable"}
#: What Python takes besides: a function, by its name.
WIDER = {("gymnasium", "env"): "str | Callable[..., Any]"}


def class_name(kind: str) -> str:
    """The class of a kind."""
    return NAMES.get(kind) or "".join(part.capitalize() for part in kind.split("-"))


def annotation(schema: dict[str, Any], defs: dict[str, Any]) -> str:
    """What a setting may be, in Python's words."""
    if "$ref" in schema:
        return annotation(defs[schema["$ref"].rsplit("/", 1)[1]], defs)
    if "enum" in schema:
        return f"Literal[{', '.join(json.dumps(value) for value in schema['enum'])}]"
    if "anyOf" in schema:
        words = [annotation(it, defs) for it in schema["anyOf"]]
        return "Any" if "Any" in words else " | ".join(dict.fromkeys(words))
    simple = {"integer": "int", "number": "float", "boolean": "bool", "string": "str"}
    more = {"object": "Mapping[str, Any]", "array": "Sequence[Any]"}
    return {**simple, **more}.get(schema.get("type", ""), "Any")


def optional(word: str) -> str:
    """The same, or nothing."""
    return word if word == "Any" else f"{word} | None"


class Manual:
    """docs/study.md, by section and kind."""

    def __init__(self, text: str) -> None:
        self.sections: dict[str, str] = {}
        for part in re.split(r"^## ", text, flags=re.M)[1:]:
            title, body = part.split("\n", 1)
            self.sections[title.strip("`[] ")] = body

    def about(self, section: str, kind: str) -> tuple[str, dict[str, str]]:
        """What is said of a kind, and of each of its settings."""
        if section == "policy":
            body = self.sections["problem"]
            (row,) = re.findall(rf'^\| `"{kind}"` \| (.*) \| (.*) \|$', body, flags=re.M)
            said = f"A model chooses {row[0]}, and θ holds {row[1]}, beside biases."
            return said, self._settings(body[body.index("`policy` is a table") :], kind)
        for part in re.split(r"^### ", self.sections[section], flags=re.M)[1:]:
            title, body = part.split("\n", 1)
            kinds = re.findall(r'"([a-z0-9-]+)"', title)
            if kind in kinds:
                prose = re.split(r"^\||^```", body, maxsplit=1, flags=re.M)[0]
                return self._said(prose, kinds, kind), self._settings(body, kind)
        raise SystemExit(f"docs/study.md says nothing of {section} {kind}")

    @staticmethod
    def _said(prose: str, kinds: list[str], kind: str) -> str:
        prose = " ".join(re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", prose).split())
        shares = prose.rstrip(".").split("; ")
        return shares[kinds.index(kind)] + "." if len(shares) == len(kinds) > 1 else prose

    @staticmethod
    def _settings(body: str, kind: str) -> dict[str, str]:
        found: dict[str, str] = {}
        for line in body.splitlines():
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            if len(cells) < 3 or not cells[0].startswith("`"):
                continue
            if len(cells) == 4 and cells[1] != "all" and kind not in cells[1]:
                continue
            for name in re.findall(r"`([^`]+)`", cells[0]):
                default, meaning = cells[-2], cells[-1]
                note = f" (default {default})" if default not in ("", "*required*") else ""
                found.setdefault(name, (meaning + note).replace("\\|", "|"))
        return found


def written(section: str, schema: dict[str, Any], manual: Manual) -> list[str]:
    """The classes of a section."""
    kinds = schema["properties"]["problem" if section == "policy" else section]
    if section == "policy":
        (rl,) = (it for it in kinds["anyOf"] if it["properties"]["kind"]["const"] == "rl")
        kinds = rl["properties"]["policy"]
    while "$ref" in kinds:
        kinds = schema["$defs"][kinds["$ref"].rsplit("/", 1)[1]]
    lines: list[str] = []
    for variant in kinds["anyOf"]:
        kind = variant["properties"]["kind"]["const"]
        if kind not in LEFT_OUT:
            lines += ["", "", *one(section, kind, variant, manual, schema["$defs"])]
    return lines


def one(
    section: str, kind: str, variant: dict[str, Any], manual: Manual, defs: dict[str, Any]
) -> list[str]:
    """A class."""
    said, meanings = manual.about(section, kind)
    properties = variant["properties"].items()
    settings = {name: annotation(it, defs) for name, it in properties if name != "kind"}
    settings |= {name: word for (of, name), word in WIDER.items() if of == kind}
    required = [name for name in variant["required"] if name in settings]
    ordered = required + [name for name in settings if name not in required]
    lines = [f"class {class_name(kind)}(Settings):"]
    doc = textwrap.wrap(f'`kind = "{kind}"`. {said}', 92)
    for name in ordered:
        doc += ["", *textwrap.wrap(f"`{name}`: {meanings.get(name, 'see docs/study.md')}", 92)]
    lines += [f'    r"""{doc[0]}', *(f"    {line}".rstrip() for line in doc[1:]), '    """', ""]
    lines += [f'    section, kind = "{section}", "{kind}"', ""]
    lines += ["    def __init__(", "        self,"] if ordered else ["    def __init__(self) -> None:"]
    if ordered:
        lines += [f"        {name}: {settings[name]}," for name in required]
        lines += ["        *,"] if len(ordered) > len(required) else []
        lines += [
            f"        {name}: {optional(settings[name])} = None,"
            for name in ordered
            if name not in required
        ]
        lines += ["    ) -> None:"]
    given = ", ".join(f"{name}={name}" for name in ordered)
    call = f"        super().__init__({given})"
    if len(call) > 100:
        call = "\n".join(
            ["        super().__init__(", *(f"            {n}={n}," for n in ordered), "        )"]
        )
    return lines + [call]


def module(file: str) -> str:
    """A file."""
    schema = json.loads((ROOT / "docs/study.schema.json").read_text())
    manual = Manual((ROOT / "docs/study.md").read_text())
    about, *sections = FILES[file]
    body = [line for section in sections for line in written(section, schema, manual)]
    names = [match[1] for line in body if (match := re.match(r"class (\w+)", line))]
    uses = "\n".join(body)
    typing = ", ".join(name for name in ("Any", "Literal") if re.search(rf"\b{name}\b", uses))
    abc = ", ".join(name for name in ("Callable", "Mapping", "Sequence") if re.search(rf"\b{name}\b", uses))
    head = [
        f'r"""{about}',
        "",
        "What is not given is the paper's. Written by python/generate.py from the schema and the manual of",
        'study files; change those."""',
        "",
        "from __future__ import annotations",
        "",
        *([f"from collections.abc import {abc}"] if abc else []),
        *([f"from typing import {typing}"] if typing else []),
        "",
        "from esenas._settings import Settings",
        "",
        "__all__ = [",
        *(f'    "{name}",' for name in sorted(names)),
        "]",
    ]
    return "\n".join([*head, *body]) + "\n"


def main() -> int:
    """Writes or checks the files."""
    stale = 0
    for file in FILES:
        path, text = ROOT / "python/esenas" / f"{file}.py", module(file)
        if "--check" not in sys.argv[1:]:
            path.write_text(text)
        elif path.read_text() != text:
            print(f"{path} is not what python/generate.py writes: run it")
            stale = 1
    return stale


if __name__ == "__main__":
    sys.exit(main())
