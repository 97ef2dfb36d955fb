# SPDX-License-Identifier: GPL-3.0-or-later
"""-p: attaching to a program that runs, and leaving it unharmed."""

import os
import signal
import subprocess
import time

from support import Skip, check, counts, equal, median, scenario, threads_of, tracer_of, wait_until

CLAUSE = "syscall::getppid:entry { @[probefunc] = count(); }"


def start_worker(world, name="result", rounds=2000, sleep_us=1000):
    """worker.c outside of sonde; returns the process once its threads work."""
    worker = world.start([world.program("worker"), world.path(name), rounds, sleep_us], marked=False,
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until(lambda: len(threads_of(worker.pid)) >= 5, what="threads of the worker")
    return worker


def all_traced(pid):
    return all(tracer_of(pid, tid) != 0 for tid in threads_of(pid))


def expect_right(world, worker, name="result", seconds=30):
    status = worker.wait(timeout=seconds)
    equal(open(world.path(name), encoding="utf-8").read(), "right\n", "the program's result")
    equal(status, 0, "exit status of the program")


@scenario()
def attach_count_detach(world):
    """Attaches to every thread, counts, detaches on Ctrl-C, prints, status 0; the program works on, right."""
    worker = start_worker(world)
    sonde = world.start_sonde("-n", CLAUSE, "-p", worker.pid)
    wait_until(lambda: all_traced(worker.pid), what="attach to all threads")
    time.sleep(0.4)
    sonde.send_signal(signal.SIGINT)
    result = world.finish(sonde, 10)
    equal(result.status, 0, "exit status")
    check(counts(result.stdout).get("getppid", 0) > 100, "nothing counted")
    check("matched 1 probe" in result.stderr, "no 'matched' line")
    equal([tracer_of(worker.pid, tid) for tid in threads_of(worker.pid)], [0] * len(threads_of(worker.pid)), "tracers")
    expect_right(world, worker)
    world.expect_nothing_left()


@scenario(serial=True)
def attach_time(world):
    """From the start of sonde to the last thread attached: at most 100 ms."""
    times = []
    for i in range(5):
        worker = start_worker(world, f"result{i}", rounds=600)
        began = time.monotonic()
        sonde = world.start_sonde("-q", "-n", CLAUSE, "-p", worker.pid)
        wait_until(lambda pid=worker.pid: all_traced(pid), what="attach", pause=0.001)
        times.append(time.monotonic() - began)
        sonde.send_signal(signal.SIGINT)
        world.finish(sonde, 10)
        expect_right(world, worker, f"result{i}")
    print("  attach: " + " ".join(f"{t * 1000:.0f}" for t in times) + " ms")
    check(median(times) <= 0.1, f"median {median(times) * 1000:.0f} ms")


@scenario()
def attach_ends_with_the_program(world):
    worker = start_worker(world, rounds=300)
    result = world.sonde("-q", "-n", CLAUSE, "-p", str(worker.pid), seconds=20)
    check(counts(result.stdout).get("getppid", 0) > 100, "nothing counted")
    expect_right(world, worker)


@scenario()
def attach_to_two(world):
    """-p may be repeated."""
    one, two = start_worker(world, "one", 600), start_worker(world, "two", 600)
    result = world.sonde("-q", "-n", "syscall::getppid:entry { @[pid] = count(); }", "-p", str(one.pid), "-p",
                         str(two.pid), seconds=20)
    seen = {int(line.split()[0]) for line in result.stdout.splitlines() if len(line.split()) == 2}
    equal(seen, {one.pid, two.pid}, "pids")
    expect_right(world, one, "one")
    expect_right(world, two, "two")


@scenario()
def attach_functions(world):
    """Breakpoints in a program that runs; they are gone when sonde is."""
    worker = start_worker(world)
    sonde = world.start_sonde("-q", "-n", "pid$target:a.out:one_round:entry,pid$target:a.out:one_round:return "
                              "{ @[probename] = count(); }", "-p", worker.pid)
    wait_until(lambda: all_traced(worker.pid), what="attach")
    time.sleep(0.4)
    sonde.send_signal(signal.SIGINT)
    result = world.finish(sonde, 10)
    found = counts(result.stdout)
    check(found.get("entry", 0) > 100 and found.get("return", 0) > 100, f"counts {found}")
    expect_right(world, worker)


@scenario()
def attach_refused(world):
    """A process of somebody else: an error that says what to do, status 1."""
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


@scenario()
def attach_twice_is_refused(world):
    """One tracer per process: the second sonde says who has it."""
    worker = start_worker(world)
    first = world.start_sonde("-q", "-n", CLAUSE, "-p", worker.pid)
    wait_until(lambda: all_traced(worker.pid), what="attach")
    result = world.sonde("-n", CLAUSE, "-p", str(worker.pid), status=1)
    check("trace" in result.stderr, "the error does not say why")
    first.send_signal(signal.SIGINT)
    equal(world.finish(first, 10).status, 0, "the first one's status")
    expect_right(world, worker)
