# SPDX-License-Identifier: GPL-3.0-or-later
"""-p, repeated, on busy.c, which knows the result of each of its calls: the program does not notice."""

import re
import signal
import subprocess

import support
from support import at_rest, check, counts, equal, scenario, state_of, threads_of, tracer_of, wait_until

FUNCTION = "pid$target:a.out:step:entry,pid$target:a.out:step:return { @[probename] = count(); }"
CALLS = "syscall:::entry,syscall:::return { @[probename] = count(); }"
TOLD = re.compile(r"(\d+) system calls? of .*returned a short count")


def start_busy(world):
    busy = world.start([world.program("busy")], marked=False, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                       stderr=subprocess.DEVNULL)
    equal(busy.stdout.readline(), "ready\n", "first line of the program")
    return busy


def attach_often(world, busy, clause, rounds, milliseconds=20):
    """Attaches and detaches repeatedly; returns the number of short counts that sonde has reported."""
    told = seen = 0
    for i in range(rounds):
        result = world.sonde("-q", "-n", clause + f" tick-{milliseconds}ms {{ exit(0); }}", "-p", busy.pid, status=None)
        check(busy.poll() is None, f"round {i}: the program has died: {busy.poll()}")
        equal(result.status, 0, f"round {i}: exit status")
        tracers = {tracer_of(busy.pid, tid) for tid in threads_of(busy.pid)}
        check(tracers <= {0, None}, f"round {i}: tracers {tracers} when sonde has ended")
        seen += sum(counts(result.stdout).values())
        told += sum(int(found.group(1)) for found in TOLD.finditer(result.stderr))
    check(seen > rounds, f"only {seen} firings")
    return told


def verdict(busy):
    """Ends the program; returns {call: {what: number}}."""
    busy.stdin.close()
    text = busy.stdout.read()
    equal(busy.wait(60 * support.patience), 0, "exit status of the program")
    check("failed" not in text, text)
    found = {line.split()[0]: {k: int(v) for k, v in re.findall(r"(\w+)=(-?\d+)", line)} for line in text.splitlines()}
    equal(len(found), 16, "lines")
    for call, numbers in found.items():
        check(numbers["calls"] > 10, f"{call}: {numbers}")
        equal((numbers["wrong"], numbers["lost"]), (0, 0), f"{call}: wrong results, lost tokens")
    return found


def total(found, what):
    return sum(numbers[what] for numbers in found.values())


