#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Adds up ctest's JUnit files: how many tests ran, passed, failed, were skipped. Exit status 1 if one failed."""

import argparse
import sys
import xml.etree.ElementTree as xml


def outcome(case):
    """ctest marks a test that asked to be skipped, and one that could not be started, alike: 'notrun'."""
    if case.find("failure") is not None or case.get("status") == "fail":
        return "failed"
    if case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
        return "skipped"
    return "passed"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=0)
    parser.add_argument("files", nargs="*")
    arguments = parser.parse_args()

    names = {"passed": [], "failed": [], "skipped": []}
    for file in arguments.files:
        for case in xml.parse(file).getroot().iter("testcase"):
            names[outcome(case)].append(case.get("name"))
    ran = len(names["passed"]) + len(names["failed"])

    for kind in ("skipped", "failed"):
        for name in names[kind]:
            print(f"  {kind}: {name}")
    print(f"{ran} tests ran: {len(names['passed'])} passed, {len(names['failed'])} failed; "
          f"{len(names['skipped'])} skipped; {arguments.seconds // 60} min {arguments.seconds % 60} s")
    return 1 if names["failed"] or ran == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
