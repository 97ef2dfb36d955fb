#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Adds up ctest's JUnit files: numbers of tests that ran, passed, failed, were skipped. Exit status 1 if one failed, or
was skipped without leave: --skips is a file with `NAME: REASON` on each line, both patterns as of a shell, of tests that may be
skipped for that reason. Lines that begin with # are comments.

NAME-again.xml has what failed in NAME.xml and then ran three times alone. A test that passed there is unsteady: it is named,
and a defect; but two of them do not fail a run of thousands."""

import argparse
import fnmatch
import pathlib
import re
import sys
import xml.etree.ElementTree as xml


MOST_UNSTEADY = 2
AGAIN = "-again.xml"


def outcome(case):
    """The outcome; ctest marks both skipped tests and those that could not be started as 'notrun'."""
    if case.find("failure") is not None or case.get("status") == "fail":
        return "failed"
    if case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
        return "skipped"
    return "passed"


def reason(case):
    """Why it was skipped, from the message of a scenario, a golden script, a unit test or the kernel's suite."""
    told = case.find("skipped")
    text = case.findtext("system-out") or ""
    for pattern in (r"^ *skipped: (.*)$", r"^[\w.-]+\.d: skipped: (.*)$", r"^.*: Skipped\n(.+)$"):
        if found := re.search(pattern, text, re.M):
            return found[1]
    return (told.get("message") if told is not None else None) or "it says nothing"


def permitted(file):
    """[(pattern of names, pattern of reasons)]"""
    lines = [line.strip() for line in pathlib.Path(file).read_text(encoding="utf-8").splitlines()]
    pairs = [line.partition(": ") for line in lines if line and not line.startswith("#")]
    if odd := [name for name, colon, why in pairs if not (colon and why.strip(" *"))]:
        sys.exit(f"{file}: no reason behind {', '.join(odd)}")
    return [(name, why) for name, _, why in pairs]


def without_leave(skipped, pairs):
    return [(name, why) for name, why in skipped
            if not any(fnmatch.fnmatchcase(name, one) and fnmatch.fnmatchcase(why, two) for one, two in pairs)]


def passed_again(files):
    """The names of the tests that passed when they ran again."""
    return {case.get("name") for file in files for case in xml.parse(file).getroot().iter("testcase") if outcome(case) == "passed"}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=0)
    parser.add_argument("--skips", metavar="FILE", help="what may be skipped; without it, or if it is empty, everything")
    parser.add_argument("files", nargs="*")
    arguments = parser.parse_args()

    names, skipped = {"passed": [], "failed": [], "unsteady": []}, []
    steady = passed_again(file for file in arguments.files if file.endswith(AGAIN))
    for file in arguments.files:
        if file.endswith(AGAIN):
            continue
        for case in xml.parse(file).getroot().iter("testcase"):
            how = outcome(case)
            if how == "skipped":
                skipped.append((case.get("name"), reason(case)))
            elif how == "failed" and case.get("name") in steady:
                names["unsteady"].append(case.get("name"))
            else:
                names[how].append(case.get("name"))
    ran = sum(map(len, names.values()))
    wrong = without_leave(skipped, permitted(arguments.skips)) if arguments.skips else []

    for name, why in skipped:
        print(f"  skipped{f', which {arguments.skips} does not permit' if (name, why) in wrong else ''}: {name}: {why}")
    for name in names["unsteady"]:
        print(f"  unsteady: {name}: it failed, and then passed three times alone")
    for name in names["failed"]:
        print(f"  failed: {name}")
    print(f"{ran} tests ran: {len(names['passed'])} passed, {len(names['failed'])} failed, {len(names['unsteady'])} unsteady; "
          f"{len(skipped)} skipped{f' ({len(wrong)} without leave)' if wrong else ''}; {arguments.seconds // 60} min {arguments.seconds % 60} s")
    return 1 if names["failed"] or len(names["unsteady"]) > MOST_UNSTEADY or wrong or ran == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
