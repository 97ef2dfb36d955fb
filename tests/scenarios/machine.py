# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole machine: tracing without -c and -p, which also sees processes that existed before."""

import re
import signal

from attach import expect_right, let_work, start_worker
from counts import COUNT_ALL, ROOM, expected
from support import attached_to, check, counts, equal, scenario, wait_until

WHOLE = "the others see only whom -c and -p name"


def start_tracing(world, *arguments, **more):
    """Starts sonde without a target; returns when it traces."""
    sonde = world.start_sonde("-q", *ROOM, *arguments, **more)
    wait_until(lambda: attached_to(sonde, sonde.pid) or sonde.poll() is not None, what="sonde's start")
    return sonde


def stop_tracing(world, sonde):
    sonde.send_signal(signal.SIGINT)
    result = world.finish(sonde)
    equal(result.status, 0, "exit status")
    return result


@scenario(only="kmod", why=WHOLE, short=True)
def every_process_is_counted(world):
    """A program that runs already, one that starts later, and all other processes."""
    worker = start_worker(world)
    sonde = start_tracing(world, "-n", COUNT_ALL)
    let_work(worker)
    world.run([world.program("mixed"), 1000])
    found = counts(stop_tracing(world, sonde).stdout)
    check(found.get(("worker", "getppid"), 0) >= 200, f"the worker: {found.get(('worker', 'getppid'))}")
    equal([found.get(("mixed", call)) for call in ("getppid", "getuid")], [1000, 1000], "the program started later")
    check(any(name.startswith("python3") for name, _call in found), f"nothing of this python: {found}")
    expect_right(world, worker)


@scenario(only="kmod", why=WHOLE)
def counts_exact_beside_others(world):
    """Ten runs of a known program, each call counted, while other programs run."""
    worker = start_worker(world)
    for run in range(10):
        sonde = start_tracing(world, "-n", COUNT_ALL)
        wanted = expected(world.run([world.program("calls")]).stdout)
        result = stop_tracing(world, sonde)
        found = counts(result.stdout)
        dropped = re.findall(r"\d+ drops? on CPU", result.stderr)
        seen = {call: found.get(("calls", call), 0) + found.get(("exe", call), 0) for call in wanted}  # the program execs itself
        equal(seen, wanted, f"counts of run {run}, {dropped}")
        check(found.get(("worker", "getppid"), 0) > 0, "the others are not there")
    expect_right(world, worker)


@scenario(only="kmod", why=WHOLE, short=True)
def targets_keep_the_others_out(world):
    """-c and -p: only these processes and their children."""
    worker = start_worker(world)
    result = world.sonde("-q", "-n", "syscall::getppid:entry { @[execname] = count(); }", "-c", f"sh -c '{world.program('mixed')} 500; true'")
    found = counts(result.stdout)
    equal((found.get("mixed"), set(found) - {"sh"}), (500, {"mixed"}), "counts with -c")
    sonde = world.start_sonde("-q", "-n", "syscall::getppid:entry { @[execname] = count(); }", "-p", worker.pid)
    wait_until(lambda: attached_to(sonde, worker.pid), what="attach")
    world.run([world.program("mixed"), 500])
    let_work(worker)
    found = counts(stop_tracing(world, sonde).stdout)
    equal(set(found), {"worker"}, "names with -p")
    expect_right(world, worker)


@scenario(only="kmod", why=WHOLE)
def progeny_of_a_process(world):
    """progenyof(): of all calls, those of a shell's descendants."""
    fifo = world.path("go")
    world.run(["mkfifo", fifo])
    shell = world.start(["sh", "-c", f"read word <{fifo}; sh -c '{world.program('mixed')} 300; true'; true"])
    worker = start_worker(world)
    sonde = start_tracing(world, "-n", "syscall::getppid:entry /progenyof($1)/ { @[execname] = count(); }", shell.pid)
    let_work(worker)
    with open(fifo, "w", encoding="ascii") as go:
        go.write("go\n")
    equal(world.finish(shell).status, 0, "the shell's status")
    found = counts(stop_tracing(world, sonde).stdout)
    equal(found.get("mixed"), 300, f"counts {found}")
    check("worker" not in found, f"a stranger is counted: {found}")
    expect_right(world, worker)


@scenario(only="kmod", why=WHOLE, short=True)
def what_begin_starts_is_traced(world):
    """BEGIN's actions run when everything is enabled: the end of the program that system() starts is seen."""
    result = world.sonde("-w", "-q", "-n", 'BEGIN { system("true"); } proc:::exit /progenyof($pid)/ { trace(args[0]); exit(0); }')
    equal(result.stdout.strip(), "1", "CLD_EXITED, once")


@scenario(only="kmod", why=WHOLE, short=True)
def signals_between_strangers(world):
    """proc:::signal-send of any sender: the sender is execname, the receiver args[1]."""
    shell = world.start(["sh", "-c", "trap 'exit 7' USR1; while :; do sleep 0.1; done"])
    sonde = start_tracing(world, "-n", 'proc:::signal-send /args[2] == SIGUSR1/ { @[execname, args[1]->pr_pid, args[1]->pr_fname] = count(); }')
    world.run(["sh", "-c", f"sleep 0.5; /bin/kill -USR1 {shell.pid}"])
    equal(world.finish(shell).status, 7, "the shell's status")
    found = counts(stop_tracing(world, sonde).stdout)
    equal(found, {("kill", str(shell.pid), "sh"): 1}, "senders")


@scenario(only="kmod", why="the others do not sample CPUs")
def profile_samples_who_runs(world):
    """profile-97: a program that computes is sampled repeatedly, in its own function."""
    script = world.path("busy.py", "import time\nend = time.monotonic() + 600\nwhile time.monotonic() < end: pass\n")
    busy = world.start(["python3", script])
    sonde = start_tracing(world, "-n", "BEGIN { n = 0; } profile-97 /pid == $1 && arg1 != 0/ { @[execname] = count(); } profile-97 /++n > 300/ { exit(0); }", busy.pid)
    result = world.finish(sonde)
    busy.kill()
    check(counts(result.stdout).get("python3", 0) >= 10, f"{result.stdout!r}")
