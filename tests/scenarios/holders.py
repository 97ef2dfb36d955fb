# SPDX-License-Identifier: GPL-3.0-or-later
"""Who comes to hold the bytes of a breakpoint is unharmed, in whichever way and whenever that happens."""

import pathlib
import re
import signal
import subprocess

from support import at_rest, attached_to, check, equal, scenario, wait_until

WAYS = ("fork", "vfork", "clone", "clone_vm", "grandchild", "undumpable", "many 40", "protect", "anonymous", "madvise", "copy", "move", "exec", "without_vdso")
WHENS = ("before", "armed", "after", "at_end", "killed")
EVERYWHERE = "pid$target:a.out:held:,pid$target:a.out:pushes:,pid$target:a.out:steps: { @ = count(); }"
MEMORY = "tracing needs no breakpoints in memory here"


class Holder:
    """The program holders, step by step."""

    def __init__(self, world, way):
        self.way, self.world = way, world
        self.process = world.start([world.program("holders"), *way.split()], stdin=subprocess.PIPE, bufsize=1)
        self.await_state("ready")

    def await_state(self, state):
        equal(self.process.stdout.readline(), state + "\n", f"{self.way}: its state")

    def go_on(self):
        self.process.stdin.write("\n")

    def hold(self):
        self.go_on()
        self.await_state("holding")

    def expect_right(self, when):
        result = self.world.finish(self.process, seconds=60)
        equal((result.stdout, result.status), ("right\n", 0), f"{self.way}, {when}: what it says")


def attach(world, holder):
    sonde = world.start_sonde("-q", "-Z", "-n", EVERYWHERE, "-p", str(holder.process.pid))
    wait_until(lambda: sonde.poll() is not None or (attached_to(sonde, holder.process.pid) and at_rest(sonde)), what="attached")
    return sonde


def is_guard(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text() == "sonde-guard\n"
    except OSError:
        return False


def guards_of(world):
    return [pid for pid in world.left() if is_guard(pid)]


def hold(world, way, when):
    holder = Holder(world, way)
    if when == "before":
        holder.hold()
    sonde = attach(world, holder)
    if when == "at_end":
        sonde.send_signal(signal.SIGINT)
    if when != "before":
        holder.hold()
    if when == "after":
        sonde.send_signal(signal.SIGINT)
    if when == "killed":
        sonde.kill()
        wait_until(lambda: not guards_of(world), what="the guard has let everybody go")
    if when in ("after", "at_end"):
        end = world.finish(sonde)
    holder.go_on()
    holder.expect_right(when)
    if when in ("before", "armed"):
        end = world.finish(sonde)
    if when != "killed":
        equal((end.status, re.findall("SIGTRAP.*", end.stderr)), (0, []), f"{way}, {when}: {end.stderr}")


def chosen(full):
    """All, or those that move text at each time, and the others at two."""
    for i, way in enumerate(WAYS):
        moves = way in ("protect", "anonymous", "madvise", "copy", "move")
        for when in WHENS if full or moves else (WHENS[i % 5], WHENS[(i + 2) % 5]):
            yield way, when


@scenario(seconds=900, only="ptrace", why=MEMORY)
def holders_of_breakpoints(world):
    for way, when in chosen(world.full):
        for _ in range(3 if world.full else 1):
            hold(world, way, when)


@scenario(seconds=900, only="ptrace", why=MEMORY)
def holders_of_breakpoints_of_an_ordinary_user(world):
    user = world.as_user()
    for way, when in chosen(world.full):
        if way in ("undumpable", "without_vdso") and when == "before":
            continue  # nobody but root may attach to it then
        if world.full or way in ("undumpable", "many 40", "grandchild", "move"):
            hold(user, way, when)
    hold(user, "without_vdso", "armed")  # a child that is not dumpable makes a call, by the only instruction that is known: fork()'s


@scenario(seconds=300, only="ptrace", why=MEMORY)
def children_that_are_not_dumpable_are_let_go_before_their_first_stop(world):
    """While others have the CPUs, the tracer ends before the child has run at all: its memory and its mappings cannot be read then."""
    busy = [world.start(["sh", "-c", "while :; do :; done"]) for _ in range(2)]
    user = world.as_user()
    for _ in range(200 if world.full else 30):
        for when in ("after", "at_end"):
            hold(user, "undumpable", when)
    for one in busy:
        one.kill()


@scenario(seconds=300, only="ptrace", why=MEMORY)
def more_children_than_descriptors(world):
    """Under a limit of 64 descriptors, hard or soft, 150 children are as untraced; the program has its own limit."""
    for limit in ("-n 64", "-Sn 64"):
        command = f"ulimit {limit}; exec {world.program('holders')} many 150"
        shell = world.path("limited.sh", f"#!/bin/sh\n{command}\n")
        world.run([shell])
        result = world.sonde("-q", "-Z", "-n", "pid$target:holders:held:entry { @ = count(); }", "-c", shell)
        check(result.stdout.startswith("ready\nholding\nright\n"), result.stdout)
