#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Adds up ctest's JUnit files: numbers of tests that ran, passed, failed, were skipped. Exit status 1 if one failed."""

import argparse
import re
import sys
import xml.etree.ElementTree as xml


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


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=0)
    parser.add_argument("files", nargs="*")
    arguments = parser.parse_args()

    names = {"passed": [], "failed": [], "skipped": []}
    for file in arguments.files:
        for case in xml.parse(file).getroot().iter("testcase"):
            how = outcome(case)
            names[how].append(case.get("name") + (f": {reason(case)}" if how == "skipped" else ""))
    ran = len(names["passed"]) + len(names["failed"])

    for kind in ("skipped", "failed"):
        for name in names[kind]:
            print(f"  {kind}: {name}")
    print(f"{ran} tests ran: {len(names['passed'])} passed, {len(names['failed'])} failed; "
          f"{len(names['skipped'])} skipped; {arguments.seconds // 60} min {arguments.seconds % 60} s")
    return 1 if names["failed"] or ran == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
