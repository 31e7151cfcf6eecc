# Sourced by the scripts here, from the root: makes the environment with the pinned packages.
venv=target/peers-bbob-venv
if ! cmp -s "$here/requirements.txt" "$venv/installed.txt"; then
    "${PYTHON:-python3}" -m venv "$venv"
    "$venv/bin/pip" install -q --disable-pip-version-check -r "$here/requirements.txt"
    cp "$here/requirements.txt" "$venv/installed.txt"
fi
