# SPDX-License-Identifier: GPL-3.0-or-later
"""Seccomp filters of the traced program: each verdict does what it does untraced."""

import subprocess

from support import at_rest, check, counts, equal, patience, scenario, wait_until

HOWS = ("prctl", "seccomp", "tsync", "thread", "parent")
PROBES = {"called": "syscall::getppid:entry", "others": "syscall::write:entry", "all": "syscall:::entry",
          "function": "pid$target:a.out:work:entry", "both": "pid$target:a.out:work:entry, syscall::getppid:entry"}
CALLS = {"allow": 3, "log": 3, "errno": 3, "trace": 3, "trace7": 3, "trace65535": 3, "trap": 3, "kill_thread": 1, "kill_process": 1,
         "notify": 3, "continue": 3, "strict": 1}  # calls of getppid that each verdict lets the program begin
BY_PTRACE = {"only": "ptrace", "why": "the kernel module needs no filter, and makes no stops"}
STRICT_KILLS = ("strict: ended with 9\n", "strict: ended with 1f\n")  # SIGKILL; our filter of the same effect: SIGSYS


def count_by(probes):
    return probes + " { @[probefunc] = count(); }"


def judge(probes, result, untraced, output):
    equal(output.replace(*STRICT_KILLS), untraced.replace(*STRICT_KILLS), f"what the program saw under {probes}")
    if probes in ("called", "all", "both"):
        equal(counts(result.stdout).get("getppid"), sum(CALLS.values()), f"calls of getppid under {probes}")


def pairs(world):
    """How the filter is installed, and what is probed: all pairs, or each of either at least once."""
    names = list(PROBES)
    if world.full:
        return [(how, probes) for how in HOWS for probes in names]
    return [(how, names[(i + shift) % len(names)]) for i, how in enumerate(HOWS) for shift in (0, 2)]


@scenario(**BY_PTRACE)
def verdicts_of_a_started_program(world):
    program = world.program("verdicts")
    for how, probes in pairs(world):
        untraced = world.run([program, how, "after"]).stdout
        out = world.path("counts", "")
        result = world.sonde("-q", "-o", out, "-n", count_by(PROBES[probes]), "-c", f"{program} {how} after")
        program_saw = result.stdout
        result.stdout = open(out, encoding="utf-8").read()
        judge(probes, result, untraced, program_saw)


def attach(world, argv, probes, *options):
    """Starts the program, attaches when it says that it is ready, lets it go on. Returns sonde's result and its output."""
    process = world.start(argv, stdin=subprocess.PIPE)
    first = process.stdout.readline() if argv[-1] in ("before", "after") else process.stdout.read(1)
    sonde = world.start_sonde("-q", *options, "-n", "BEGIN { printf(\"going\\n\"); } " + count_by(PROBES[probes]), "-p", str(process.pid))
    equal(sonde.stdout.readline(), "going\n", "sonde's first line")
    output, _ = process.communicate("g\n", timeout=60 * patience)
    return world.finish(sonde), first + output, process.returncode


@scenario(**BY_PTRACE)
def verdicts_of_an_attached_program(world):
    """The filters are there before sonde is, in its children; or they come later."""
    program = world.program("verdicts")
    for how, probes in pairs(world):
        for when in ("after", "before"):
            if when == "before" and probes in ("function", "both"):
                continue  # a description of the target's functions is not one of its children's
            untraced = world.run([program, how, when]).stdout
            result, output, _ = attach(world, [program, how, when], probes, "-x", "children")
            equal(output, untraced, f"{how} {when}: what the program saw under {probes}")
            if probes in ("called", "all", "both"):
                equal(counts(result.stdout).get("getppid"), sum(CALLS.values()), f"{how} {when}: calls of getppid under {probes}")


@scenario(**BY_PTRACE)
def verdicts_in_the_target_itself(world):
    """The process that sonde attaches to has its filter already, and a handler of SIGTRAP: no call of ours is made in it."""
    program = world.program("verdicts")
    verdicts = list(CALLS) if world.full else ["trace", "trap", "kill_process", "notify", "strict"]
    for verdict in verdicts:
        for probes in ("function", "both") if world.full else ("both",):
            plain = world.start([program, "seccomp", "before", verdict], stdin=subprocess.PIPE)
            untraced, _ = plain.communicate("g\n", timeout=60 * patience)
            result, output, status = attach(world, [program, "seccomp", "before", verdict], probes)
            equal((output, status), (untraced, plain.returncode), f"{verdict} under {probes}")
            equal(counts(result.stdout).get("getppid", 0), CALLS[verdict] if probes == "both" else 0, "calls of getppid")


@scenario(**BY_PTRACE)
def a_wake_up_of_ours_makes_no_other_call(world):
    """A thread that we wake up in poll() goes on with poll(), not with restart_syscall, which its filter may forbid."""
    process = world.start([world.program("no_restart")], stdin=subprocess.PIPE)
    equal(process.stdout.readline(), "asleep\n", "the program's first line")
    wait_until(lambda: open(f"/proc/{process.pid}/syscall", encoding="utf-8").read().split()[0] == "7", what="asleep in poll")
    sonde = world.start_sonde("-q", "-n", "syscall:::entry { @[probefunc] = count(); }", "-p", str(process.pid))
    wait_until(lambda: at_rest(sonde), what="attached")
    output, _ = process.communicate("go\n", timeout=60 * patience)
    equal((output, process.returncode), ("woke up, 1\n", 0), "as untraced")
    check("write" in counts(world.finish(sonde).stdout), "its later calls are seen")
