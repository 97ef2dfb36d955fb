#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fails if tests/kmod/suite.py skips a kernel test that it should not skip.

The suite runs with substitutes for the scripts of tests/guest and tests/kmod, which fail as each case says.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

# case -> (exit status of a substitute, by its name; 0 for all others), SONDE_REQUIRE_KERNEL, the suite's status, words of its output,
# its option instead of --short
CASES = {
    "all is well": ({}, "1", 0, "api: passed"),
    "the newer kernel's API table fails": ({"kmod/run": {"linux-newer": 1}}, "0", 1, "linux-newer.api: failed, status 1"),
    "no network, not root": ({"guest/setup": 3}, "0", 0, "SKIPPED: the guest is not set up"),
    "the same where CI requires it": ({"guest/setup": 3}, "1", 1, "FAILED: SONDE_REQUIRE_KERNEL=1"),
    "a mistake in setup": ({"guest/setup": 1}, "0", 1, "FAILED: the guest is not set up"),
    "a guest that does not come up": ({"guest/run": 125}, "0", 1, "FAILED: no guest comes up"),
    "a kernel that cannot be fetched": ({"guest/kernel": 3}, "0", 0, "SKIPPED: no kernel"),
    "the same, required": ({"guest/kernel": 3}, "1", 1, "FAILED: SONDE_REQUIRE_KERNEL=1"),
    "a mistake in the fetching": ({"guest/kernel": 125}, "0", 1, "FAILED: no kernel"),
    "the bpf source fails on a kernel": ({"guest/stock": {"linux-newer": 1}}, "1", 1, "linux-newer.stock: failed, status 1", "--stock"),
    "a test that fails": ({"kmod/device/guest": 1}, "0", 1, "device: failed, status 1"),
}


def stand_ins(tests, statuses):
    """A tests/ folder in which only the suite is real."""
    for name in ("guest/setup", "guest/run", "guest/kernel", "kmod/run", "kmod/unfit", "kmod/make_clean", "kmod/device/guest", "kmod/scenarios", "guest/stock"):
        path = tests / name
        path.parent.mkdir(parents=True, exist_ok=True)
        status = statuses.get(name, 0)
        lines = [f"case $2 in {release}) exit {one};; esac" for release, one in status.items()] if isinstance(status, dict) else [f"exit {status}"]
        path.write_text("\n".join(["#!/bin/sh", 'for last; do :; done; echo "$last"', *lines, ""]))
        path.chmod(0o755)
    (tests / "guest/kernels").write_text("- linux-image default default-9p stock\n- linux-newer newer stock\n")
    (tests / "guest/lib.sh").write_text("can_use_virtiofs() { true; }\n")
    suite = tests / "kmod/suite.py"
    suite.write_bytes((ROOT / "tests/kmod/suite.py").read_bytes())
    return suite


def main():
    wrong = []
    for what, (statuses, required, status, words, *options) in CASES.items():
        with tempfile.TemporaryDirectory(prefix="sonde-suite-") as folder:
            suite = stand_ins(pathlib.Path(folder, "tests"), statuses)
            done = subprocess.run([sys.executable, suite, *(options or ["--short"]), "--xml", pathlib.Path(folder, "kernel.xml"), "/bin/true"], check=False,
                                  env=os.environ | {"SONDE_REQUIRE_KERNEL": required}, capture_output=True, text=True)
        if done.returncode != status or words not in done.stderr:
            wrong.append(f"{what}: status {done.returncode}, not {status}, or no {words!r} in:\n{done.stderr}")
    print("\n".join(wrong + [f"{len(CASES)} cases, {len(wrong)} wrong"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
