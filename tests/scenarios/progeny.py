# SPDX-License-Identifier: GPL-3.0-or-later
"""progenyof(): the source decides it where the probe fires, so ancestors that end right behind are known."""

import os
import re

from stock_kernel import need_it, start_tracing, stop_tracing
from support import check, equal, scenario, source_here

SHELLS = "#!/bin/sh\nsh -c 'sh -c \"sh -c /bin/true; /bin/true\"; /bin/true'; exit 0\n"  # at least six processes, up to four deep


@scenario(short=True)
def progenyof_of_a_tree(world):
    """Of each end in a tree of shells; of a process that is no ancestor; of process 0, of whom nobody is a child."""
    script = ("proc:::exit /progenyof($target)/ { @ends = count(); } syscall::close:entry /progenyof($target)/ { @calls = count(); } "
              "syscall::close:entry { @all = count(); @value[progenyof($target)] = count(); } "
              "syscall::close:entry /progenyof(0) || progenyof(1 << 22)/ { @none = count(); } "
              'END { printa("%@d %@d %@d\\n", @ends, @calls, @all); printa("value %d\\n", @value); printa("none %@d\\n", @none); }')
    text = world.sonde("-q", "-n", script, "-c", world.path("shells", SHELLS)).stdout
    ends, calls, everybody = map(int, re.search(r"^(\d+) (\d+) (\d+)$", text, re.M).groups())
    check(6 <= ends <= 8 and calls > 12, f"each of the tree: {text}")
    check("value 1\n" in text and "none" not in text, f"as a value; nobody's: {text}")
    if source_here() == "ptrace":
        equal(calls, everybody, "all of them descend from the target")


@scenario()
def progenyof_on_a_stock_kernel(world):
    """Each process of this test's, whose parents end right behind it, ends once; nobody else's."""
    need_it(world)
    sonde = start_tracing(world, "-n", 'proc:::exit /progenyof($1)/ { @[pid] = count(); } END { printa("%d %@d\\n", @); }', str(os.getpid()), hooks=1)
    world.run([world.path("shells", SHELLS)])
    world.run(["setsid", "--fork", "true"])
    rows = [line.split() for line in stop_tracing(world, sonde).stdout.splitlines() if line.strip()]
    check(7 <= len(rows) <= 11 and all(row[1] == "1" for row in rows), f"each process of this test's: {rows}")
