#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks that ./dev installs each package for want of which a test skips: where `no TOOL: PACKAGE` is a reason, PACKAGE is in
one of its lists. So no test skips on a fresh Debian because nobody thought of its package."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
REASONS = re.compile(r'Skip\(f?"(?:no |there is no |[\w/]+ has no )[^":]*: ([^"]*)"\)|\bneed\("[^"]+", "([^"]+)"\)|GTEST_SKIP\(\) << "no [^":]*: ([^"]*)"')
# what comes with packages of the lists: g++, and python3 with its recommended half
BROUGHT = {"libgcc-12-dev": "g++", "libpython3-stdlib": "python3"}


def listed(dev):
    return {word for words in re.findall(r"^packages_\w+=\(([^)]*)\)", dev, re.M) for word in words.split()}


def asked(folder):
    """(file, package) for each reason that names a package."""
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".py", ".cpp"):
            for found in REASONS.finditer(path.read_text(encoding="utf-8", errors="replace")):
                package = next(filter(None, found.groups()), "")  # empty: the reason has a colon, and ends there
                if re.fullmatch(r"[a-z0-9][a-z0-9.+-]+", package):
                    yield path.relative_to(ROOT), package


def main():
    there, wanted = listed((ROOT / "dev").read_text(encoding="utf-8")), list(asked(ROOT / "tests"))
    missing = [(path, package) for path, package in wanted if BROUGHT.get(package, package) not in there]
    for path, package in missing:
        print(f"{path}: {package} is in no list of ./dev")
    print(f"packages: {len({package for _, package in wanted})} asked for, {len(missing)} reasons without")
    return 1 if missing or len(wanted) < 10 else 0


if __name__ == "__main__":
    sys.exit(main())
