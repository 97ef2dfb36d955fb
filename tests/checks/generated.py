#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks that generated tables are the output of their generators.

If the headers from which a table was made are installed, it is generated again and compared. The digest of each
verified table is below, so that an edited table is noticed everywhere. After running a generator, put the new digest
there, which this script prints."""

import hashlib
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CACHE = pathlib.Path(os.environ.get("GUEST_CACHE", pathlib.Path.home() / ".cache/sonde-guest"))  # as in tests/guest/lib.sh
KERNEL = "linux-headers-6.1.*-common"  # its prototypes are in the tables of calls

TABLES = {  # file: (generator, its argument, digest)
    "runtime/syscall/arch/x86_64/shapes.inc": ("runtime/syscall/generate.py", "shapes", None),  # made only from the tree
    "runtime/syscall/arch/x86_64/constants.inc": ("runtime/syscall/generate.py", "constants", "39125ed52bc20575"),
    "runtime/process/arch/x86_64/syscalls.inc": ("runtime/process/generate.py", "native", "0519c60551db2ef7"),
    "runtime/process/arch/x86_64/compat_calls.inc": ("runtime/process/generate.py", "compat", "10b6c72d3e32cd39"),
    "kmod/shared/compat_numbers.h": ("runtime/process/generate.py", "numbers", "15ab723cb520735f"),
}

PAGES = {  # contains the generator's output
    "docs/kernel-module.md": ("tests/kmod/users.py", "--table"),
    "docs/provider-interface.md": ("kmod/shared/event_table.py",),
}


def kernel_headers():
    places = [*pathlib.Path("/usr/src").glob(KERNEL), *CACHE.glob(f"kernels/*/usr/src/{KERNEL}")]
    return next((place for place in places if (place / "include/linux/syscalls.h").exists()), None)


def headers_of(text):
    found = re.search(r"^// Headers: (.*)$", text, re.M)
    return found.group(1) if found else None


def made_anew(generator, argument, old):
    """The text of the table, or why it cannot be generated here."""
    command = [sys.executable, ROOT / generator, argument]
    if generator == "runtime/process/generate.py" and argument != "numbers":
        headers = kernel_headers()
        if headers is None:
            return None, f"no {KERNEL}"
        command += ["--headers", headers]
    done = subprocess.run(command, text=True, check=False, capture_output=True)
    if done.returncode != 0:
        return None, done.stderr.strip().split("\n")[-1]
    if headers_of(done.stdout) != headers_of(old):
        return None, f"it is of {headers_of(old)}, here is {headers_of(done.stdout)}"
    return done.stdout, None


def main():
    wrong = made = 0
    for file, (generator, argument, digest) in TABLES.items():
        old = (ROOT / file).read_text(encoding="utf-8")
        new, why = made_anew(generator, argument, old)
        found = hashlib.sha256(old.encode()).hexdigest()[:16]
        if why:
            print(f"{file} is not made again: {why}")
        elif new != old:
            line = next((a for a, b in zip(old.split("\n"), new.split("\n")) if a != b), "its length")
            print(f"{file} is not what {generator} writes: {line}")
        made += new is not None
        if digest is not None and found != digest:
            print(f"{file} has the digest {found}: it is no longer the table that was found equal to what {generator} writes")
        wrong += (new not in (None, old)) or (digest is None and new is None) or digest not in (None, found)
    for page, command in PAGES.items():
        table = subprocess.run([sys.executable, *command], text=True, check=True, capture_output=True, cwd=ROOT).stdout
        if table not in (ROOT / page).read_text(encoding="utf-8"):
            print(f"{page} does not have the table that {' '.join(command)} prints")
            wrong += 1
    print(f"generated: {len(TABLES)} tables, {made} made again, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
