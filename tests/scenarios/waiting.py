# SPDX-License-Identifier: GPL-3.0-or-later
"""The guard never waits for what it traces: pages that a target provides (userfaultfd, FUSE)."""

import itertools
import os
import signal
import subprocess
import time

from support import Skip, at_rest, attached_to, check, equal, patience, scenario, skip_where_time_means_nothing, threads_of, tracer_of, wait_until

WHY = "the guard; the module reads without sleeping"
READS = 'syscall::write:entry /arg2 > 10/ { printf("%s|", copyinstr(arg1, arg2)); }'


def children_of(pid):
    return [int(c) for t in threads_of(pid) for c in open(f"/proc/{pid}/task/{t}/children").read().split()]


class Program:
    """A program of tests/programs that provides its own pages, waiting for its standard input to end."""

    def __init__(self, world, kind, how):
        self.world, self.kind = world, kind
        self.words = [world.program(kind)]
        if kind == "fuse":
            if world.user is not None or os.geteuid() != 0 or not os.path.exists("/dev/fuse"):
                raise Skip("no FUSE mounts: needs root and /dev/fuse")
            self.folder = world.path("mount")
            os.makedirs(self.folder, exist_ok=True)
            self.words.append(self.folder)
        self.process = world.start([*self.words, how], stdin=subprocess.PIPE)
        line = self.process.stdout.readline()
        if line != "ready\n":
            raise Skip(f"{kind}: {self.process.stderr.read().strip()}")
        self.pids = [self.process.pid, *children_of(self.process.pid)]
        self.attach = [word for pid in self.pids for word in ("-p", str(pid))]

    def begin(self):
        self.process.stdin.close()
        self.process.stdin = None

    def end(self):
        for pid in reversed(self.pids):  # the server first: its end fails what waits for it
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait()
        if self.kind == "fuse":
            subprocess.run(["umount", "-l", self.folder], check=False, stderr=subprocess.DEVNULL)


WORDS = {"uffd": "from the pager\n", "fuse": "from the server\n"}


def reads_what_is_provided(world, kind, rounds):
    for _ in range(rounds):
        program = Program(world, kind, "wait")
        sonde = world.start_sonde("-qn", READS, *program.attach)
        wait_until(lambda: all(attached_to(sonde, pid) for pid in program.pids) and at_rest(sonde), what="attached")
        program.begin()
        said = program.process.stdout.read()
        equal(program.process.wait(20 * patience), 0, "the program")
        equal(said, 3 * WORDS[kind] + ("served 3\n" if kind == "uffd" else ""), "what the program writes")
        out, err = sonde.communicate(timeout=20 * patience)
        equal(out.strip(), 3 * (WORDS[kind].strip() + "|"), f"the records; {err}")
        equal(sonde.returncode, 0, err)


@scenario(only="ptrace", why=WHY)
def pages_that_a_thread_provides_are_read(world):
    """The thread that serves the pages is traced and stops at its calls, while a firing waits for the page."""
    reads_what_is_provided(world, "uffd", 20 if world.full else 5)


@scenario(only="ptrace", why=WHY)
def pages_that_a_file_server_provides_are_read(world):
    reads_what_is_provided(world, "fuse", 20 if world.full else 5)


@scenario(only="ptrace", why=WHY)
def pages_are_read_by_all_that_reads(world):
    """argstr of every call, and breakpoints, in a program of -c: as untraced."""
    for probe in ("syscall:::entry { printf(\"%s\\n\", argstr); }", 'pid$target:libc.so.6:write:entry { printf("%s|", copyinstr(arg1, arg2)); }'):
        Program(world, "uffd", "wait").end()  # skips where there is none
        saved = world.path("out", "")
        result = world.sonde("-qn", probe, "-o", saved, "-c", world.program("uffd") + " begin", seconds=20)
        equal(result.stdout, 3 * WORDS["uffd"] + "served 3\n", f"{probe}: the program")
        equal(open(saved).read().count("from the pager"), 3, f"{probe}: {open(saved).read()}")
        equal(result.stderr, "", probe)


PROBES = {
    "argstr": "syscall::access:entry { printf(\"%s\", argstr); }",
    "copyin": "syscall::access:entry { trace(*(int *)copyin(arg0, 4)); }",
    "breakpoint": "pid$target:libc.so.6:access:entry { printf(\"%s\", copyinstr(arg0)); }",
    "everything": "syscall:::entry { printf(\"%s %s\", argstr, curpsinfo->pr_psargs); ustack(); }",
}


def ends_in_a_second(world, kind, probe, number):
    program = Program(world, kind, "never")
    sonde = world.start_sonde("-qn", PROBES[probe], *program.attach)
    wait_until(lambda: all(attached_to(sonde, pid) for pid in program.pids) and at_rest(sonde), what="attached")
    program.begin()
    time.sleep(0.05)  # a helper waits for the page, or has given up and the program waits itself: both must end well
    what = f"{kind}, {probe}, {signal.Signals(number).name}"
    began = time.monotonic()
    sonde.send_signal(number)
    try:
        sonde.wait(20 * patience)
    except subprocess.TimeoutExpired:
        raise AssertionError(f"{what}: sonde does not end") from None
    wait_until(lambda: all(tracer_of(pid, tid) in (0, None) for pid in program.pids for tid in threads_of(pid)), 20, what)
    took = time.monotonic() - began
    equal(program.process.poll(), None, f"{what}: the program lives")
    program.end()
    return took


@scenario(only="ptrace", why=WHY)
def pages_that_never_come_hold_up_nobody(world):
    """A page that its target never provides: after a signal sonde is gone and all run on untraced."""
    took = {}
    kinds = ("uffd", "fuse") if world.user is None and os.path.exists("/dev/fuse") else ("uffd",)
    for kind, probe, number in itertools.product(kinds, PROBES, (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)):
        took[kind, probe, number.name] = max(ends_in_a_second(world, kind, probe, number) for _ in range(20 if world.full else 1))
    print(f"  seconds until untraced: at most {max(took.values()):.2f}")
    skip_where_time_means_nothing()
    check(sorted(took.values())[len(took) // 2] < 1, f"seconds until untraced: {took}")


@scenario(only="ptrace", why=WHY)
def a_page_that_never_comes_is_a_fault(world):
    """The record has a fault, another target goes on meanwhile, and the program's own call waits as it does untraced."""
    program = Program(world, "uffd", "never")
    other = world.start(["sh", "-c", "while :; do : < /dev/null; done"])
    script = ('syscall::openat:entry /pid == $1 && !n++/ { printf("on\\n"); } syscall::openat:entry /pid == $1/ { @ = count(); } '
              'syscall::access:entry { trace(copyinstr(arg0)); } ERROR { printf("fault\\n"); }')
    sonde = world.start_sonde("-qn", script, "-x", "switchrate=10ms", *program.attach, "-p", str(other.pid), str(other.pid))
    equal(sonde.stdout.readline(), "on\n", "tracing has begun")
    program.begin()
    equal(sonde.stdout.readline(), "fault\n", "the record")
    wait_until(lambda: open(f"/proc/{program.process.pid}/wchan").read() == "handle_userfault", what="it waits itself", seconds=20)
    sonde.send_signal(signal.SIGINT)
    out, err = sonde.communicate(timeout=20 * patience)
    program.end()
    other.kill()
    check("invalid address" in err, err)
    check(int(out.split()[-1]) > 100, f"calls of the other target: {out}")
