# SPDX-License-Identifier: GPL-3.0-or-later
"""Sonde or its guard is killed at any moment: the program continues correctly; nothing is left behind."""

import os
import random
import re
import signal
import time

from attach import expect_right, start_worker
from support import check, equal, patience, processor_time, scenario, tracer_of, wait_until

SYSCALLS = "syscall:::entry,syscall:::return { @[probefunc] = count(); }"
FILTERED = "syscall::getppid:entry { @ = count(); }"
FUNCTION = "pid$target:a.out:one_round:entry,pid$target:a.out:one_round:return { @ = count(); }"
CLAUSES = (SYSCALLS, FILTERED, FUNCTION)


def wait_for_end(world, what):
    """Waits until the program that -c started, and everything with it, has ended."""
    try:
        wait_until(lambda: not world.left())
    except AssertionError:
        raise AssertionError(f"{what}: left behind {world.left()}") from None


def result_of(path):
    try:
        return open(path, encoding="utf-8").read()
    except FileNotFoundError:
        return None


def moments(world, sample=30, full=200):
    """(number, 0..1) for each random moment; prints the seed."""
    seed = int.from_bytes(os.urandom(4), "big")
    print(f"  seed {seed}")
    generator = random.Random(seed)
    return [(i, generator.random()) for i in range(full if world.full else sample)]


@scenario(seconds=600)
def sigkill_during_command(world):
    command = f"{world.program('worker')} %s 60 100"
    spans = []
    for clause in CLAUSES:
        began = time.monotonic()
        world.sonde("-q", "-n", clause, "-c", command % world.path(f"whole{len(spans)}"))
        spans.append(time.monotonic() - began)
    ran = 0
    for i, moment in moments(world):
        result = world.path(f"result{i}")
        sonde = world.start_sonde("-q", "-n", CLAUSES[i % 3], "-c", command % result)
        delay = moment * spans[i % 3] * 1.1
        time.sleep(delay)
        sonde.kill()
        world.finish(sonde)  # also waits for the program, which holds our pipes
        what = f"moment {i}, {delay * 1000:.1f} ms, clause {i % 3}"
        wait_for_end(world, what)
        if result_of(result + ".started"):
            equal(result_of(result), "right\n", what)
            ran += 1
    print(f"  the program had been started {ran} times")
    check(ran > 5, "hardly ever was the program there")


@scenario(seconds=600)
def sigkill_while_attached(world):
    for i, moment in moments(world):
        worker = start_worker(world, f"result{i}")
        sonde = world.start_sonde("-q", "-n", CLAUSES[i % 3], "-p", worker.pid)
        delay = moment * 0.2
        time.sleep(delay)
        sonde.kill()
        world.finish(sonde)
        world.expect_nothing_left()
        try:
            expect_right(world, worker, f"result{i}")
        except AssertionError as error:
            raise AssertionError(f"moment {i}, {delay * 1000:.1f} ms, clause {i % 3}: {error}") from None


@scenario(seconds=600, signals=True)
def sigkill_with_300_functions_armed(world):
    """Entry and return of each function, in 4 threads that call them; 10 moments, in the full version 500."""
    rounds = 15
    program, clause = world.program("many"), "pid$target:a.out:f*:entry,pid$target:a.out:f*:return { @[probefunc] = count(); }"
    world.run([program, world.path("whole"), rounds])
    right = result_of(world.path("whole"))
    check(right.startswith("right "), f"untraced: {right}")
    began = time.monotonic()
    world.sonde("-q", "-b", "16m", "-n", clause, "-c", f"{program} {world.path('traced')} {rounds}")
    span = time.monotonic() - began
    equal(result_of(world.path("traced")), right, "the whole run")
    ran = 0
    for i, moment in moments(world, 10, 500):
        result = world.path(f"result{i}")
        sonde = world.start_sonde("-q", "-b", "16m", "-n", clause, "-c", f"{program} {result} {rounds}")
        wait_until(lambda path=result, process=sonde: os.path.exists(path) or process.poll() is not None, pause=0.001)
        time.sleep(moment * span * 0.8)
        ran += sonde.poll() is None
        sonde.kill()
        world.finish(sonde)
        wait_for_end(world, f"moment {i}")
        equal(result_of(result), right, f"moment {i}, {moment * span * 800:.1f} ms into the run")
    print(f"  killed in mid-run {ran} times")
    check(ran > 3, "hardly ever in mid-run")


def check_guards_death(result, n):
    """Checks sonde's messages and status when its guard dies at ptrace call n. Returns whether it died."""
    if "guard" not in result.stderr:
        equal(result.status, 0, f"call {n}: exit status without a word")
        return False
    equal(result.status, 1, f"call {n}: exit status")
    return True


