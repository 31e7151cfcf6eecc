"""What can go wrong while a study runs."""

from __future__ import annotations

__all__ = ["StudyError"]


class StudyError(RuntimeError):
    """A study could not go on: too many evaluations failed, no worker is left, or the disk did.

    What was finished before is kept, and the study can go on once the cause is mended. Settings that
    cannot be are a `ValueError`.
    """
