"""Whether a Ray cluster may be used: whoever reaches one can run anything on it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

__all__ = ["admit", "admit_connected", "has_token"]


def admit(address: str | None, insecure: bool) -> None:
    """Refuses a cluster elsewhere that anybody can use."""
    if address in (None, "local") or insecure or has_token():
        return
    host = str(address).rpartition(":")[0].strip("[]")
    if host == "localhost" or host == "::1" or host.startswith("127."):
        return
    raise ValueError(
        f"address {address!r} may be on other machines, and Ray has no token here: whoever reaches "
        "that cluster can run anything on it. Set RAY_AUTH_MODE=token with a token in ~/.ray/auth_token "
        "on every machine (`ray get-auth-token --generate`); or, in a network of your own, say "
        "insecure=True, or --insecure"
    )


def admit_connected(ray: Any) -> None:
    """The same, of a cluster that the program has connected to by itself."""
    here = ray.util.get_node_ip_address()
    for node in ray.nodes():
        if node["Alive"] and node["NodeManagerAddress"] != here:
            admit(f"{node['NodeManagerAddress']}:0", insecure=False)


def has_token() -> bool:
    """Whether Ray will ask for a token, by Ray's own rules."""
    mode = os.environ.get("RAY_AUTH_MODE")
    if mode is not None:
        return mode.lower() == "token"
    kept = os.environ.get("RAY_AUTH_TOKEN_PATH") or Path.home() / ".ray" / "auth_token"
    return bool(os.environ.get("RAY_AUTH_TOKEN")) or Path(kept).is_file()
