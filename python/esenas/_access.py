"""Whether a Ray cluster may be used: whoever reaches one can run anything on it."""

from __future__ import annotations

import importlib
import os
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from esenas.errors import StudyError

__all__ = ["admit", "admit_connected", "check_reachable"]

#: How long a cluster has to take a connection, and to answer, in seconds.
_REACH, _ANSWER = 10.0, 60.0


def admit(address: str | None, insecure: bool) -> None:
    """Refuses a cluster elsewhere that anybody can use.

    Ray uses a token file for clusters that it starts or finds, but not for an address it is given.
    So a token is of use there only if `RAY_AUTH_MODE` says so before Ray starts.
    """
    if address in (None, "local") or insecure:
        return
    host = str(address).rpartition(":")[0].strip("[]")
    if host == "localhost" or host == "::1" or host.startswith("127."):
        return
    if has_token():
        if "RAY_AUTH_MODE" not in os.environ:
            os.environ["RAY_AUTH_MODE"] = "token"
            _reread()
        return
    raise ValueError(_refusal(str(address)))


def _refusal(address: str) -> str:
    return (
        f"address {address!r} may be on other machines, and Ray has no token here: whoever reaches "
        "that cluster can run anything on it. Set RAY_AUTH_MODE=token with a token in "
        "~/.ray/auth_token on every machine (`ray get-auth-token --generate`); or, in a network of "
        "your own, say insecure=True, or --insecure"
    )


def check_reachable(address: str) -> None:
    """Refuses an address where nobody answers, and with a token a cluster that asks for none.

    Such a cluster would let everybody in. Ray's processes there could not answer this one either,
    which would wait for them.
    """
    host, _, port = address.rpartition(":")
    if port.isdecimal():
        try:
            socket.create_connection((host.strip("[]"), int(port)), _REACH).close()
        except OSError as error:
            raise StudyError(
                f"nobody answers at {address}: {error}; the head of a cluster is started with "
                f"`ray start --head --port={port}`"
            ) from None
    if _asks_for_token() and _lets_in(address):
        raise ValueError(
            f"the cluster at {address} lets everybody in, but RAY_AUTH_MODE=token here: start it "
            "with RAY_AUTH_MODE=token and the same token; or, in a network of your own, set "
            "RAY_AUTH_MODE=disabled and say insecure=True, or --insecure"
        )


def _lets_in(address: str) -> bool:
    """Whether a cluster answers somebody without a token."""
    command = [sys.executable, "-m", "ray.scripts.scripts", "health-check", "--skip-version-check"]
    nobody = {key: value for key, value in os.environ.items() if not key.startswith("RAY_AUTH_")}
    try:
        asked = subprocess.run(
            [*command, "--address", address],
            env={**nobody, "RAY_AUTH_MODE": "disabled"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_ANSWER,
        )
    except subprocess.TimeoutExpired:
        raise StudyError(f"what listens at {address} does not answer as Ray does") from None
    return asked.returncode == 0


def _reread() -> None:
    """Ray keeps what it read when it was imported."""
    if "ray" in sys.modules:
        with suppress(ImportError, AttributeError):
            importlib.import_module("ray._raylet").Config.initialize("")


def admit_connected(ray: Any) -> None:
    """The same, of a cluster that the program has connected to by itself, in whichever mode."""
    if _asks_for_token():
        return
    here = ray.util.get_node_ip_address()
    for node in ray.nodes():
        if node["Alive"] and node["NodeManagerAddress"] != here:
            raise ValueError(_refusal(f"{node['NodeManagerAddress']}"))


def _asks_for_token() -> bool:
    return os.environ.get("RAY_AUTH_MODE", "").lower() == "token"


def has_token() -> bool:
    """Whether this program has a token, or is told to have one."""
    if "RAY_AUTH_MODE" in os.environ:
        return _asks_for_token()
    kept = os.environ.get("RAY_AUTH_TOKEN_PATH") or Path.home() / ".ray" / "auth_token"
    return bool(os.environ.get("RAY_AUTH_TOKEN")) or Path(kept).is_file()
