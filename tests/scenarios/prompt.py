# SPDX-License-Identifier: GPL-3.0-or-later
"""The prompt: on a terminal, as a user sees it, and from a pipe."""

import os
import re
import signal
import time

from commands import last_tick
from support import check, equal, scenario, tracer_of, wait_until
from terminal import Screen


def live_lines(lines):
    return [i for i, line in enumerate(lines) if "live ticker" in line]


def ticker_pid(path):
    return int(open(path, encoding="ascii").read().split()[1])


@scenario()
def prompt_on_a_terminal(world):
    """A target started, a clause typed, live output above a half-typed line, a second clause, :quit; the target runs on."""
    ticks = world.path("ticks")
    screen = Screen(world, [str(world.binary), "--repl"])
    try:
        screen.expect(lambda lines: any(line.strip() for line in lines))
        screen.line(f":target {world.program('ticker')} {ticks} 0")
        wait_until(lambda: last_tick(ticks) > 2, what="the target's ticks")
        screen.line('tick-200ms { show = 1; }')
        screen.line('syscall::getppid:entry /show/ { show = 0; printf("live %s\\n", execname); }')
        screen.expect(lambda lines: len(live_lines(lines)) >= 2)

        half = "syscall::getuid:entry { @calls[exe"
        screen.type(half)
        already = len(live_lines(screen.lines()))
        shown = screen.expect(lambda lines: len(live_lines(lines)) >= already + 2)
        check(shown[-1].endswith(half), f"the half-typed line is not the last one: {shown[-3:]}")
        check(sum(half in line for line in shown) == 1, "the half-typed line is shown more than once: " + "\n    ".join(shown))
        check(max(live_lines(shown)) < len(shown) - 1, "output below the half-typed line")

        screen.line("cname] = count(); }")
        screen.line(":clauses")
        screen.expect("getuid")

        def counted():  # the clause is new: the first :print may come before the target's next call
            screen.line(":print")
            time.sleep(0.3)
            return any(re.match(r"\s+ticker\s+\d+$", line) for line in screen.lines())

        wait_until(counted, what="the target's calls in :print")
        screen.line(":quit")
        wait_until(screen.dead, what="the end of sonde")
        pid = ticker_pid(ticks)
        equal(tracer_of(pid), 0, "tracer of the target")
        tick = last_tick(ticks)
        wait_until(lambda: last_tick(ticks) > tick + 2, what="the target going on")
        os.kill(pid, signal.SIGKILL)
    finally:
        screen.close()


@scenario()
def prompt_from_a_pipe(world):
    """Clauses of several lines; a wrong one is explained and does no harm; :list, :help, :disable."""
    ticks = world.path("ticks")
    commands = f""":help
:list syscall::getpp*:
BEGIN {{ trace(nosuch); }}
:target {world.program('ticker')} {ticks} 25
syscall::getppid:entry
{{
    @[execname] = count();
}}
:clauses
:list pid$target:a.out:main:entry
:print
"""
    result = world.run([world.binary, "--repl"], stdin=open(world.path("commands", commands), encoding="utf-8"))
    equal(result.status, 0, "exit status")
    text = result.stdout + result.stderr
    check("getppid" in text, ":list shows nothing")
    check(re.search(r"pid\d+ +ticker +main entry", text), f":list pid$target:... shows nothing: {text}")
    check("failed to resolve nosuch" in text, "the wrong clause is not explained")
    for command in (":target", ":clauses", ":disable", ":print", ":stop", ":quit"):
        check(command in text, f":help does not name {command}")
