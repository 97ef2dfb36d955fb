# SPDX-License-Identifier: GPL-3.0-or-later
"""A program that is started through its dynamic linker (`ld.so PROG`): a.out is the program, with -c and with -p."""

import glob
import pathlib
import subprocess

from support import Skip, at_rest, attached_to, check, counts, equal, patience, scenario, wait_until

LINKER = "/lib64/ld-linux-x86-64.so.2"
CLAUSE = 'pid$target:a.out:work:entry { @[probemod, ufunc(ucaller)] = count(); }'
WANTED = {("early", 1), ("main", 5)}
EVALTIMES = ("exec", "preinit", "postinit", "main")


def linkers():
    return [path for path in (LINKER, *glob.glob("/lib/ld-musl-*.so.1")) if pathlib.Path(path).exists()]


def callers(text, program):
    """{(caller, count)}. Each is of the program, and so is the probe."""
    found = set()
    for (module, caller), number in counts(text).items():
        equal((module, caller.split("`")[0]), (program, program), "the probe's and the caller's module")
        found.add((caller.split("`")[1], number))
    return found


def ways(world):
    """Programs and the words before them."""
    if not linkers():
        raise Skip(f"no {LINKER}")
    pie, fixed = world.program("by_linker"), world.program("by_linker", "-no-pie")
    return [(program, f"{linker}{options}") for linker in linkers()
            for program, options in ((pie, ""), (fixed, ""), (pie, " --argv0 other --library-path /nowhere"))
            if not options or linker == LINKER]


@scenario()
def program_by_its_linker(world):
    for program, linker in ways(world):
        name = program.rsplit("/", 1)[1]
        for when in ("", *EVALTIMES):
            late = ["-Z"] if when == "exec" else []  # nothing is mapped then
            result = world.sonde("-q", *late, *(["-x", f"evaltime={when}"] if when else []), "-n", CLAUSE,
                                 "-c", f"{linker} {program} a b")
            check("15 a b\n" in result.stdout, f"what it prints: {result.stdout}")
            equal(callers(result.stdout, name), WANTED, f"{linker}, {when or 'no evaltime'}")


@scenario(short=True)
def program_by_its_linker_that_runs_already(world):
    for program, linker in ways(world):
        traced = world.start([*linker.split(), program], stdin=subprocess.PIPE)
        wait_until(lambda: program in pathlib.Path(f"/proc/{traced.pid}/maps").read_text() and at_rest(traced), what="the program")
        sonde = world.start_sonde("-qn", CLAUSE, "-p", str(traced.pid))
        wait_until(lambda: attached_to(sonde, traced.pid) and at_rest(sonde), what="the attach")
        out, _ = traced.communicate("\n", timeout=60 * patience)
        equal((out, traced.returncode), ("15\n", 3), "what it prints, and its status")
        equal(callers(world.finish(sonde).stdout, program.rsplit("/", 1)[1]), {("main", 5)}, linker)


@scenario()
def program_by_its_linker_in_a_child(world):
    """The child executes the linker; with -Z the new program's functions are probed, too."""
    for program, linker in ways(world):
        result = world.sonde("-qZn", CLAUSE, "-c", f"sh -c 'exec {linker} {program}'")
        equal(callers(result.stdout, program.rsplit("/", 1)[1]), WANTED, linker)


@scenario()
def static_program_is_no_linker(world):
    """It names no interpreter either."""
    for flag in ("-static-pie", "-static"):
        program = world.program("by_linker", flag)
        for when in ([], ["-x", "evaltime=main"]):
            result = world.sonde("-q", *when, "-n", CLAUSE, "-c", program)
            equal(callers(result.stdout, program.rsplit("/", 1)[1]), WANTED, flag)
