# SPDX-License-Identifier: GPL-3.0-or-later
"""Namespaces: targets in a pid namespace of their own, a mount namespace without /proc."""

import os
import pathlib
import shutil
import subprocess

from support import Skip, equal, patience, scenario, wait_until

BY_PTRACE = {"only": "ptrace", "why": "the kernel module sends no signal again"}


def need_unshare():
    if os.geteuid() != 0 or not shutil.which("unshare"):
        raise Skip("needs root and unshare: util-linux")


@scenario(**BY_PTRACE)
def kept_signals_in_a_pid_namespace(world):
    """A signal that was kept while an instruction was stepped arrives with its own siginfo, whatever number we have there."""
    need_unshare()
    program = world.program("queued")
    process = world.start(["unshare", "-pf", "--mount-proc", program], stdin=subprocess.PIPE)
    equal(process.stdout.readline(), "ready\n", "the program's first line")
    children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
    target = wait_until(lambda: children.read_text().split(), what="the program")[0]
    sonde = world.start_sonde("-q", "-n", "BEGIN { printf(\"going\\n\"); } pid$target:a.out:f:entry { @ = count(); }", "-p", target)
    equal(sonde.stdout.readline(), "going\n", "sonde's first line")
    output, _ = process.communicate("go\n", timeout=100 * patience)
    equal(output, "1000 signals, sum 500500, 0 wrong\n", "what the program saw")
    world.finish(sonde)


@scenario()
def without_proc(world):
    """A chroot or container without /proc: calls are traced, and a line says what cannot be."""
    need_unshare()
    where = ["unshare", "-m", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh", world.binary]
    calls = world.run([*where, "-qn", "syscall::exit_group:entry { @ = count(); }", "-c", "true"])
    equal((calls.status, calls.stdout.split()), (0, ["1"]), f"system calls: {calls.stderr}")
    functions = world.run([*where, "-qn", "pid$target:libc*:exit:entry { @ = count(); }", "-c", "true"])
    equal(functions.status, 1, f"functions: {functions}")
    for result in (calls, functions):
        equal(result.stderr.count("/proc is not mounted here"), 1, f"lines of {result.stderr!r}")
