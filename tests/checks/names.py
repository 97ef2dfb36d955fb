#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks that each type has one definition. Two structs of the same name in one namespace compile, link, and share
inline functions."""

import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("cli", "compiler", "providers", "runtime")
TYPE = re.compile(r"(?:struct|class|union|enum class|enum)\s+(?:\[\[\w+\]\]\s*)?([\w:]+)(?:\s+final)?\s*(?::[^;]*)?\{")
OPEN = re.compile(r"namespace(?:\s+([\w:]+))?\s*\{")


def definitions(path):
    """(name with its namespace, line) for each type at namespace level; those of anonymous namespaces cannot clash."""
    spaces = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if opened := OPEN.match(line):
            spaces.append(opened.group(1))
        elif re.match(r"\}\s*// namespace", line) and spaces:
            spaces.pop()
        elif (found := TYPE.match(line)) and None not in spaces:
            yield "::".join([*spaces, found.group(1)]), number


def main():
    places = collections.defaultdict(list)
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".h", ".cpp"):
                for name, line in definitions(path):
                    places[name].append(f"{path.relative_to(ROOT)}:{line}")
    twice = {name: where for name, where in places.items() if len(where) > 1}
    for name, where in sorted(twice.items()):
        print(f"{name} is defined {len(where)} times: {', '.join(where)}")
    print(f"names: {len(places)} types, {len(twice)} defined more than once")
    return 1 if twice or len(places) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
