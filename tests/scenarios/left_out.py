# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameters that clang leaves out: what is passed is read from where it is, and what may not be there is refused."""

import re
import shutil
import subprocess

from support import PROGRAMS, Skip, check, equal, patience, scenario

GONE = "clang does not pass it to this static function"
CHANGED = "clang may have changed the parameters of this static function"
UNUSED = "clang may not pass a parameter that the function does not use"
ALL, LOW = ("-O1", "-O2", "-O3"), ("-O1", "-O2")

# function, argument, levels, what D prints of it or the reason why it does not
ROWS = [
    ("assigned", 0, ALL, GONE),  # a0 = a1: DWARF has both where a1 is passed
    ("assigned", 1, ALL, ("args[1]", "52")),
    ("moved", 0, ALL, CHANGED),  # a0 = a1; a1 = 5: DWARF has a0 where a1 is passed, and nothing of a1
    ("moved", 1, ALL, CHANGED),
    ("unused", 0, ALL, GONE),
    ("unused", 1, ALL, ("args[1]", "56")),
    ("unused", 3, ("-O1",), ("((int *)&args[3])[1]", str(0x404d0000))),  # from -O2 on nothing says that it is not args[2]
    ("unused", 3, ("-O2", "-O3"), CHANGED),
    ("behind", 0, LOW, GONE),
    ("behind", 1, LOW, ("args[1].x[2]", "23")),  # DWARF has it by the stack pointer behind the prologue
    ("behind", 1, ("-O3",), CHANGED),  # parts of it are passed
    ("half", 0, ALL, UNUSED),
    ("later", 0, ALL, ("args[0]", "61")),
    ("later", 1, ALL, UNUSED),  # DWARF has it later, when it is another value
    ("vectors", 0, ALL, ("((int *)&args[0])[1]", str(0x40200000))),  # 2.5: DWARF does not have it, the code needs %xmm0
    ("vectors", 1, ALL, ("((int *)&args[1])[1]", str(0x40900000))),
    ("pointed", 1, LOW, ("*args[1]", "41")),
    ("pointed", 2, LOW, ("args[2]", "65")),
    ("members", 0, ("-O3",), CHANGED),  # two integers are passed in place of the address: a0 would have the first one's place
    ("members", 1, ("-O3",), CHANGED),
    ("members", 1, LOW, ("args[1]->b", "32")),
    ("slot", 0, ALL, CHANGED),  # a0 = a1, and a1 is in memory: DWARF has a0 where a1 is passed, and a1 in its slot
    ("pointed", 1, ("-O3",), CHANGED),  # the integer is passed, not its address
]
ARGUMENT = re.compile(r"^\t\targs\[(\d+)\]: .*?  \((?:unknown: )?(.*)\)$")


def places(world, program, functions):
    """The place of each (function, argument), or the reason why it is not known."""
    wanted = ",".join(f"pid$target:a.out:{name}:entry" for name in functions)
    told, now = {}, None
    for line in world.sonde("-lv", "-n", wanted, "-c", program).stdout.splitlines():
        words = line.split()
        now = words[-2] if words and words[0].isdigit() else now
        if found := ARGUMENT.match(line):
            told[now, int(found.group(1))] = found.group(2)
    return told


@scenario(only="ptrace", why="the module reads the same locations by the same function")
def parameters_that_clang_leaves_out(world):
    """At each level of optimization: the values of those that are passed, the reason of the others."""
    if not shutil.which("clang"):
        raise Skip("no clang")
    for level in ALL:
        program = world.path(f"left_out{level}")
        subprocess.run(["clang", "-w", "-g", level, "-o", program, PROGRAMS / "left_out.c", "-lm"], check=True, timeout=60 * patience)
        rows = [row for row in ROWS if level in row[2]]
        told = places(world, program, dict.fromkeys(row[0] for row in rows))
        for name, number, _, wanted in rows:
            if isinstance(wanted, str):
                equal(told[name, number], wanted, f"{level}: {name}, args[{number}]")
        shown = [(name, wanted) for name, _, _, wanted in rows if not isinstance(wanted, str)]
        clauses = " ".join(f'pid$target:a.out:{name}:entry {{ printf("{name} {value} %d\\n", {value}); }}' for name, (value, _) in shown)
        result = world.sonde("-q", "-n", clauses, "-c", program)
        equal(sorted(line for line in result.stdout.splitlines() if line), sorted(f"{name} {value} {number}" for name, (value, number) in shown), level)
        check(not result.stderr, result.stderr)
