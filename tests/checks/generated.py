#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Generated tables are what their generators write: the shapes of system calls always, the constants where the headers are those
that they were made from. 77: the latter are of another version here."""

import pathlib
import re
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "runtime/syscall"


def generate(table):
    return subprocess.run([FOLDER / "generate.py", table], text=True, check=True, capture_output=True).stdout


def headers_of(text):
    found = re.search(r"^// Headers: (.*)$", text, re.M)
    return found.group(1) if found else ""


def differs(table, new):
    old = (FOLDER / "arch/x86_64" / f"{table}.inc").read_text(encoding="utf-8")
    lines = [(a, b) for a, b in zip(old.splitlines(), new.splitlines()) if a != b]
    if old != new:
        print(f"{table}.inc is not what generate.py writes: {lines[0] if lines else 'other lengths'}")
    return old != new


def main():
    wrong = differs("shapes", generate("shapes"))
    made_from = headers_of((FOLDER / "arch/x86_64/constants.inc").read_text(encoding="utf-8"))
    try:
        constants = generate("constants")
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"constants.inc is not compared: {error}")
        return 1 if wrong else 77
    if headers_of(constants) != made_from:
        print(f"constants.inc is not compared: it is of {made_from}, here is {headers_of(constants)}")
        return 1 if wrong else 77
    wrong = differs("constants", constants) or wrong
    print(f"generated: shapes and constants, {'something wrong' if wrong else '0 wrong'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
