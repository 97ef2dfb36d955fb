#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks which variables the module leaves uninitialised in kernels that zero all others. What a traced user's program can
read may not be one of them, because a word that the code forgets would then be the kernel's stack. Exceptions are in
ALLOWED, by function, and say why."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPIES = "copied back only as far as it was filled in, under the same condition: defer_keep(), defer_take_back()"
HOT = "zeroing it costs 32 instructions a hit, more than `./dev bench guest` allows; sonde_fetch_args() writes each word that \
programs read, and tests/kmod/device/words.c reads them all"
ALLOWED = {
    ("kept", "sonde_fire_user"): COPIES,
    ("kept", "defer_run_one"): COPIES,
    ("sonde_leave_state", "utap_leaves"): "decides whether a jump leaves its function; no program reads it",
    ("sonde_firing", "call_enter_session"): HOT,
    ("sonde_firing", "call_leave_session"): HOT,
    ("sonde_firing", "utap_handle_plain"): HOT,
    ("sonde_firing", "utap_handle_each"): HOT,
}
ATTRIBUTE = re.compile(r"SONDE_UNINITIALIZED|\buninitialized\b|__uninitialized\b")
VARIABLE = re.compile(r"\bstruct (\w+) \w+ SONDE_UNINITIALIZED;")
FUNCTION = re.compile(r"(?:[\w*]+ )+\**(\w+)\(")


def code_of(text):
    """The text without comments; lines stay where they are."""
    return re.sub(r"/\*.*?\*/|//[^\n]*", lambda found: "\n" * found.group().count("\n"), text, flags=re.S)


def faults(name, text):
    function = None
    for number, line in enumerate(code_of(text).splitlines(), 1):
        if begins := FUNCTION.match(line):
            function = begins.group(1)
        if not ATTRIBUTE.search(line) or line.startswith("#define SONDE_UNINITIALIZED "):
            continue
        found = VARIABLE.search(line)
        if not found or (found.group(1), function) not in ALLOWED:
            what = f"struct {found.group(1)} in {function}()" if found else line.strip()
            yield f"{name}:{number}: {what} is left uninitialised; a program might read it (see tests/checks/uninitialized.py)"


def check_self():
    """The check finds what it is there for."""
    samples = {
        "int call_enter_session(int a)\n\tstruct sonde_firing firing SONDE_UNINITIALIZED;": 0,
        "int call_enter_exec(int a)\n\tstruct sonde_firing firing SONDE_UNINITIALIZED;": 1,
        "u64 args[10] __attribute__((uninitialized));": 1,
        "u64 args[10] SONDE_UNINITIALIZED;": 1,
        "static enum outcome defer_run_one(struct a *b,\n\tstruct kept kept SONDE_UNINITIALIZED;": 0,
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
