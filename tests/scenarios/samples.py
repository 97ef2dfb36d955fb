# SPDX-License-Identifier: GPL-3.0-or-later
"""profile: samples fall where a program spends its time, by the program's own clock."""

import ctypes
import errno
import os
import re
import struct

from support import Skip, check, counts, equal, scenario, skip_where_time_means_nothing

SAMPLES = "profile-997 { @[ufunc(arg1)] = count(); }"


def skip_without_clocks():
    """Without perf_event_open(2) samples fall where a stop takes effect: docs/providers/profile.md."""
    attr = bytearray(128)
    struct.pack_into("IIQQ", attr, 0, 1, len(attr), 1, 1_000_000)  # PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK
    libc = ctypes.CDLL(None, use_errno=True)
    fd = libc.syscall(298, (ctypes.c_char * len(attr)).from_buffer(attr), 0, -1, -1, 0)
    if fd < 0:
        raise Skip(f"perf_event_open: {os.strerror(ctypes.get_errno())}")
    os.close(fd)


def shares(world, mode):
    """Percentages by the program's own clock, by sonde, the number of samples, and how often the program was preempted."""
    seconds = "10" if world.full else "3"
    result = world.sonde("-q", "-n", SAMPLES, "-c", f"{world.program('shares')} {mode} {seconds}")
    own = {name: float(value) for name, value in re.findall(r"(\w+) ([\d.]+)", result.stdout.splitlines()[0])}
    found = counts(result.stdout)
    total = sum(found.values())
    check(total > 800 * float(seconds), f"{total} samples of {seconds} s: {result.stdout}")
    preempted = int(re.search(r"^preempted (\d+)$", result.stdout, re.M)[1])
    return own, {name.rpartition("`")[2]: 100 * n / total for name, n in found.items()}, total, preempted


def judge(world, mode, complaint):
    """Of a program that shares its processor nothing is asked: the kernel charges the work of switching to the call at whose
    end it switches."""
    skip_where_time_means_nothing()
    skip_without_clocks()
    own, found, total, preempted = shares(world, mode)
    what = complaint(own, found, total)
    if what and preempted > total / 20:
        raise Skip(f"the machine is busy: the program was preempted {preempted} times; {what}")
    check(not what, what)


@scenario(only="ptrace", why="the module samples CPUs, in the interrupt itself", alone=True)
def samples_find_calls_as_short_as_they_are(world):
    def complaint(own, found, _total):
        short = abs(found.get("syscall", 0) - own["calls"]) <= 1
        return "" if short else f"getppid takes {own['calls']} % of the time, in samples {found}"
    judge(world, "calls", complaint)


@scenario()
def samples_have_their_own_callers(world):
    """The thread has run on when its stack is looked at: the callers are those of the sample's moment."""
    result = world.sonde("-q", "-n", "profile-997 /arg1/ { @[ufunc(arg1), ufunc(ucaller)] = count(); }", "-c", f"{world.program('callers', '-O2')} 1")
    pairs = re.findall(r"`spin_(\d)\s+\S+`(\w+)\s+(\d+)$", result.stdout, re.M)
    check(sum(int(n) for _, _, n in pairs) > 500, f"{pairs} {result.stdout} {result.stderr}")
    wrong = [pair for pair in pairs if pair[1] != f"call_{pair[0]}"]
    check(not wrong, f"callers of spin_N: {wrong} of {pairs}")


def differs(own, found, total):
    """More than one percentage point for 10,000 samples, and three standard deviations for fewer."""
    for name, percent in own.items():
        allowed = max(1.0, 3 * (percent * (100 - percent) / total) ** 0.5)
        if abs(found.get(name, 0) - percent) > allowed:
            return f"{name}: {percent} % of the time, {found.get(name, 0):.2f} % of {total} samples"
    rest = sum(percent for name, percent in found.items() if name not in own)
    return "" if rest <= 1 else f"{rest:.2f} % of the samples are elsewhere: {found}"


@scenario(only="ptrace", why="the module samples CPUs, in the interrupt itself", alone=True)
def samples_divide_as_the_time_does(world):
    judge(world, "functions", differs)


@scenario(only="ptrace", why="the module samples CPUs, in the interrupt itself", alone=True)
def samples_find_a_long_string_instruction(world):
    """It is interrupted between two of its repetitions, not at its end."""
    judge(world, "strings", differs)


@scenario(only="ptrace", why="the module samples CPUs, in the interrupt itself")
def samples_without_a_clock_say_how_they_lean(world):
    """perf_event_open(2) is forbidden, as in containers, and to ordinary users by Debian: each sample is there, and a line says
    what they are worth."""
    for number in (errno.EACCES, errno.ENOSYS):
        result = world.run([world.program("without_clock"), number, world.binary, "-q", "-n", SAMPLES, "-c", f"{world.program('shares')} functions 1"])
        equal(result.stderr.count("profile: samples lean towards system calls, because perf_event_open(2) is forbidden here"), 1, result.stderr)
        check(sum(counts(result.stdout).values()) > 500, result.stdout)
