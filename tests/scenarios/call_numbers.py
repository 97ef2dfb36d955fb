# SPDX-License-Identifier: GPL-3.0-or-later
"""System calls whose number has no name: as probes, in the list of calls, in --summary; in either kind of code."""

import re
import subprocess

from support import check, counts, equal, patience, scenario

ONLY = {"only": "ptrace", "why": "the module cannot hook the kernel's function for calls without a name"}

# As the program gives them. Those of 64-bit code: of the tracer's own "no call", in the table's holes, behind both tables,
# of x32, negative, with a high half that the kernel does not look at.
NUMBERS_64 = (-1, -2, 400, 511, 512, 547, 600, 1000, 99999, 0x7fffffff, 0x80000000, 0xfffffff0, 0xdead00000258, 0x100000190)
NUMBERS_32 = (222, 223, 251, 285, 387, 392, 511, 512, 600, 1023, 1024, -1, 0x40000027)


def name_of(number):
    return f"syscall_{number & 0xffffffff:#x}"


def calls_of(numbers, way):
    return [f"{way}:{number}:{times}" for times, number in enumerate(numbers, 1)]


def wanted_of(numbers):
    wanted = {}
    for times, number in enumerate(numbers, 1):
        wanted[name_of(number)] = wanted.get(name_of(number), 0) + times
    return wanted


COUNT = ("syscall::syscall_*:entry { @e[probefunc, arg0, arg4] = count(); } "
         "syscall::syscall_*:return { @r[probefunc, arg1, errno] = count(); } ")


def traced(world, script, program, arguments, attached):
    if not attached:
        return world.sonde("-q", "-n", script, "-c", " ".join([program, *arguments]))
    process = world.start([program, "wait", *arguments], stdin=subprocess.PIPE)
    sonde = world.start_sonde("-q", "-n", "BEGIN { printf(\"ready\\n\"); } " + script, "-p", str(process.pid))
    equal(sonde.stdout.readline(), "ready\n", "sonde's first line")
    output, _ = process.communicate("go\n", timeout=60 * patience)
    result = world.finish(sonde)
    result.stdout += output
    return result


def judge(result, numbers):
    """Each number as often as it was called, at entry and return, with its arguments and ENOSYS."""
    wanted = wanted_of(numbers)
    equal(re.findall(r"^failed (\d+)$", result.stdout, re.M), [str(sum(wanted.values()))], "calls that failed")
    found = counts(result.stdout)
    equal({key[0]: n for key, n in found.items() if key[1:] == ("1", "5")}, wanted, "entries")
    equal({key[0]: n for key, n in found.items() if key[1:] == ("-1", "38")}, wanted, "returns")
    equal(sum(found.values()), 2 * sum(wanted.values()), "all firings")


@scenario(short=True, **ONLY)
def numbers_without_a_name_are_probes(world):
    program = world.program("numbers")
    for attached in (False, True):
        judge(traced(world, COUNT, program, calls_of(NUMBERS_64, 64), attached), NUMBERS_64)


@scenario(short=True, **ONLY)
def numbers_without_a_name_of_32_bit_code_are_probes(world):
    for flags in (("-m32",), ()):
        program = world.program("numbers", *flags)
        for attached in (False, True):
            judge(traced(world, COUNT, program, calls_of(NUMBERS_32, 32), attached), NUMBERS_32)


@scenario(**ONLY)
def a_number_means_what_its_kind_of_code_means(world):
    """400 is msgsnd in 32-bit code, 222 timer_create in 64-bit code: each has no name in the other."""
    program = world.program("numbers")
    script = ("syscall::syscall_0x190:entry, syscall::syscall_0xde:entry, syscall::msgsnd:entry, syscall::timer_create:entry "
              "{ @[probefunc] = count(); }")
    calls = ["64:400:1", "32:400:2", "64:222:4", "32:222:8"]
    for attached in (False, True):
        found = counts(traced(world, script, program, calls, attached).stdout)
        equal(found, {"syscall_0x190": 1, "msgsnd": 2, "timer_create": 4, "syscall_0xde": 8}, f"attached {attached}")


@scenario(**ONLY)
def one_number_can_be_named_before_it_is_met(world):
    """Its clauses and those of a pattern are clauses of one probe: they run in their order, and share this->."""
    program = world.program("numbers")
    script = ("syscall::syscall_0x*:entry { this->seen = 1; @all[probefunc] = count(); } "
              "syscall::syscall_0x258:entry { this->seen++; } "
              "syscall:::entry /this->seen == 2/ { @both[probefunc, \"both\"] = count(); }")
    for attached in (False, True):
        found = counts(traced(world, script, program, ["64:600:3", "64:601:4", "32:600:5"], attached).stdout)
        equal(found, {"syscall_0x258": 8, "syscall_0x259": 4, ("syscall_0x258", "both"): 8}, f"attached {attached}")


@scenario(**ONLY)
def numbers_without_a_name_are_in_the_list_and_in_the_summary(world):
    program = world.program("numbers")
    calls = calls_of(NUMBERS_64, 64)
    line = re.compile(r"^(syscall_0x\w+)\(0x1, 0x2, 0x3, 0x4, 0x5, 0x6\) += -1 ENOSYS \(Function not implemented\)$", re.M)
    found = {}
    for name in line.findall(world.sonde(program, *calls).stderr):
        found[name] = found.get(name, 0) + 1
    equal(found, wanted_of(NUMBERS_64), "the list of calls")
    rows = re.findall(r"^ .* (\d+) +(\d+) (syscall_0x\w+)$", world.sonde("--summary", program, *calls).stderr, re.M)
    equal({name: int(n) for n, errors, name in rows if n == errors}, wanted_of(NUMBERS_64), "--summary")


@scenario(**ONLY)
def a_program_that_tries_every_number_fills_no_table(world):
    """256 numbers get a name, the rest are counted together, and a line says so once."""
    program = world.program("numbers")
    result = world.sonde("-q", "-n", "syscall::syscall_*:entry, syscall::syscall_*:return { @[probefunc, probename] = count(); }",
                         "-c", f"{program} many 300")
    found = counts(result.stdout)
    equal(len(found), 2 * 257, "elements")
    equal([found[("syscall_0x", side)] for side in ("entry", "return")], [44, 44], "calls that are counted together")
    equal(found[("syscall_0x10000", "entry")], 1, "the first number")
    equal(len(re.findall("more than 256 numbers of system calls without a name", result.stderr)), 1, "lines about it")


@scenario(**ONLY)
def a_number_that_has_a_name_is_refused_by_it(world):
    result = world.sonde("-n", "syscall::syscall_0x0:entry { }", "-c", "true", status=1)
    check("the call of this number has a name: read" in result.stderr, result.stderr)
    result = world.sonde("-n", "syscall::syscall_0x25G:entry { }", "-c", "true", status=1)
    check("does not match any probes" in result.stderr, result.stderr)