def tell(found, told):
    """Each short count is reported, except one that occurs while the guard ends."""
    short = total(found, "short")
    check(short - max(2, short // 10) <= told <= short + 1, f"{short} short counts, told {told}")
    print(f"  {total(found, 'calls')} calls, {total(found, 'eintr')} EINTR, {total(found, 'short')} short, told {told}")


def rounds_of(world):
    return 300 if world.full else 20


@scenario(only="ptrace", why="the module stops no thread at an attach", alone=True)
def functions_are_seen_and_nobody_notices(world):
    """With functions only, no thread is stopped at attach and at the end: no EINTR, no short count. But sigtimedwait()
    sometimes returns EINTR, without a visible stop (docs/guard.md): at most in one of 100,000 calls."""
    busy = start_busy(world)
    told = attach_often(world, busy, FUNCTION, rounds_of(world))
    found = verdict(busy)
    tell(found, told)
    woken = found["sigtimedwait"].pop("eintr")
    check(woken * 100000 <= total(found, "calls"), f"{woken} times EINTR from sigtimedwait")
    found["sigtimedwait"]["eintr"] = 0
    equal((total(found, "eintr"), total(found, "short"), told), (0, 0, 0), "EINTR, short counts, those told")


@scenario(only="ptrace", why="the module stops no thread at an attach", alone=True)
def calls_are_seen_and_nobody_notices(world):
    """System calls: at most one EINTR in 100,000 calls."""
    busy = start_busy(world)
    told = attach_often(world, busy, CALLS, rounds_of(world))
    found = verdict(busy)
    tell(found, told)
    check(total(found, "eintr") * 100000 <= total(found, "calls"), f"EINTR: {found}")


@scenario(only="ptrace", why="the module stops no thread at an attach", alone=True)
def samples_and_calls_and_nobody_notices(world):
    """profile interrupts running threads; otherwise as above; clauses of all kinds at once."""
    busy = start_busy(world)
    told = attach_often(world, busy, FUNCTION + CALLS + "profile-997 { @[probename] = count(); }", rounds_of(world))
    found = verdict(busy)
    tell(found, told)
    check(total(found, "eintr") * 100000 <= total(found, "calls"), f"EINTR: {found}")


@scenario(only="ptrace", why="the module stops no thread at an attach")
def sleepers_sleep_on(world):
    """Ten times each kind of clause on sleeping threads, each in another call that an interruption would end."""
    sleepers = world.start([world.program("sleepers")], marked=False, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    equal(sleepers.stdout.readline(), "ready\n", "first line")
    for clause in (CALLS, "pid$target:a.out:main:entry { }", "profile-997 { }"):
        for _ in range(10):
            world.sonde("-q", "-n", clause + " tick-20ms { exit(0); }", "-p", sleepers.pid)
    sleepers.stdin.close()
    equal(sleepers.stdout.read(), "right\n", "what the sleepers say")


@scenario(only="ptrace", why="the module stops no thread at an attach")
def a_stopped_program_is_attached_at_once(world):
    """It stays stopped, and later continues as before. Waiting for its threads would take 3.6 s and more."""
    for program, clause in (("busy", CALLS), ("busy", FUNCTION)):
        target = world.start([world.program(program)], marked=False, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        equal(target.stdout.readline(), "ready\n", "first line")
        target.send_signal(signal.SIGSTOP)
        stopped = lambda: {state_of(target.pid, tid) for tid in threads_of(target.pid)} == {"T"}
        wait_until(stopped, what="stop")
        result = world.sonde("-q", "-n", clause + " tick-20ms { exit(0); }", "-p", target.pid)
        check(result.seconds < 3 * support.patience, f"it took {result.seconds} s")
        wait_until(stopped, what="each thread has gone back into its stop")
        target.send_signal(signal.SIGCONT)
        verdict(target)


REAPER = """
import ctypes, os, subprocess, sys
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER: orphans come to us
subprocess.run(sys.argv[1:], check=True)
try:
    print(os.waitpid(-1, 0))
except ChildProcessError:
    print("none")
"""


@scenario(only="ptrace", why="the module has no guard")
def the_guard_is_reaped(world):
    """sonde, which may be a container's first process, leaves no process for another one to reap."""
    busy = start_busy(world)
    for target in (["-p", str(busy.pid)], ["-c", "true"]):
        result = world.run(["python3", "-c", REAPER, world.binary, "-q", "-n", CALLS + "tick-50ms { exit(0); }", "-o",
                            world.path("counts"), *target])
        equal((result.stdout, result.status), ("none\n", 0), "orphans, status")
    verdict(busy)


@scenario(only="ptrace", why="the module has no guard")
def a_guard_that_stays_says_so(world):
    """A child of -c's program that outlives sonde keeps its guard, and continues correctly."""
    path = world.path("result")
    result = world.sonde("-q", "-n", "syscall::getppid:entry { @ = count(); } tick-200ms { exit(0); }", "-c",
                         f"sh -c '{world.program('worker')} {path} 300 1000 & wait'", stdout=subprocess.DEVNULL)
    check(re.search(r"system call filter of -c: sonde-guard \(pid \d+\) stays until the end of it", result.stderr), result.stderr)
    world.expect_nothing_left()
    equal(open(path, encoding="utf-8").read(), "right\n", "the program's result")


@scenario(only="ptrace", why="the module stops no thread at an attach")
def memory_that_a_child_shares(world):
    """Attached while a child is in vfork: it hits the breakpoints, and continues."""
    for _ in range(5):
        sharing = world.start([world.program("sharing")], marked=False, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        equal(sharing.stdout.readline(), "ready\n", "first line")  # the child is now waiting, before its call of step()
        sonde = world.start_sonde("-q", "-n", "pid$target:a.out:step:entry { @ = count(); }", "-p", sharing.pid)
        wait_until(lambda: tracer_of(sharing.pid) and at_rest(sonde), what="the breakpoint")
        sharing.stdin.write("go\n")
        sharing.stdin.flush()
        sharing.stdin.close()
        equal(sharing.stdout.read(), "right\n", "what the program says")
        equal(sharing.wait(30 * support.patience), 0, "its exit status")
        result = world.finish(sonde)
        equal(result.status, 0, "exit status of sonde")


@scenario()
def children_that_are_there_are_told_or_taken(world):
    """A line says how many are left out; -x children traces them."""
    script = world.path("parent", "#!/bin/sh\nfor i in 1 2; do while kill -0 $$; do :; done & done\necho ready\nread x\nkill %1 %2\n")
    parent = world.start([script], marked=False, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    equal(parent.stdout.readline(), "ready\n", "first line")
    children = open(f"/proc/{parent.pid}/task/{parent.pid}/children", encoding="ascii").read().split()
    calls = "syscall::kill:entry { @[pid] = count(); } tick-300ms { exit(0); }"
    result = world.sonde("-q", "-n", calls, "-p", str(parent.pid))
    check(f"process {parent.pid} has 2 children already, not traced: -x children traces them, too" in result.stderr, result.stderr)
    equal(result.stdout.split(), [], "calls of children that are left out")
    result = world.sonde("-x", "children", "-q", "-n", calls, "-p", str(parent.pid))
    check("not traced" not in result.stderr, result.stderr)
    equal(sorted(result.stdout.split()[::2]), sorted(children), "whose calls are counted")
    parent.stdin.close()
    parent.wait(30 * support.patience)


@scenario(only="ptrace", why="with the module every process of the machine is traced")
def a_description_grabs_its_process(world):
    """pid<N> needs no -p N."""
    busy = start_busy(world)
    for text, words in ((f"pid{busy.pid}:a.out:step:entry", []), ("pid$1:a.out:step:entry", [busy.pid])):
        result = world.sonde("-q", "-n", text + " { @ = count(); } tick-100ms { exit(0); }", *[str(w) for w in words])
        check(int(result.stdout) > 100, f"{text}: {result.stdout!r}")
    verdict(busy)
    result = world.sonde("-n", "pid4194304:::entry { }", status=1)
    check("failed to grab process 4194304: no such process" in result.stderr, result.stderr)
