# SPDX-License-Identifier: GPL-3.0-or-later
"""-p: attaching to a running program, and detaching without harm."""

import os
import signal
import subprocess
import time

import support
from commands import last_tick
from support import (Skip, at_rest, attached_to, check, check_wall_times, counts, equal, processor_time, scenario, skip_where_time_means_nothing,
                     threads_of, tracer_of, wait_until)

CLAUSE = "syscall::getppid:entry { @[probefunc] = count(); }"


def start_worker(world, name="result", rounds=0, sleep_us=1000):
    """Starts worker.c without sonde; expect_right() ends it. Returns the process when its threads work."""
    worker = world.start([world.program("worker"), world.path(name), rounds, sleep_us], marked=False,
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    wait_until(lambda: len(threads_of(worker.pid)) >= 5, what="threads of the worker")
    return worker


def let_work(worker):
    """Returns when each of the 4 threads has made 50 more rounds."""
    worker.stdin.write("more\n")
    worker.stdin.flush()
    equal(worker.stdout.readline(), "done\n", "the worker's answer")


def expect_right(world, worker, name="result"):
    """Ends the worker, which reports whether all its work was correct."""
    worker.stdin.close()
    status = worker.wait(timeout=60 * support.patience)
    equal(open(world.path(name), encoding="utf-8").read(), "right\n", "the program's result")
    equal(status, 0, "exit status of the program")


def stop_attached(world, sonde):
    sonde.send_signal(signal.SIGINT)
    result = world.finish(sonde)
    equal(result.status, 0, "exit status")
    return result


@scenario(short=True)
def attach_count_detach(world):
    """Attaches to every thread, counts, detaches on Ctrl-C, prints, status 0; the program continues correctly."""
    worker = start_worker(world)
    sonde = world.start_sonde("-n", CLAUSE, "-p", worker.pid)
    wait_until(lambda: attached_to(sonde, worker.pid), what="attach to all threads")
    let_work(worker)
    result = stop_attached(world, sonde)
    check(counts(result.stdout).get("getppid", 0) >= 200, f"counted {result.stdout!r}")
    check("matched 1 probe" in result.stderr, "no 'matched' line")
    tracers = {tracer_of(worker.pid, tid) for tid in threads_of(worker.pid)}
    check(tracers <= {0, None}, f"tracers {tracers}")  # None: a thread that has ended meanwhile
    let_work(worker)
    expect_right(world, worker)
    world.expect_nothing_left()


@scenario(alone=True)
def attaches_within_100_ms(world):
    """From the start of sonde to the last thread attached."""
    runs = 0

    def attach():
        nonlocal runs
        runs += 1
        worker = start_worker(world, f"result{runs}")
        began = time.monotonic()
        sonde = world.start_sonde("-q", "-n", CLAUSE, "-p", worker.pid)
        wait_until(lambda: attached_to(sonde, worker.pid), what="attach", pause=0.001)
        taken = time.monotonic() - began
        stop_attached(world, sonde)
        expect_right(world, worker, f"result{runs}")
        return taken

    check_wall_times(world, {"attach": attach}, lambda taken: taken["attach"] <= 0.1, "over 100 ms", rounds=5)


@scenario()
def attach_uses_little(world):
    """Processor time, independent of other load: at most 100 ms in the best of five runs."""
    skip_where_time_means_nothing()
    times = []
    for i in range(5):
        worker = start_worker(world, f"result{i}")
        sonde = world.start_sonde("-q", "-n", CLAUSE, "-p", worker.pid)
        wait_until(lambda s=sonde, pid=worker.pid: attached_to(s, pid), what="attach", pause=0.001)
        times.append(sum(processor_time(pid) for pid in world.left()))
        stop_attached(world, sonde)
        expect_right(world, worker, f"result{i}")
    print("  attach: " + " ".join(f"{t * 1000:.0f}" for t in times) + " ms")
    check(min(times) <= 0.1, "too slow")


@scenario()
def attach_ends_with_the_program(world):
    worker = start_worker(world)
    sonde = world.start_sonde("-q", "-n", CLAUSE, "-p", worker.pid)
    wait_until(lambda: attached_to(sonde, worker.pid), what="attach")
    let_work(worker)
    expect_right(world, worker)
    result = world.finish(sonde)
    equal(result.status, 0, "exit status")
    check(counts(result.stdout).get("getppid", 0) >= 200, f"counted {result.stdout!r}")


@scenario()
def attach_to_two(world):
    """-p may be repeated."""
    one, two = start_worker(world, "one"), start_worker(world, "two")
    sonde = world.start_sonde("-q", "-n", "syscall::getppid:entry { @[pid] = count(); }", "-p", one.pid, "-p", two.pid)
    wait_until(lambda: attached_to(sonde, one.pid) and attached_to(sonde, two.pid), what="attach")
    for worker in one, two:
        let_work(worker)
    expect_right(world, one, "one")
    expect_right(world, two, "two")
    result = world.finish(sonde)
    seen = {int(line.split()[0]) for line in result.stdout.splitlines() if len(line.split()) == 2}
    equal(seen, {one.pid, two.pid}, "pids")


@scenario(short=True, signals=True)
def attach_functions(world):
    """Breakpoints in a running program; they are removed when sonde ends."""
    worker = start_worker(world)
    sonde = world.start_sonde("-q", "-n", "pid$target:a.out:one_round:entry,pid$target:a.out:one_round:return "
                              "{ @[probename] = count(); }", "-p", worker.pid)
    wait_until(lambda: attached_to(sonde, worker.pid), what="attach")
    let_work(worker)
    found = counts(stop_attached(world, sonde).stdout)
    check(found.get("entry", 0) >= 196 and found.get("return", 0) >= 196, f"counts {found}")  # a round may be in progress
    let_work(worker)
    expect_right(world, worker)


@scenario()
def children_of_a_target(world):
    """-x children: existing children of a -p process are targets, too."""
    ticks = world.path("ticks")
    shell = world.start(["sh", "-c", f"{world.program('ticker')} {ticks} 0; true"])
    wait_until(lambda: last_tick(ticks) > 0, what="the child's ticks")
    for options, seen in (((), False), (("-x", "children"), True)):
        sonde = world.start_sonde("-q", *options, "-n", CLAUSE, "-p", shell.pid)
        wait_until(lambda one=sonde: attached_to(one, shell.pid) and at_rest(one), what="attach")
        tick = last_tick(ticks)
        wait_until(lambda since=tick: last_tick(ticks) > since + 5, what="the child's calls")
        equal("getppid" in stop_attached(world, sonde).stdout, seen, f"the child's calls are seen with {options}")
    open(f"{ticks}.end", "w", encoding="ascii").close()
    equal(world.finish(shell).status, 0, "exit status of the program")


@scenario(short=True)
def attach_refused(world):
    """A process of another user: an error that says what to do, status 1."""
    if os.geteuid() != 0:
        raise Skip("needs root, to have a process that an ordinary user may not trace")
    worker = start_worker(world)
    user = world.as_user()
    result = user.sonde("-n", CLAUSE, "-p", str(worker.pid), status=1)
    check("belongs to uid 0" in result.stderr, "the error does not say why")
    check("run sonde as" in result.stderr, "the error does not say what to do")
    expect_right(world, worker)


@scenario()
def attach_refused_by_yama(world):
    path = "/proc/sys/kernel/yama/ptrace_scope"
    if not os.path.exists(path) or open(path, encoding="ascii").read().strip() == "0":
        raise Skip("this kernel has no Yama, or it allows everything")
    user = world.as_user()
    worker = start_worker(user)
    result = user.sonde("-n", CLAUSE, "-p", str(worker.pid), status=1)
    check("ptrace_scope" in result.stderr, "the error does not name ptrace_scope")


@scenario()
def attach_to_nobody(world):
    result = world.sonde("-n", CLAUSE, "-p", "4194304", status=1)
    check("o such process" in result.stderr, "the error does not say so")


@scenario(only="ptrace", why="the module serves any number of sessions")
def attach_twice_is_refused(world):
    """One tracer per process: the second sonde names the first one."""
    worker = start_worker(world)
    first = world.start_sonde("-q", "-n", CLAUSE, "-p", worker.pid)
    wait_until(lambda: attached_to(first, worker.pid), what="attach")
    result = world.sonde("-n", CLAUSE, "-p", str(worker.pid), status=1)
    check(f"pid {tracer_of(worker.pid)} traces it already" in result.stderr, f"the error does not say who: {result.stderr!r}")
    stop_attached(world, first)
    expect_right(world, worker)


@scenario(short=True)
def a_process_that_is_named_twice_is_one(world):
    """-p N -p N, and N's number again in a description."""
    worker = start_worker(world)
    sonde = world.start_sonde("-q", "-n", CLAUSE, "-n", f"pid{worker.pid}:a.out:main:entry {{ }}", "-p", worker.pid, "-p", worker.pid)
    wait_until(lambda: attached_to(sonde, worker.pid), what="attach")
    stop_attached(world, sonde)
    expect_right(world, worker)


def threads_that_wait(world):
    """A program with seventeen threads, and the number of one that is not the first."""
    program = world.start([world.program("busy")], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    wait_until(lambda: len(threads_of(program.pid)) > 16, what="its threads")
    return program, max(threads_of(program.pid))


@scenario(short=True)
def thread_stands_for_its_process(world):
    """Its number after -p attaches to the whole process, once, and a line says so."""
    program, tid = threads_that_wait(world)
    clause = "syscall:::entry /pid == $target/ { @[pid, $target] = count(); @threads[tid] = count(); } syscall:::entry /++n > 5000/ { exit(0); }"
    result = world.sonde("-qn", clause, "-p", str(tid), "-p", str(program.pid))
    check(f"{tid} is a thread of process {program.pid}: sonde traces all of the process\n" in result.stderr, result.stderr)
    numbers = [line.split() for line in result.stdout.splitlines() if line.strip()]
    equal([line[:2] for line in numbers if len(line) == 3], [[str(program.pid)] * 2], "the process and $target")
    check(len([line for line in numbers if len(line) == 2]) > 8, f"not all threads are traced: {result.stdout}")
    result = world.sonde("-qn", "BEGIN { exit(0); }", "-p", str(program.pid))
    check("thread" not in result.stderr, f"of a process no thread is said: {result.stderr}")
    program.communicate("", timeout=60 * support.patience)


@scenario()
def thread_at_the_prompt_and_in_a_description(world):
    program, tid = threads_that_wait(world)
    result = world.run([world.binary, "--repl"], stdin=open(world.path("commands", f":target {tid}\n:target\n:quit\n"), encoding="utf-8"))
    text = result.stdout + result.stderr
    check(f"{tid} is a thread of process {program.pid}" in text and f"attached to pid {program.pid}\n" in text, text)
    check(f"pid {program.pid}\n" in text, f"the list of targets: {text}")
    result = world.sonde("-qn", f"pid{tid}:a.out:main:entry {{ }}", status=1)
    check(f"{tid} is a thread of process {program.pid}: pid{program.pid}:" in result.stderr, result.stderr)
    program.communicate("", timeout=60 * support.patience)
