#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks that the module leaves no variable uninitialised that a traced user's program can read: a word that its code
forgets would then be the kernel's stack. Such a variable may only be of a type in ALLOWED, which says why."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ALLOWED = {
    "kept": "copied back only as far as it was filled in, under the same condition: defer_keep(), defer_take_back()",
    "sonde_leave_state": "decides whether a jump leaves its function; no program reads it",
}
ATTRIBUTE = re.compile(r"SONDE_UNINITIALIZED|\buninitialized\b|__uninitialized\b")
VARIABLE = re.compile(r"\bstruct (\w+) \w+ SONDE_UNINITIALIZED;")


def code_of(text):
    """The text without comments; lines stay where they are."""
    return re.sub(r"/\*.*?\*/|//[^\n]*", lambda found: "\n" * found.group().count("\n"), text, flags=re.S)


def faults(name, text):
    for number, line in enumerate(code_of(text).splitlines(), 1):
        if not ATTRIBUTE.search(line) or line.startswith("#define SONDE_UNINITIALIZED "):
            continue
        found = VARIABLE.search(line)
        if not found or found.group(1) not in ALLOWED:
            what = f"struct {found.group(1)}" if found else line.strip()
            yield f"{name}:{number}: {what} is left uninitialised; a program might read it (see tests/checks/uninitialized.py)"


def check_self():
    """The check finds what it is there for."""
    samples = {
        "struct sonde_firing firing SONDE_UNINITIALIZED;": 1,
        "u64 args[10] __attribute__((uninitialized));": 1,
        "u64 args[10] SONDE_UNINITIALIZED;": 1,
        "struct kept kept SONDE_UNINITIALIZED;": 0,
        "/* uninitialized */ int a;": 0,
    }
    return [text for text, count in samples.items() if len(list(faults("sample", text))) != count]


def main():
    if blind := check_self():
        print("uninitialized: the check itself is wrong about", blind)
        return 1
    files = [path for path in sorted((ROOT / "kmod").rglob("*")) if path.suffix in (".c", ".h")]
    found = [fault for path in files for fault in faults(path.relative_to(ROOT), path.read_text(encoding="utf-8"))]
    print(*found, sep="\n", end="\n" if found else "")
    print(f"uninitialized: {len(files)} files, {len(found)} faults")
    return 1 if found or len(files) < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
