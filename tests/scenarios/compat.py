# SPDX-License-Identifier: GPL-3.0-or-later
"""System calls of 32-bit code have the numbers of the i386 table, in 32-bit and 64-bit programs."""

import re
import subprocess

from support import Skip, check, counts, equal, patience, scenario, source_here

CALLS = ("getppid", "geteuid32", "waitpid")
COUNT = ("syscall::getppid:entry, syscall::geteuid32:entry, syscall::waitpid:entry { @[probefunc] = count(); } "
         "syscall::waitpid:return { @r[arg1, errno] = count(); } syscall::getppid:return /arg1 == ppid/ { @p = count(); } "
         "syscall::waitpid:entry { @a[arg0, arg2, args[0]] = count(); @m[curpsinfo->pr_dmodel] = count(); }")


def judge(result, dmodel):
    wanted = {name: int(n) for name, n in re.findall(r"^expect (\w+) (\d+)$", result.stdout, re.M)}
    equal(sorted(wanted), sorted(CALLS), "the program's lines")
    found = counts(result.stdout)
    equal({name: found.get(name, 0) for name in CALLS}, wanted, "calls")
    equal(found.get(("-1", "22")), 7, "waitpid's returns: EINVAL, no such option")
    equal(found.get(("4294967295", "5", "-1")), 7, "waitpid's arguments")
    check(re.search(rf"^\s+{dmodel}\s+7$", result.stdout, re.M), f"pr_dmodel {dmodel}: {result.stdout}")
    check(re.search(r"^\s+330$", result.stdout, re.M), f"getppid's results: {result.stdout}")


def skip_where_unseen(world):
    if source_here() == "kmod" and world.sonde("-l", "-n", "syscall::waitpid:entry", status=None).status != 0:
        raise Skip("the module cannot hook the calls of 32-bit code in this kernel")


@scenario(short=True)
def calls_of_32_bit_code_started(world):
    """A 32-bit program, and int $0x80 in a 64-bit one: the filter for the wanted calls also stops the i386 numbers."""
    skip_where_unseen(world)
    for flags, dmodel in ((("-m32",), 1), ((), 2)):
        program = world.program("compat", *flags)
        judge(world.sonde("-q", "-n", COUNT, "-c", program), dmodel)


@scenario()
def calls_of_32_bit_code_attached(world):
    skip_where_unseen(world)
    for flags, dmodel in ((("-m32",), 1), ((), 2)):
        process = world.start([world.program("compat", *flags), "wait"], stdin=subprocess.PIPE)
        sonde = world.start_sonde("-q", "-n", "BEGIN { printf(\"ready\\n\"); } " + COUNT,
                                  "-p", str(process.pid))
        equal(sonde.stdout.readline(), "ready\n", "sonde's first line")
        # BEGIN fires before the target continues, which reads this line later.
        output, _ = process.communicate("go\n", timeout=60 * patience)
        result = world.finish(sonde)
        result.stdout += output
        judge(result, dmodel)


@scenario()
def the_stack_of_32_bit_code_is_its_pc(world):
    """Its frames have another layout, so no caller is shown."""
    skip_where_unseen(world)
    result = world.sonde("-q", "-n", "syscall::waitpid:entry { @[ustackdepth, ucaller] = count(); }", "-c", world.program("compat", "-m32"))
    check(re.search(r"^\s+1\s+0\s+7$", result.stdout, re.M), result.stdout)


@scenario()
def functions_of_32_bit_programs_are_refused_by_name(world):
    """One line for each such process, and the program runs as without sonde."""
    program = world.program("compat", "-m32")
    result = world.sonde("-q", "-n", "pid$target:a.out:main:entry { }", "-c", program, status=None)
    check("runs 32-bit code: its functions cannot be probed" in result.stderr, result.stderr)
    result = world.sonde("-q", "-n", "pid$target:::entry { }", "-c", f"sh -c 'exec {program}'")
    equal(len(re.findall(r"process \d+ runs 32-bit code", result.stderr)), 1, "lines on stderr")
    check("expect waitpid 7" in result.stdout, "the program's output")
