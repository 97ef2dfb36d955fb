#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Proves that only arch/ knows the machine.

No file outside of an arch/ folder includes one of its files, except the arch.h in the parent folder, which chooses; and
none names a thing that only one machine has: a register, a processor's instruction, the number of its ELF files.
Comments may. The target arch_stub (tests/arch/stub) proves which code compiles without the machine.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROOMS = ("cli", "compiler", "providers", "runtime", "kmod")
SUFFIXES = {".cpp", ".h", ".c", ".inc", ".S"}

FOR_PROGRAMS = ("compiler/header/sdt.h",)  # compiled into other programs, where no folder is

INCLUDE = re.compile(r'"([^"]*/arch/[^"]*)"')
CHOOSES = re.compile(r"__x86_64__|CONFIG_X86_64")
NAMES = (
    re.compile(r"(?:->|\.)(?:orig_)?(?:[re](?:[abcd]x|[sd]i|[bs]p|ip)|eflags|r1[0-5]|r[89])\b"),  # as ptrace has them
    re.compile(r"\b(?:regs|registers)\w*(?:->|\.)(?:orig_)?(?:[abcd]x|[sd]i|[bs]p|ip|[cdefgs]s|[fg]s_base|flags)\b"),  # as the kernel has them
    re.compile(r"\btask_pt_regs\([^()]*\)->\w+"),
    re.compile(r"\buser_regs_struct\b|\bPTRACE_[GS]ETREGS\b|\bsys/(?:user|reg)\.h\b"),
    re.compile(r"\bAUDIT_ARCH_\w+|\bEM_(?:X86_64|AARCH64)\b|\bR_X86_64_\w+|\b(?:Zydis|ZYDIS_|ZYAN_)\w*"),
    re.compile(r"\b(?:__x64_|__ia32_|x64_|ia32_)sys_\w+|\bTS_COMPAT\b|\bTIF_BLOCKSTEP\b|\bMSR_\w+|\brdtsc\w*|\buser_64bit_mode\b"),
    re.compile(r"\b0xcc\b|\bsavesegment\b|\bint3\b|\basm volatile\b|\b__asm__\b"),
)
COMMENT = re.compile(r'("(?:[^"\\\n]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)


def without_comments(text):
    return COMMENT.sub(lambda found: found.group(1) or "\n" * found.group(0).count("\n"), text)


def findings(path, text):
    chooser = path.name == "arch.h"
    for number, line in enumerate(without_comments(text).splitlines(), 1):
        if not chooser and (found := INCLUDE.search(line)):
            yield number, f"{found.group(1)}: include the folder's arch.h, which chooses the machine"
        if not chooser and (found := CHOOSES.search(line)):
            yield number, f"{found.group(0)}: a machine is chosen in arch.h only"
        for pattern in NAMES:
            if found := pattern.search(line):
                yield number, f"{found.group(0)}: only arch/ knows the machine"


def main():
    looked_at, wrong = 0, 0
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*")):
            name = path.relative_to(ROOT)
            if path.suffix not in SUFFIXES or "arch" in name.parts or str(name) in FOR_PROGRAMS or not path.is_file():
                continue
            looked_at += 1
            for number, what in findings(path, path.read_text(errors="replace")):
                print(f"{name}:{number}: {what}")
                wrong += 1
    print(f"arch: {looked_at} files, {wrong} wrong")
    return 1 if wrong or not looked_at else 0


if __name__ == "__main__":
    sys.exit(main())
