# SPDX-License-Identifier: GPL-3.0-or-later
""":stop lets every process go that was attached, started or forked since."""

import re
import subprocess

from prompt import Piped
from support import check, equal, scenario, threads_of, tracer_of, wait_until

FORKS = "while :; do sleep 0.02; /bin/true; done"
CLAUSE = 'syscall::clone*:entry, syscall::execve:entry, syscall::getppid:entry { @seen["seen"] = count(); }'


def traced(pids):
    """Those of their threads that have a tracer. On the module nobody has one."""
    return [tid for pid in pids for tid in threads_of(pid) if tracer_of(pid, tid) not in (0, None)]


def let_go(prompt):
    """Says :stop; returns how many processes it names."""
    answer = prompt.say(":stop")
    check("let go of" in answer + prompt.text(), f"the answer of :stop: {answer!r} {prompt.text()!r}")
    return int(re.findall(r"let go of (\d+)", answer + prompt.text())[-1])


def stays(prompt, name, ticks):
    """The count does not move while the program goes on: `ticks` is true when it has."""
    stood = prompt.value(name)
    wait_until(ticks, what="the program going on")
    equal(prompt.value(name), stood, "count after :stop")


def forks_on(pid, times=5):
    """A function that is true when the shell has had that many other children."""
    seen = set()
    path = f"/proc/{pid}/task/{pid}/children"

    def more():
        with open(path, encoding="ascii") as file:
            seen.update(file.read().split())
        return len(seen) > times
    return more


def forking_shell(world):
    shell = world.start(["sh", "-c", FORKS])
    wait_until(forks_on(shell.pid), what="the shell forking")
    return shell


def run_and_stop(world):
    shell, sleeper = forking_shell(world), world.start(["sleep", "1000"])
    threads = world.start([world.program("sleepers")], stdin=subprocess.PIPE)
    wait_until(lambda: len(threads_of(threads.pid)) > 14, what="threads that sleep")
    prompt = Piped(world)
    for process in (shell, sleeper, threads):
        prompt.say(f":target {process.pid}")
    prompt.say(CLAUSE)
    wait_until(lambda: prompt.value("seen") > 5, what="children that were forked later", pause=0.05)
    check(let_go(prompt) >= 3, "the number of processes")
    equal(traced([shell.pid, sleeper.pid, threads.pid]), [], "threads with a tracer")
    check("no target" in prompt.say(":target"), "no target")
    stays(prompt, "seen", forks_on(shell.pid))
    prompt.say(f":target {shell.pid}")  # the clauses stay, and a new target has them
    stood = prompt.value("seen")
    wait_until(lambda: prompt.value("seen") > stood + 5, what="firings of the new target", pause=0.05)
    let_go(prompt)
    equal(traced([shell.pid]), [], "threads with a tracer")
    for process in (shell, sleeper):
        check(process.poll() is None, "a target has ended")
        process.kill()
    equal(world.finish(threads).stdout, "ready\nright\n", "sleeping calls")  # its standard input ends
    prompt.end()


@scenario()
def stop_lets_go_of_all(world):
    run_and_stop(world)


@scenario()
def stop_lets_go_of_all_for_ordinary_users(world):
    run_and_stop(world.as_user())


@scenario()
def stop_lets_go_of_a_started_program_and_its_children(world):
    prompt = Piped(world)
    prompt.say(f":target sh -c '{FORKS}'")
    prompt.say(CLAUSE)
    pid = int(re.findall(r"pid (\d+)", prompt.say(":target"))[-1])
    wait_until(lambda: prompt.value("seen") > 5, what="children", pause=0.05)
    let_go(prompt)
    wait_until(lambda: traced([pid]) == [], what="nobody tracing it")
    stays(prompt, "seen", forks_on(pid))
    prompt.end()
    check(threads_of(pid), "the program has ended")


@scenario(only="ptrace", why="only -c on ptrace has a filter")
def stop_tells_what_needs_the_guard(world):
    """A program with our filter keeps the guard as its tracer, and :stop says so; its probes do not fire any more."""
    prompt = Piped(world, "-n", CLAUSE, "-c", f"sh -c '{FORKS}'")
    pid = int(re.findall(r"pid (\d+)", prompt.say(":target"))[-1])
    wait_until(lambda: prompt.value("seen") > 5, what="children", pause=0.05)
    let_go(prompt)
    wait_until(lambda: "filter of -c: sonde-guard (pid" in prompt.text(), what="the line about the filter")
    stays(prompt, "seen", forks_on(pid))
    prompt.end()
