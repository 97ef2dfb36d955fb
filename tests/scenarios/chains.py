# SPDX-License-Identifier: GPL-3.0-or-later
"""More clauses on one event than a program of the kernel may have: a chain of programs, in which a firing stays one."""

import collections
import os
import re

from folding import clause
from stock_kernel import apart, need_it, start_tracing, stop_tracing
from support import check, equal, scenario

CALLS = 100


def script_of(name, number):
    """Clauses that count on each other's this->n: every fifth time one that records it, between those that are folded."""
    clauses = [clause(name, "this->n = 0;")]
    for n in range(number):
        clauses.append(clause(name, f"this->n = this->n + 1; @calls[{n}, execname] = count(); @number[{n}] = max(this->n);"))
        if n % 5 == 4:
            clauses.append(clause(name, 'printf("at %d %d\\n", timestamp, this->n);'))
    return "\n".join(clauses)


@scenario(seconds=300)
def chains_are_one_firing(world):
    """1, 13 and 50 clauses, 400 at length: each call runs each clause once, in order, with one time and the same variables."""
    need_it(world)
    program = apart(world, world.program("mixed"))
    name = os.path.basename(program)
    for number in (1, 13, 50, 400) if world.full else (1, 13, 50):
        sonde = start_tracing(world, "-s", world.path("script.d", script_of(name, number)))
        world.run([program, CALLS])
        out = stop_tracing(world, sonde).stdout
        counted = dict(re.findall(rf"^ +(\d+)  {name} +(\d+)$", out, re.M))
        equal(counted, {str(n): str(CALLS) for n in range(number)}, f"calls by clause, {number} clauses")
        values = dict(re.findall(r"^ +(\d+) +(\d+)$", out, re.M))
        equal(values, {str(n): str(n + 1) for n in range(number)}, f"this->n by clause, {number} clauses")
        firings = collections.defaultdict(list)
        for time, value in re.findall(r"^at (\d+) (\d+)$", out, re.M):
            firings[time].append(int(value))
        wanted = [5 * n + 5 for n in range(number // 5)]
        check(all(one == wanted for one in firings.values()), f"records of a firing: {wanted}, {list(firings.values())[:3]}")
        equal(len(firings), CALLS if wanted else 0, f"firings, {number} clauses")
