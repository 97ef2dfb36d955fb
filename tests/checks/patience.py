#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks that tests/scenarios/run.py --patience reaches every time-out of the scenarios: each module has its factor, and none has a time-out without it."""

import pathlib
import re
import runpy
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCENARIOS = ROOT / "tests/scenarios"
FACTOR = 7


def times_without_factor():
    found = []
    for path in sorted(SCENARIOS.glob("*.py")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if re.search(r"(\btimeout=|\.wait\()\d+\b(?! \* (support\.)?patience)", line):
                found.append(f"{path.name}:{number}: {line.strip()}")
    return found


def modules_without_factor():
    """By what `run.py --list` loads in this process."""
    sys.argv = ["run.py", "--patience", str(FACTOR), "--list", "--exact", "no such scenario"]
    try:
        runpy.run_path(str(SCENARIOS / "run.py"), run_name="__main__")
    except SystemExit as end:
        if end.code != 0:
            return [f"run.py --list: status {end.code}"]
    modules = [one for one in list(sys.modules.values()) if pathlib.Path(getattr(one, "__file__", None) or "/").parent == SCENARIOS]
    found = [f"{one.__name__}: its factor is {one.patience}" for one in modules if getattr(one, "patience", FACTOR) != FACTOR]
    return found if len(modules) > 50 else [*found, f"only {len(modules)} modules were loaded"]


def main():
    wrong = times_without_factor() + modules_without_factor()
    for one in wrong:
        print(one)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
