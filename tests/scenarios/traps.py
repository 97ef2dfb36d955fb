# SPDX-License-Identifier: GPL-3.0-or-later
"""SIGTRAPs of the program's own that meet those of breakpoints."""

import pathlib
import re
import signal
import subprocess

from support import at_rest, attached_to, check, counts, equal, patience, scenario, wait_until


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
        equal(process.communicate("\n", timeout=30 * patience)[0], untraced, f"-p, {probes}")
        equal(counts(sonde.communicate(timeout=30 * patience)[0]), wanted, f"-p, {probes}")
        equal((process.returncode, sonde.returncode), (0, 0), probes)


@scenario(only="ptrace", why="the module owns no int3")
def a_program_that_dies_of_a_trap(world):
    """Its own int3 and kill() are its own. One in memory that it has made may be a copy of ours: a line, and exit status 1."""
    for where in ("text", "memory", "none"):
        out = world.path("counts", "")
        result = world.sonde("-q", "-o", out, "-n", "pid$target:a.out:work:entry { @[probefunc] = count(); }",
                             "-c", f"{world.program('own_trap')} {where}", status=None)
        doubtful = where == "memory"
        equal("dies of a SIGTRAP at" in result.stderr, doubtful, f"{where}: {result.stderr}")
        equal("may be a copy of a breakpoint of sonde" in result.stderr, doubtful, f"{where}: {result.stderr}")
        equal(result.status, 1 if doubtful else 0, f"{where}: exit status; {result.stderr}")
        found = counts(pathlib.Path(out).read_text(encoding="utf-8"))
        equal(found.get("work"), 1, f"{where}: {found}")


@scenario(only="ptrace", why="the module's breakpoints are the kernel's, which belong to a file")
def text_in_anonymous_memory(world):
    """Breakpoints that were set before move along. Afterwards a description that names the module says why there are none."""
    program, probe = world.program("moved_text"), "pid$target:{}:work:entry {{ @[probefunc] = count(); }}"
    result = world.sonde("-qn", probe.format("a.out"), "-c", program)
    check("sum 55\n" in result.stdout, result.stdout)
    equal(counts(result.stdout), {"work": 10}, result.stdout)
    process = world.start([program], stdin=subprocess.PIPE)
    equal(process.stdout.readline(), "moved\n", "the program")
    for module in ("a.out", "moved_text", ""):
        told = world.sonde("-qn", probe.format(module), "-p", process.pid, status=1).stderr
        check("has moved the text of moved_text to memory of its own" in told, f"{module}: {told}")
    told = world.sonde("-qn", probe.format("libm*"), "-p", process.pid, status=1).stderr
    check("moved" not in told, told)
    equal(process.communicate("\n", timeout=30 * patience)[0], "sum 55\n", "the program")
    equal(process.returncode, 0, "the program")


@scenario(only="ptrace", why="the module's breakpoints are the kernel's, which are not in shared memory")
def breakpoints_in_text_that_cannot_be_written(world):
    """They were copied there. Their hits are emulated; at an instruction that must run in its place the program dies, and a line says why."""
    program, probes = world.program("shared_text"), "pid$target:a.out:f:entry, pid$target:a.out:leap:entry { @[probefunc] = count(); }"
    result = world.sonde("-qn", probes, "-c", program)
    check("10 ok\n" in result.stdout, result.stdout)
    equal((counts(result.stdout), result.stderr), ({"f": 10}, ""), "emulated")
    process = world.start([program, "fault"], stdin=subprocess.PIPE)
    equal(process.stdout.readline(), "ready\n", "the program")
    sonde = world.start_sonde("-qn", probes.replace("$target", "$1"), "-p", str(process.pid), str(process.pid))
    wait_until(lambda: attached_to(sonde, process.pid) and at_rest(sonde), what="attached")
    process.communicate("\n", timeout=30 * patience)
    out, err = sonde.communicate(timeout=30 * patience)
    equal(process.returncode, -signal.SIGTRAP, "the program")
    check(re.search(f"process {process.pid} dies of a SIGTRAP at 0x[0-9a-f]+, where sonde has a breakpoint: .* its memory cannot be written", err), err)
    equal((counts(out), sonde.returncode), ({"f": 10, "leap": 1}, 1), err)
