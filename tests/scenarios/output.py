# SPDX-License-Identifier: GPL-3.0-or-later
"""Where output goes: a reader that leaves, a disk that is full."""

import os
import signal
import subprocess
import time

import support
from support import attached_to, check, equal, scenario, tracer_of, wait_until

SOON = 0.1  # s: what is left of sonde once its reader has gone


def reader_leaves(world, pid, lines):
    """Reads `lines` lines of what sonde prints about `pid`, closes the pipe, and waits for the end: as `sonde -p PID | head` does."""
    sonde = world.start_sonde("-n", "syscall:::entry { trace(probefunc); }", "-p", str(pid))
    wait_until(lambda: attached_to(sonde, pid), what="attached")
    for _ in range(lines):
        check(sonde.stdout.readline(), "a line")
    began = time.monotonic()
    sonde.stdout.close()
    sonde.wait(30 * support.patience)
    took = time.monotonic() - began
    equal(tracer_of(pid), 0, "the target's tracer")
    equal(sonde.returncode, -signal.SIGPIPE, "sonde ends as SIGPIPE ends a writer")
    said = sonde.stderr.read()
    check("write" not in said and "pipe" not in said.lower(), f"it ends in silence, not with: {said}")
    return took


@scenario()
def a_reader_that_leaves_ends_the_run(world):
    """A busy target, whose next line finds the pipe closed, and one that sleeps: nothing is written, and still the end is seen."""
    busy = world.start(["sh", "-c", "while :; do : > /dev/null; done"])
    quiet = world.start(["sleep", "1000"])
    times = [reader_leaves(world, process.pid, lines) for process, lines in ((busy, 3), (quiet, 0)) for _ in range(5)]
    if support.patience == 1:
        check(min(times[:5]) < SOON and min(times[5:]) < SOON, f"seconds from the reader's end to sonde's: {times}")
    for process in (busy, quiet):
        equal(process.poll(), None, "the target lives")


@scenario()
def a_command_goes_on_without_its_reader(world):
    """-c: sonde leaves, the program does all it had to do."""
    done = world.path("done")
    script = f"i=0; while [ $i -lt 2000 ]; do : > /dev/null; i=$((i+1)); done; echo all > {done}"
    sonde = world.start_sonde("-q", "-n", 'syscall:::entry { printf("%s\\n", probefunc); }', "-c", f"sh -c '{script}'")
    check(sonde.stdout.readline(), "a line")
    sonde.stdout.close()
    equal(sonde.wait(60 * support.patience), -signal.SIGPIPE, "sonde's end")
    equal(sonde.stderr.read(), "", "what it says")
    wait_until(lambda: os.path.exists(done) and os.path.getsize(done) > 0, what="the program's end")
    world.expect_nothing_left()


@scenario()
def a_full_disk_is_told(world):
    full = "failed to write to {}: No space left on device"
    begin = "BEGIN { trace(1); exit(0); }"
    runs = [
        (["-n", begin], "standard output"),
        (["-l"], "standard output"),
        (["-l", "-n", "BEGIN"], "standard output"),
        (["--help"], "standard output"),
        (["-V"], "standard output"),
        (["-o", "/dev/full", "-n", begin], "/dev/full"),
        (["-w", "-n", 'BEGIN { freopen("/dev/full"); printf("x"); exit(0); }'], "/dev/full"),
    ]
    for arguments, name in runs:
        with open("/dev/full" if name == "standard output" else os.devnull, "w", encoding="utf-8") as device:
            result = world.sonde(*arguments, status=1, stdout=device)
        equal(result.stderr.count(full.format(name)), 1, f"the message of {arguments} in {result.stderr}")


@scenario()
def a_full_disk_ends_the_run(world):
    """What can no longer be kept is no longer traced; the target lives."""
    busy = world.start(["sh", "-c", "while :; do : > /dev/null; done"])
    result = world.sonde("-q", "-o", "/dev/full", "-n", "syscall:::entry { trace(probefunc); } END { printf(\"end\"); }",
                         "-p", str(busy.pid), status=1, stdout=subprocess.PIPE)
    equal(result.stderr, "sonde: failed to write to /dev/full: No space left on device\n", "what it says")
    equal(tracer_of(busy.pid), 0, "the target's tracer")
    equal(busy.poll(), None, "the target lives")
