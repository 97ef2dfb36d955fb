#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Proves the rooms of docs/architecture.md on the #include lines of the tree.

Every file of a room may include its own room and what MAY says; a room below need not know the rooms above.
The lower rooms of the runtime have an order of their own, which the link lines of runtime/CMakeLists.txt state
and the linker proves; here only what crosses a room is looked at, and who may know ANTLR and LLVM.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROOMS = ("cli", "compiler", "providers", "runtime", "kmod")

# room -> prefixes of the paths that it may include, besides its own
MAY = {
    "cli": ("compiler/", "providers/registry.h", "runtime/", "kmod/shared/"),
    "compiler": ("runtime/", "kmod/shared/"),
    "providers": ("runtime/framework/provider.h", "runtime/process/", "runtime/base/", "kmod/shared/"),
    "runtime": ("kmod/shared/",),
    "kmod": (),
}

# what only one folder may know: pattern of the header -> the folder
ONLY = (
    (re.compile(r"antlr4|^D(Lexer|Parser)\.h$"), "compiler/parse/"),
    (re.compile(r"^llvm(-c)?/"), "compiler/llvm/ runtime/process/demangle.cpp"),
    (re.compile(r"^readline/"), "cli/"),
    (re.compile(r"^Zydis"), "runtime/guard/ providers/pid/"),
    (re.compile(r"^sys/ptrace\.h$|^linux/ptrace\.h$"), "runtime/utrace/ runtime/guard/ runtime/source/held_programs.cpp"),
    (re.compile(r"^(gelf|libelf|elfutils/.*|dwarf)\.h$"), "runtime/process/"),
)

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
SPDX = re.compile(r"SPDX-License-Identifier: (.+?)\s*(\*/)?$")
SOURCES = {".cpp", ".h", ".c", ".inc", ".g4", ".py", ".d"}
LICENCES = (
    ("kmod/shared/", {"MIT OR GPL-2.0-only"}),
    ("kmod/", {"GPL-2.0"}),
    ("runtime/framework/provider.h", {"MIT OR GPL-2.0-only"}),
    ("runtime/base/", {"MIT", "GPL-3.0-or-later"}),  # MIT where providers outside the tree want it
    ("tests/kmod/", {"GPL-2.0", "GPL-3.0-or-later"}),  # some are kernel modules
    ("tests/scripts/", None),  # goldens hold what a script holds
    ("tests/in-use/", None),  # as people write them
    ("", {"GPL-3.0-or-later"}),
)


def licence_wanted(path):
    return next(wanted for prefix, wanted in LICENCES if path.startswith(prefix))


def check_licence(path, lines):
    wanted = licence_wanted(path)
    if wanted is None:
        return
    first = lines[1] if lines and lines[0].startswith("#!") and len(lines) > 1 else (lines or [""])[0]
    found = SPDX.search(first)
    if not found:
        yield 1, "the first line is no SPDX-License-Identifier line"
    elif found.group(1) not in wanted:
        yield 1, f"licence {found.group(1)}, not {' or '.join(sorted(wanted))}"


def check_include(path, bracket, header):
    """What is wrong with one #include, or None."""
    room = path.split("/")[0]
    for pattern, folders in ONLY:
        if room in ROOMS and room != "kmod" and pattern.search(header):
            known = any(path.startswith(folder) for folder in folders.split())
            return None if known else f"<{header}> is known in {folders} only"
    target = header.split("/")[0]
    if bracket == "<":
        return f"<{header}>: a file of the project is included with quotes" if target in ROOMS else None
    if target == "tests" and room != "tests":
        return f"{header}: nothing includes tests/"
    if room == "tests" or target == room and room != "kmod":
        return None
    if room == "kmod":
        shared_alone = path.startswith("kmod/shared/") and not header.startswith("kmod/shared/")
        return f"{header}: kmod/shared/ includes kmod/shared/ only" if shared_alone else None
    if target not in ROOMS:
        return f"{header}: includes are written from the root"
    if not any(header.startswith(prefix) for prefix in MAY[room]):
        return f"{header}: {room}/ may not include this (see MAY in tests/checks/layering.py)"
    return None


def check_pragma_once(path, text):
    if path.endswith(".h") and "#pragma once" not in text and not re.search(r"#ifndef \w+_H_?\b", text):
        yield 1, "header without guard"


def check_file(path, text):
    lines = text.splitlines()
    yield from check_licence(path, lines)
    if not path.endswith((".cpp", ".h", ".c", ".inc")):
        return
    yield from check_pragma_once(path, text)
    for number, line in enumerate(lines, 1):
        found = INCLUDE.match(line)
        if found:
            wrong = check_include(path, found.group(1), found.group(2))
            if wrong:
                yield number, wrong


def own_header_first(path, text):
    """x.cpp includes its own x.h before anything else."""
    own = path[:-4] + ".h"
    if not path.endswith(".cpp") or not (ROOT / own).exists():
        return None
    first = next((m.group(2) for m in map(INCLUDE.match, text.splitlines()) if m), None)
    return None if first == own else f"its own header {own} does not come first"


def files():
    for room in ROOMS + ("tests",):
        for path in sorted((ROOT / room).rglob("*")):
            if path.suffix in SOURCES and path.is_file() and "__pycache__" not in path.parts:
                yield path.relative_to(ROOT).as_posix(), path.read_text(errors="replace")


def main():
    wrong = looked_at = 0
    for path, text in files():
        looked_at += 1
        findings = list(check_file(path, text))
        late = own_header_first(path, text)
        if late:
            findings.append((1, late))
        for number, what in findings:
            print(f"{path}:{number}: {what}")
            wrong += 1
    print(f"layering: {looked_at} files, {wrong} wrong")
    return 1 if wrong or not looked_at else 0


if __name__ == "__main__":
    sys.exit(main())
