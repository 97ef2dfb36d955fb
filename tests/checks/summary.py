#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks that tests/summary.py fails for a failure, for three unsteady tests, and for a skip that its list does not permit, and
for nothing else."""

import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PASSED = '<testcase name="a" status="run"/>'
FAILED = '<testcase name="b" status="fail"><failure message=""/></testcase>'
SKIPPED = ('<testcase name="scenario.c" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/>'
           "<system-out>\n  skipped: this kernel has no uprobe events\nskipped: c (0.1 s)\n</system-out></testcase>")
# what ctest found, the list (None: none is given), exit status, words of the output
CASES = [
    (PASSED, "", 0, "1 passed, 0 failed, 0 unsteady; 0 skipped;"),
    (PASSED + FAILED, "", 1, "failed: b"),
    (PASSED + SKIPPED, None, 0, "skipped: scenario.c: this kernel has no uprobe events"),
    (PASSED + SKIPPED, "scenario.*: this kernel has no uprobe*", 0, "1 skipped;"),
    (PASSED + SKIPPED, "# nothing\n", 1, "does not permit: scenario.c: this kernel has no uprobe events"),
    (PASSED + SKIPPED, "scenario.*: no tracefs", 1, "1 skipped (1 without leave)"),
    (PASSED + SKIPPED, "script.*: this kernel has no uprobe*", 1, "1 skipped (1 without leave)"),
    (PASSED, "scenario.c: *", 1, "no reason behind scenario.c"),
    (PASSED, "scenario.c", 1, "no reason behind scenario.c"),
    ("", "", 1, "0 tests ran"),
]
# names that failed, those that passed again, exit status, words of the output
UNSTEADY = [
    ("de", "de", 0, "1 passed, 0 failed, 2 unsteady;"),
    ("de", "d", 1, "failed: e"),
    ("d", "e", 1, "failed: d"),
    ("def", "def", 1, "unsteady: f: it failed, and then passed three times alone"),
]


def check_again(folder):
    """How many cases of UNSTEADY are wrong."""
    wrong = 0
    first, again = pathlib.Path(folder, "unit.xml"), pathlib.Path(folder, "unit-again.xml")
    for failed, passed, status, words in UNSTEADY:
        first.write_text("<testsuite>" + PASSED + "".join(FAILED.replace('"b"', f'"{name}"') for name in failed) + "</testsuite>", encoding="utf-8")
        again.write_text("<testsuite>" + "".join((PASSED if name in passed else FAILED.replace('"b"', '"a"')).replace('"a"', f'"{name}"')
                                                 for name in failed) + "</testsuite>", encoding="utf-8")
        done = subprocess.run([sys.executable, ROOT / "tests/summary.py", first, again], stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode != status or words not in done.stdout:
            print(f"{failed}, of which {passed} passed again: status {done.returncode} instead of {status}, or no {words!r} in:\n{done.stdout}")
            wrong += 1
    return wrong


def main():
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        results, skips = pathlib.Path(folder, "results.xml"), pathlib.Path(folder, "skips")
        for cases, permitted, status, words in CASES:
            results.write_text(f"<testsuite>{cases}</testsuite>", encoding="utf-8")
            skips.write_text(permitted or "# empty\n", encoding="utf-8")
            argv = [sys.executable, ROOT / "tests/summary.py", "--skips", "" if permitted is None else skips, results]
            done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            if done.returncode != status or words not in done.stdout:
                print(f"{cases!r} with the list {permitted!r}: status {done.returncode} instead of {status}, or no {words!r} in:\n{done.stdout}")
                wrong += 1
        wrong += check_again(folder)
    argv = [sys.executable, ROOT / "tests/summary.py", "--skips", ROOT / ".ci/skips"]
    if "no reason" in subprocess.run(argv, capture_output=True, text=True, check=False).stderr:
        print(".ci/skips: a line has no reason")
        wrong += 1
    print(f"summary: {len(CASES) + len(UNSTEADY) + 1} cases, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
