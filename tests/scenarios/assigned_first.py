# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions that assign to a parameter before anything else: what is assigned is never shown as what was passed."""

import re
import shutil
import subprocess

from support import PROGRAMS, Skip, check, equal, patience, scenario

# function, argument: what D prints of it, and what main() passes
PASSED = {
    ("constant", 0): ("args[0]", [300, 300, 600, 600]), ("constant", 1): ("args[1]", [11, 1, 11, 2]),
    ("two", 0): ("args[0]", [301, 602]), ("two", 1): ("args[1]", [302, 604]), ("two", 2): ("args[2]", [1, 2]),
    ("other", 0): ("args[0]", [303, 606]), ("other", 1): ("args[1]", [304, 608]), ("other", 2): ("args[2]", [1, 2]),
    ("real", 0): ("(*(int64_t *)&args[0]) >> 44", [0x40731, 0x40831]), ("real", 1): ("(*(int64_t *)&args[1]) >> 44", [0x40732, 0x40832]),
    ("pointer", 0): ("args[0]->x", [1, 2]), ("pointer", 1): ("args[1]->x", [2, 4]),
    ("always", 0): ("args[0]", [9, 9]), ("always", 1): ("args[1]", [307, 614]), ("always", 2): ("args[2]", [1, 2]),
}
FORMS = [("gcc", ()), ("gcc", ("-gno-variable-location-views",)), ("gcc", ("-gstrict-dwarf",)), ("gcc", ("-gdwarf-4", "-gstrict-dwarf")),
         ("gcc", ("-fno-var-tracking",)), ("gcc", ("-fno-var-tracking-assignments",)), ("gcc", ("-flto",)), ("clang", ()), ("clang", ("-gdwarf-4",))]
ARGUMENT = re.compile(r"^\t\targs\[(\d+)\]: .*?  \((unknown: )?")


def known(world, program, names):
    """(symbol, function, argument) of each argument that sonde says it knows, of the functions and their copies."""
    symbols = [line.split()[-1] for line in subprocess.run(["nm", program], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()]
    wanted = [symbol for symbol in symbols if symbol.partition(".")[0] in names and not symbol.endswith(".cold")]
    listed = world.sonde("-lv", "-n", ",".join(f"pid$target:a.out:{symbol}:entry" for symbol in wanted), "-c", program).stdout
    found, symbol = [], None
    for line in listed.splitlines():
        words = line.split()
        symbol = words[-2] if words and words[0].isdigit() else symbol
        if (argument := ARGUMENT.match(line)) and not argument.group(2):
            found.append((symbol, symbol.partition(".")[0], int(argument.group(1))))
    return found


@scenario(only="ptrace", why="the module reads the same locations by the same function")
def what_is_assigned_first_is_not_what_was_passed(world):
    """Each form of debug information, with and without a way to tell the two apart."""
    least = {("gcc", ()): 9, ("gcc", ("-flto",)): 0}
    for compiler, flags in FORMS:
        if not shutil.which(compiler):
            continue
        program = world.path("-".join([compiler, *flags]))
        subprocess.run([compiler, "-w", "-g", "-O2", *flags, "-o", program, PROGRAMS / "assigned_first.c"], check=True, timeout=60 * patience)
        shown = known(world, program, {name for name, _ in PASSED})
        clauses = "BEGIN { } " + " ".join(f'pid$target:a.out:{symbol}:entry {{ printf("{name} {n} %d\\n", {PASSED[name, n][0]}); }}' for symbol, name, n in shown)
        result = world.sonde("-q", "-n", clauses, "-c", program)
        for _, name, n in shown:
            values = [int(line.split()[2]) for line in result.stdout.splitlines() if line.startswith(f"{name} {n} ")]
            equal(values, PASSED[name, n][1], f"{compiler} {flags}: {name}, args[{n}]")
        check(not result.stderr, result.stderr)
        check(len(shown) >= least.get((compiler, flags), 3), f"{compiler} {flags}: only {shown}")


@scenario(only="ptrace", why="the module reads the same locations by the same function")
def what_rust_assigns_first_is_not_what_was_passed(world):
    program = world.program("assigned_first_rust", "-O")
    equal(known(world, program, {"other"}), [], "arguments of Rust's own convention")
