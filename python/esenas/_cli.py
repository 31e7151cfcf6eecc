"""The command `esenas`, as the wheel installs it: the same as the native program."""

import signal
import sys

from esenas import _native


def main() -> int:
    """Run the command line."""
    # Python would only note a Ctrl-C until the native code returns.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _native.main(["esenas", *sys.argv[1:]])