@scenario(seconds=600, only="ptrace", why="the module has no guard")
def guard_dies_while_attached(world):
    """The guard kills itself at its n-th ptrace call. The program continues. It may lose a signal that was just being
    delivered, one in each of its four threads: the kernel drops it with the tracer. And a thread that slept in a call
    at the attach has a breakpoint after the call, which kills it when there is no tracer (docs/guard.md)."""
    died = lost = trapped = 0
    for n in range(1, 41 if not world.full else 201):
        worker = start_worker(world, f"result{n}")
        sonde = world.start_sonde("-q", "-n", SYSCALLS, "-p", worker.pid, env={"SONDE_GUARD_DIE_AT": str(n)})
        died += check_guards_death(world.finish(sonde), n)
        world.expect_nothing_left()
        worker.stdin.close()
        worker.wait(timeout=60 * patience)
        if worker.returncode == -signal.SIGTRAP:
            trapped += 1
            continue
        said = result_of(world.path(f"result{n}"))
        check(said == "right\n" or re.match(r"wrong: 1 times, last signals; [1-4] signals missing", said or ""), f"call {n}: {said}")
        lost += said != "right\n"
    print(f"  the guard died {died} times of {n}, {lost} times with a signal in its hand, {trapped} times with a breakpoint in place")
    check(died >= 30, f"the guard died only {died} times of {n}")
    check(trapped <= died / 2, "half of the programs died of a breakpoint: most threads of this one do not sleep at the attach")


@scenario(seconds=600, only="ptrace", why="the module has no guard")
def guard_dies_while_nobody_sleeps(world):
    """Then the attach leaves no breakpoint, and the program always continues, whichever ptrace call is the guard's last."""
    died, program = 0, world.program("mixed")
    for n in range(1, 25 if not world.full else 201):
        process = world.start([program, 10**9])
        wait_until(lambda: processor_time(process.pid) > 0, what="the program's calls")
        sonde = world.start_sonde("-q", "-n", SYSCALLS, "-p", process.pid, env={"SONDE_GUARD_DIE_AT": str(n)})
        died += check_guards_death(world.finish(sonde), n)
        used = processor_time(process.pid)
        wait_until(lambda: process.poll() is not None or processor_time(process.pid) > used, what="the program going on")
        equal(process.poll(), None, f"call {n}: the program's end")
        equal(tracer_of(process.pid), 0, f"call {n}: its tracer")
        process.kill()
        process.wait()
    check(died >= 20, f"the guard died only {died} times of {n}")


@scenario(seconds=600, only="ptrace", why="the module has no guard")
def guard_dies_during_command(world):
    """With -c and its filter the kernel ends the program (docs/guard.md explains why); it never hangs, and none of its
    calls fails. It finishes right whenever the guard does not die."""
    right = died = 0
    for n in [*range(1, 41 if not world.full else 201), 10**9]:
        path = world.path(f"result{n}")
        sonde = world.start_sonde("-q", "-n", CLAUSES[n % 2], "-c", f"{world.program('worker')} {path} 60 100",
                                  env={"SONDE_GUARD_DIE_AT": str(n)})
        has_died = check_guards_death(world.finish(sonde), n)
        died += has_died
        wait_for_end(world, f"call {n}")
        check(result_of(path) == "right\n" or (has_died and result_of(path) is None), f"call {n}: {result_of(path)}")
        check(n < 10**9 or not has_died, "the guard died at a call that it never made")
        right += result_of(path) == "right\n"
    print(f"  the guard died {died} times; the program finished right {right} times")
    check(died >= 30, f"the guard died only {died} times")
    check(right >= 1, "the program finished at no time")


FAULTS = {signal.SIGKILL, signal.SIGSTOP, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGSEGV, signal.SIGSYS, signal.SIGTRAP}


@scenario(only="ptrace", why="the module has no guard")
def who_signals_everybody_spares_the_guard(world):
    """kill(-1), pkill and the like reach the guard, too. It continues, because its targets would die of its
    breakpoints."""
    worker = start_worker(world, "result")
    first = "pid$target:a.out:one_round:entry /!called/ { called = 1; printf(\"called\\n\"); } "
    sonde = world.start_sonde("-q", "-n", first + FUNCTION, "-p", worker.pid)
    equal(sonde.stdout.readline(), "called\n", "sonde's first line")
    guard = tracer_of(worker.pid)
    check(guard != sonde.pid, "the guard is a process of its own")
    for number in signal.valid_signals() - FAULTS:
        os.kill(guard, number)
    worker.stdin.close()
    worker.wait(timeout=60 * patience)
    equal((worker.returncode, result_of(world.path("result"))), (0, "right\n"), "exit status and verdict of the program")
    result = world.finish(sonde)
    equal(result.status, 0, f"exit status: {result.stderr}")
    check(re.search(r"^ +\d+$", result.stdout, re.M), f"calls are counted: {result.stdout}")
