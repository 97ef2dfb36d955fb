#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints a libFuzzer dictionary of D: the keywords of the grammar and the names of the tables."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
PUNCTUATION = ["->", "^^", "&&", "||", "<<=", ">>=", "+=", "++", "--", "/*", "*/", "::", "...", "$1", "$$2", "$target",
               "self->", "this->", "#pragma D option ", "#pragma D attributes ", "#line 3 \"f\"", "%@d", "%-*.*s", "\\x41",
               "'\\377'", "0x7fffffffffffffff", "BEGIN", "dtrace:::ERROR", "syscall::read:entry", "tick-1sec", "pid$target:::entry",
               "@a[", "xlate <", "translator", "(string)", "struct s", "int a : 3;", "probe", "provider"]


def names(path, pattern):
    return re.findall(pattern, (ROOT / path).read_text(), re.M)


def main():
    words = set(PUNCTUATION)
    words.update(names("compiler/parse/modal_lexer.cpp", r'^ +\{"([a-z]+)", P::'))
    for table in ("functions", "variables", "options"):
        words.update(names(f"runtime/lang/{table}.h", r'^\s*\{"(\w+)",'))
    words.update(names("runtime/agg/functions.h", r'^\s*\{"(\w+)",'))
    for word in sorted(words):
        escaped = word.replace("\\", "\\\\").replace('"', '\\"')
        print(f'"{escaped}"')


if __name__ == "__main__":
    main()
