#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fails if a promise of the language has no golden script.

Every row of tests/scripts/rows.txt must be claimed (`/* @rows: ... */`) by a script that contains the row's construct,
every error tag must have an err.<TAG>.<what>.d, every script its golden, and there are at least MINIMUM scripts.
`goldens.py agg fmt` lists only the missing rows that begin with these words.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "tests/scripts"
MINIMUM = 700
sys.path.insert(0, str(ROOT / "tests/checks"))
from tables import reported_tags  # noqa: E402


def rows():
    """(key -> pattern, tag without script -> the unit test that covers it, or `-`)"""
    found, never = {}, {}
    for number, line in enumerate((SCRIPTS / "rows.txt").read_text().splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        key, pattern, text = (part.strip() for part in line.split(" ;; "))
        if key in found or key in never or not text:
            raise SystemExit(f"rows.txt:{number}: {key}: twice, or without a text")
        if key.startswith("D_"):
            never[key] = pattern
        else:
            found[key] = re.compile(pattern, re.M)
    return found, never


def tags():
    text = (ROOT / "docs/language/errors.md").read_text()
    return set(re.findall(r"^\| (D_\w+) \|", text, re.M))


def claims(script, text, wanted):
    """Complaints about the rows that a script claims; valid claims are added to `wanted`'s second set."""
    known, claimed = wanted
    for key in " ".join(re.findall(r"^/\* @rows: *(.*?) *\*/$", text, re.M)).split():
        rest = re.sub(r"^/\* @rows:.*$", "", text, flags=re.M)
        if key not in known:
            yield f"{script.name}: no row {key} in rows.txt"
        elif not known[key].search(rest):
            yield f"{script.name}: claims {key}, but has nothing that looks like {known[key].pattern}"
        else:
            claimed.add(key)


def untold(never):
    """Complaints about tags without script: no code may report them, or a unit test must cover them."""
    reported = reported_tags()
    for tag, test in sorted(never.items()):
        if test == "-" and tag in reported:
            yield f"rows.txt: {tag} is said never to be reported, but code reports it"
        elif test != "-" and tag not in (ROOT / test).read_text():
            yield f"rows.txt: {test} does not name {tag}"


def complaints(known, never):
    scripts = sorted(SCRIPTS.glob("*.d"))
    claimed, shown = set(), set()
    for script in scripts:
        name = re.fullmatch(r"(?:tst\.[\w.-]+|err\.(D_\w+)\.[\w.-]+)\.d", script.name)
        if not name:
            yield f"{script.name}: neither tst.<what>.d nor err.<TAG>.<what>.d"
            continue
        shown.add(name[1])
        if not script.with_suffix(".err" if name[1] else ".out").exists():
            yield f"{script.name}: has no golden"
        yield from claims(script, script.read_text(errors="replace"), (known, claimed))
    yield from (f"no script for {key}" for key in known if key not in claimed)
    yield from (f"no err.{tag}.*.d" for tag in sorted(tags() - shown - never.keys()))
    yield from untold(never)
    if len(scripts) < MINIMUM:
        yield f"only {len(scripts)} scripts of {MINIMUM}"


def main():
    known, never = rows()
    found = list(complaints(known, never))
    prefixes = tuple(f"no script for {p}" for p in sys.argv[1:])
    if prefixes:
        found = [text for text in found if text.startswith(prefixes)]
    print("\n".join(found + [f"{len(known)} rows, {len(found)} complaints"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
