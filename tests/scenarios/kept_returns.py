# SPDX-License-Identifier: GPL-3.0-or-later
"""Returns that wait for a later stop, because only that shows what the program gets (runtime/utrace/interrupted.cpp), and a consumer that stands
still."""

import signal
import subprocess
import time

import support
from support import check, equal, scenario, state_of, wait_until


@scenario(only="ptrace", why="the module keeps no return")
def a_call_that_the_kernel_always_repeats_is_no_eintr(world):
    """A signal that comes while the thread is held at the entry of clone() ends it by ERESTARTNOINTR, with a handler, too."""
    script = world.path("forks.sh", "trap 'echo caught' USR1\n(exit 0)\necho done\n")
    calls = ("clone", "clone3", "fork", "vfork")
    entries, returns = (",".join(f"syscall::{name}:{which}" for name in calls) for which in ("entry", "return"))
    clauses = f'{entries} /execname == "sh" && !n++/ {{ raise(SIGUSR1); }} {returns} /execname == "sh" && arg1 != 0/ {{ printf("%d %s\\n", errno, retstr); }}'
    out = world.path("out", "")
    equal(world.sonde("-w", "-q", "-o", out, "-n", clauses, "-c", f"sh {script}").stdout, "caught\ndone\n", "what the program does")
    lines = open(out, encoding="utf-8").read().split("\n")
    equal(lines[0], "513 ? ERESTARTNOINTR (To be restarted)", "the first return")
    check(lines[1].startswith("0 ") and not "".join(lines[2:]), f"then the child: {lines}")


@scenario(only="ptrace", why="the module keeps no return")
def a_return_that_waits_has_the_time_of_its_end(world):
    """A stop by job control ends a read(), and does not show yet what becomes of it. The return is that of the moment of the stop, and not of
    the SIGCONT."""
    reader = world.start(["cat"], stdin=subprocess.PIPE)
    sonde = world.start_sonde("-q", "-x", "switchrate=1ms", "-n", 'BEGIN { printf("begun\\n"); } syscall::read:return { printf("%d %d\\n", timestamp, arg1); }', "-p", reader.pid)
    equal(sonde.stdout.readline(), "begun\n", "the first line")
    reader.stdin.write("a\n")
    reader.stdin.flush()
    check(sonde.stdout.readline().endswith(" 2\n"), "the first read")
    wait_until(lambda: state_of(reader.pid, reader.pid) == "S", what="the second read")
    reader.send_signal(signal.SIGSTOP)
    wait_until(lambda: state_of(reader.pid, reader.pid) in "Tt", what="the stop")
    time.sleep(0.05)  # so that the times differ by more than the kernel's clock may
    continued = time.monotonic_ns()
    reader.send_signal(signal.SIGCONT)
    when, result = map(int, sonde.stdout.readline().split())
    equal(result, -1, "the result of the read that was stopped")
    check(when < continued, f"returned {(when - continued) / 10**6} ms behind the SIGCONT")
    reader.stdin.close()
    equal((world.finish(sonde).status, reader.wait(60 * support.patience)), (0, 0), "status")


@scenario()
def a_consumer_that_stands_still_holds_up_nothing(world):
    """The guard waits for it once, 100 ms; then the program goes on, and what finds no room is counted."""
    times = 30000
    program = world.start(["sh", "-c", f"read x; exec {world.program('deeds')} getppid:{times}"], stdin=subprocess.PIPE)
    sonde = world.start_sonde("-q", "-b", "64k", "-n", 'BEGIN { printf("begun\\n"); } syscall::getppid:entry /execname == "deeds"/ { @ = count(); trace(arg0); }', "-p", program.pid)
    equal(sonde.stdout.readline(), "begun\n", "the first line")
    sonde.send_signal(signal.SIGSTOP)
    program.stdin.close()
    equal(program.wait(60 * support.patience), 0, "the program's end, though nobody reads")
    sonde.send_signal(signal.SIGCONT)
    result = world.finish(sonde)
    drops = sum(int(line.split()[1]) for line in result.stderr.splitlines() if " drops on CPU " in line)
    seen = int(result.stdout.split()[-1])
    equal(seen + drops, times, f"records and drops; {result.stderr}")
    check(drops > times / 2, f"only {drops} drops: had it room for all?")
