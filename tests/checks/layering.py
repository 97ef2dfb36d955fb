#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks the floors of CONTRIBUTING.md against the #include lines of the tree.

Each row of its table is a folder, or one header, and names what it may include; it may only name rows above its own, so
there is no cycle. An arrow that no file needs is an error, too, and so is a folder without a row. Folders of a machine
(arch/) belong to the folder that they are in.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROOMS = ("cli", "compiler", "providers", "runtime", "kmod")
TABLE = re.compile(r"^\| floor \| may include \|\n\|[-|]+\|\n((?:\|.*\n)+)", re.MULTILINE)

# headers for one folder only: pattern of the header -> the folder
ONLY = (
    (re.compile(r"antlr4|^DParser\.h$"), "compiler/parse/"),
    (re.compile(r"^llvm(-c)?/"), "compiler/llvm/ runtime/process/demangle.cpp"),
    (re.compile(r"^readline/"), "cli/"),
    (re.compile(r"^Zydis"), "runtime/guard/arch/ runtime/code/arch/ providers/pid/arch/"),
    (re.compile(r"^sys/ptrace\.h$|^linux/ptrace\.h$"), "runtime/utrace/ runtime/guard/ runtime/source/held_programs.cpp"),
    (re.compile(r"^(gelf|libelf|elfutils/.*|dwarf)\.h$"), "runtime/process/"),
)

EXPORTED = {"kmod/utrace.h"}  # other modules include it, with kmod/ as their include folder

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
SPDX = re.compile(r"SPDX-License-Identifier: (.+?)\s*(\*/)?$")
SOURCES = {".cpp", ".h", ".c", ".inc", ".g4", ".py", ".d"}
LICENCES = (
    ("kmod/shared/", {"MIT OR GPL-2.0-only"}),
    ("kmod/", {"GPL-2.0"}),
    ("compiler/header/sdt.h", {"MIT"}),  # it goes into programs
    ("runtime/framework/provider.h", {"MIT OR GPL-2.0-only"}),
    ("runtime/bpf/", {"MIT OR GPL-2.0-only"}),  # it makes programs that run in the kernel
    ("runtime/base/", {"MIT", "GPL-3.0-or-later"}),  # MIT for files that providers outside the tree need
    ("tests/kmod/", {"GPL-2.0", "GPL-3.0-or-later"}),  # some are kernel modules
    ("tests/scripts/", None),  # goldens contain text of scripts
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


def read_floors(text):
    """{floor: the floors that it may include}, lowest first, and errors of the table."""
    floors, wrong = {}, []
    for row in TABLE.search(text).group(1).splitlines():
        floor, below = ([*re.findall(r"`([^`]+)`", cell)] for cell in row.strip("|").split("|"))
        wrong += [f"{floor[0]} names {name}, which has no row above it" for name in below if name not in floors]
        floors[floor[0]] = set(below)
    return floors, wrong


def floor_of(path, floors):
    """The row that a file belongs to."""
    return path if path in floors else path.rpartition("/")[0].partition("/arch/")[0]


def check_include(path, bracket, header, floors, used):
    """The error of one #include, or None. Adds the arrow that it needs to `used`."""
    room, target = path.split("/")[0], header.split("/")[0]
    for pattern, folders in ONLY:
        if room in ROOMS and room != "kmod" and pattern.search(header):
            known = any(path.startswith(folder) for folder in folders.split())
            return None if known else f"<{header}> is known in {folders} only"
    if bracket == "<":
        return f"<{header}>: a file of the project is included with quotes" if target in ROOMS else None
    if target == "tests" and room != "tests":
        return f"{header}: nothing includes tests/"
    if room == "tests":
        return None
    if path in EXPORTED and (ROOT / path).with_name(target).is_dir():
        header, target = f"{path.split('/')[0]}/{header}", path.split("/")[0]
    if target not in ROOMS:
        return f"{header}: includes are written from the root"
    here, there = floor_of(path, floors), floor_of(header, floors)
    used.add((here, there))
    if here not in floors:
        return f"{here} has no row in CONTRIBUTING.md"
    return None if here == there or there in floors[here] else f"{header}: {here} may not include {there} (see CONTRIBUTING.md)"


def check_pragma_once(path, text):
    if path.endswith(".h") and "#pragma once" not in text and not re.search(r"#ifndef \w+_H_?\b", text):
        yield 1, "header without guard"


def check_file(path, text, floors, used):
    lines = text.splitlines()
    yield from check_licence(path, lines)
    if not path.endswith((".cpp", ".h", ".c", ".inc")):
        return
    yield from check_pragma_once(path, text)
    for number, line in enumerate(lines, 1):
        found = INCLUDE.match(line)
        if found:
            wrong = check_include(path, found.group(1), found.group(2), floors, used)
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
    floors, problems = read_floors((ROOT / "CONTRIBUTING.md").read_text())
    looked_at, used = 0, set()
    for path, text in files():
        looked_at += 1
        findings = list(check_file(path, text, floors, used))
        late = own_header_first(path, text)
        if late:
            findings.append((1, late))
        problems += [f"{path}:{number}: {what}" for number, what in findings]
    problems += [f"CONTRIBUTING.md: no file of {floor} includes {below}"
                 for floor, all_below in floors.items() for below in sorted(all_below) if (floor, below) not in used]
    print(*problems, sep="\n", end="\n" if problems else "")
    print(f"layering: {looked_at} files, {len(floors)} floors, {len(problems)} wrong")
    return 1 if problems or not looked_at else 0


if __name__ == "__main__":
    sys.exit(main())
