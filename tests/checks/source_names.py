#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks that no text outside of runtime/source names an event source: the table in runtime/source/capabilities.h says
what each one can do.

Texts are the string literals of the product; tables (.inc), and runtime/syscall, contain the system calls ptrace and bpf. The kernel module says
"another source" for things that it cannot do: runtime/source/kmod_source.cpp inserts the name."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("cli", "compiler", "kmod", "providers", "runtime")
HOME = "runtime/source/"
CALLS = "runtime/syscall/"
ROW = re.compile(r'SourceRow k\w+ = \{\s*"(\w+)"')
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|^\s*#\s*include[^\n]*|R"(\w*)\((?P<raw>.*?)\)\1"|"(?P<text>(?:\\.|[^"\\\n])*)"' r"|'(?:\\.|[^'\\])+'",
                   re.M | re.S)


def texts(source):
    """(line, string literal) for each, without comments and includes."""
    for token in TOKEN.finditer(source):
        text = token.group("raw") or token.group("text")
        if text:
            yield source.count("\n", 0, token.start()) + 1, text


def main():
    names = ROW.findall((ROOT / HOME / "capabilities.h").read_text(encoding="utf-8"))
    named = re.compile(rf"\b(?:{'|'.join(names)})\b(?!/)")  # not a folder
    looked_at, wrong = 0, []
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            place = path.relative_to(ROOT).as_posix()
            if path.suffix not in (".c", ".h", ".cpp") or place.startswith((HOME, CALLS)):
                continue
            for line, text in texts(path.read_text(encoding="utf-8")):
                looked_at += 1
                if named.search(text):
                    wrong.append(f'{place}:{line}: "{text}" names a source; sources_with() says which one can')
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"source_names: {len(names)} sources, {looked_at} texts, {len(wrong)} wrong")
    return 1 if wrong or len(names) < 2 or looked_at < 1000 else 0


if __name__ == "__main__":
    sys.exit(main())
