# SPDX-License-Identifier: GPL-3.0-or-later
"""proc:::exit has the status that wait() returns, in whichever way a process ends."""

import re

from support import check, equal, scenario

ENDED = 'printf("traced %d %s %d\\n", pid, args[0] == CLD_EXITED ? "exited" : "killed", arg1)'
WAYS = 16  # of endings.c


def check_endings(world, *arguments):
    result = world.sonde("-q", *arguments, "-c", world.program("endings"))
    said = re.findall(r"^(\d+) (exited|killed) (\d+)$", result.stdout, re.M)
    equal(len(said), WAYS, "children of the program")
    found = {pid: (how, code) for pid, how, code in re.findall(r"^traced (\d+) (\w+) (\d+)$", result.stdout, re.M)}
    equal([(pid, *found.get(pid, ("not", "seen"))) for pid, _, _ in said], said, "statuses")
    check(len(found) == WAYS + 1, "one exit for each process")


@scenario(short=True)
def exit_status_is_that_of_wait(world):
    check_endings(world, "-n", f"proc:::exit {{ {ENDED}; }}")


@scenario(short=True)
def exit_status_of_a_thread_that_is_held(world):
    """The thread waits for the body, which sends it no signal."""
    check_endings(world, "-w", "-n", f"proc:::exit {{ {ENDED}; raise(0); }}")
