# SPDX-License-Identifier: GPL-3.0-or-later
"""SIGTRAPs of the program's own that meet those of breakpoints."""

import pathlib
import subprocess

from support import at_rest, attached_to, counts, equal, scenario, wait_until


@scenario(only="ptrace", why="only a tracer's breakpoints force SIGTRAP")
def traps_that_are_blocked_and_pending(world):
    """The kernel keeps one SIGTRAP a thread: it comes in the place of the breakpoint's, or the breakpoint's sets it free. The program
    gets it when it unblocks it, as untraced, with its own siginfo."""
    program = world.program("pending_trap")
    untraced = world.run([program]).stdout
    for functions in ("stepped", "emulated", "stepped,pid$target:a.out:emulated:entry"):
        probes = f"pid$target:a.out:{functions}{'' if ':' in functions else ':entry'} {{ @[probefunc] = count(); }}".replace("stepped,", "stepped:entry,")
        wanted = {name: 32 for name in ("stepped", "emulated") if name in functions}
        out = world.path("counts", "")
        result = world.sonde("-q", "-o", out, "-n", probes, "-c", program, seconds=30)
        equal(result.stdout, untraced, f"-c, {probes}")
        equal(counts(pathlib.Path(out).read_text(encoding="utf-8")), wanted, f"-c, {probes}")
        process = world.start([program, "wait"], stdin=subprocess.PIPE)
        sonde = world.start_sonde("-qn", probes, "-p", str(process.pid))
        wait_until(lambda p=process, s=sonde: attached_to(s, p.pid) and at_rest(s), what="attached")
        equal(process.communicate("\n", timeout=30)[0], untraced, f"-p, {probes}")
        equal(counts(sonde.communicate(timeout=30)[0]), wanted, f"-p, {probes}")
        equal((process.returncode, sonde.returncode), (0, 0), probes)
