#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fails if no test names a row of one of the project's tables.

A row counts as tested if a golden script (tests/scripts), a scenario or a unit test uses its name as a user or the
runtime would; what remarks say does not count. That the use is one that tells is what strip.py, goldens.py and mutants.py ask. Rows that are refused by name need no test: they cannot run. An error tag needs one if some code reports
it.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

# table -> (row pattern with `name` and maybe `kind`, kinds without code, how a test names the row)
TABLES = {
    "runtime/lang/functions.h": (
        re.compile(r'^\s*\{"(?P<name>\w+)",\s*".*",\s*Runs::(?P<kind>\w+),', re.M),
        {"Refused"},
        r'(\b{name}\s*\(|\bsonde_(fn|act)_{name}\b)',
    ),
    "runtime/lang/variables.h": (
        re.compile(r'^\s*\{"(?P<name>[a-z]\w*)",\s*".*",\s*From::(?P<kind>\w+),', re.M),
        {"Refused"},
        r'(?<![\w">.-]){name}\b',
    ),
    "runtime/lang/options.h": (
        re.compile(r'^\s*\{"(?P<name>\w+)",\s*OptionKind::(?P<kind>\w+),', re.M),
        set(),
        r'(-x\s*{name}\b|option\s+{name}\b|["(]{name}["=]|--{name}\b|DTRACE_OPT_{NAME}\b)',
    ),
    "runtime/agg/functions.h": (
        re.compile(r'^\s*\{"(?P<name>\w+)", (?P<kind>[^,]*)', re.M),
        set(),
        r'(=\s*{name}\s*\()',
    ),
    "runtime/print/printers.h": (
        re.compile(r'^\s*X\((?P<name>\w+), (?P<kind>)"', re.M),
        set(),
        r'(\bformat={name}\b|"{name}")',
    ),
    "runtime/syscall/shapes.txt": (
        re.compile(r"^(?:before )?(?P<name>\w+)\((?P<kind>)", re.M),
        set(),
        r"\b(ROW|ALONE)\({name}\b",
    ),
    "runtime/process/arch/x86_64/syscalls.inc": (
        re.compile(r'^\{\d+, "(?P<name>\w+)", (?P<kind>)', re.M),
        set(),
        r"\b(ROW|ALONE)\({name}\b",
    ),
    "docs/language/errors.md": (
        re.compile(r"^\| (?P<name>D_\w+) \| (?P<kind>.*) \|$", re.M),
        set(),
        r'(\b{name}\b)',
    ),
}


# What is said about a test, and not done by it. Of a script's head only the lines that say how it runs are not.
REMARKS = {".d": r"/\*(?! @(?:sonde|command|environment|stdin):).*?\*/", ".py": r'"""(?:.|\n)*?"""|^ *#.*$', ".cpp": r"//.*$"}


def test_text():
    """The text of all tests without remarks, including the names of scripts (err.D_SYNTAX.what.d)."""
    parts = []
    for pattern in ("**/*_test.cpp", "scripts/*.d", "scripts/*.err", "scenarios/*.py", "formats/*.py", "kmod/*.py"):
        for path in sorted((ROOT / "tests").glob(pattern)):
            flags = re.S if path.suffix == ".d" else re.M
            text = path.read_text(errors="replace")
            parts += [path.name, re.sub(REMARKS[path.suffix], "", text, flags=flags) if path.suffix in REMARKS else text]
    return "\n".join(parts)


def reported_tags():
    """The error tags that code reports."""
    tags = set()
    for room in ("cli", "compiler", "providers", "runtime"):
        for path in (ROOT / room).rglob("*"):
            if path.suffix in (".cpp", ".h"):
                tags |= set(re.findall(r'"(D_\w+)"', path.read_text(errors="replace")))
    return tags


def untested(table, tests):
    row, exempt, naming = TABLES[table]
    rows = [match for match in row.finditer((ROOT / table).read_text()) if match["kind"] not in exempt]
    if table.endswith("errors.md"):
        tags, reported = [match["name"] for match in rows], reported_tags()
        if tags != sorted(set(tags)):
            return len(rows), ["the rows are not sorted, or one is there twice"]
        rows = [match for match in rows if match["name"] in reported]
    if not rows:
        return 0, ["no row found: the pattern in tests/checks/tables.py no longer fits"]
    missing = [match["name"] for match in rows if not re.search(naming.replace("{name}", match["name"]).replace("{NAME}", match["name"].upper()), tests)]
    return len(rows), missing


def main():
    tests, calls = test_text(), (ROOT / "tests/programs/every_call.c").read_text(encoding="utf-8")
    failed = False
    for table in TABLES:
        if not (ROOT / table).exists():
            print(f"{table}: missing")
            failed = True
            continue
        count, missing = untested(table, calls if "syscall" in table else tests)
        failed |= bool(missing)
        print(f"{table}: {count} rows, {len(missing)} without a test" + "".join(f"\n  {name}" for name in missing))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
