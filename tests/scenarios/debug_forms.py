# SPDX-License-Identifier: GPL-3.0-or-later
"""Typed arguments from debug information in each of its forms, and in files of its own: right, or refused with the reason."""

import os
import pathlib
import shutil
import subprocess

from support import PROGRAMS, Skip, check, equal, patience, scenario

CLAUSES = ('pid$target:a.out:pair:entry { printf("pair %d %d %d\\n", args[0].a, args[0].b, args[1]); } '
           'pid$target:a.out:triple:entry { printf("triple %d %d\\n", args[0].c, args[1]); } '
           'pid$target:a.out:sret:entry { printf("sret %d %d\\n", args[0], args[1]); } '
           'pid$target:a.out:sret:return { printf("sret %d\\n", args[1].c); }')
RIGHT = ["pair 11 22 66", "sret 134", "sret 56 78", "triple 33 77"]
NONE = "it has no typed arguments"
LOST = "its type is not known"

# how it is compiled
COMPILED = [("gcc", flags) for flags in ((), ("-gdwarf-3",), ("-gdwarf-4",), ("-gdwarf-5",), ("-gdwarf64",), ("-ggdb3",), ("-gz=zlib",), ("-gz=zlib-gnu",),
                                         ("-gdwarf-4", "-fdebug-types-section"), ("-gdwarf-5", "-fdebug-types-section", "-gz"), ("-gpubnames",), ("-Og",))]
COMPILED += [("clang", flags) for flags in (("-gdwarf-4",), ("-gdwarf-5",), ("-gdwarf-5", "-gpubnames"), ("-glldb",), ("-gz",), ("-gdwarf-5", "-gdwarf64"),
                                            ("-fdebug-types-section",))]
REFUSED = [("gcc", ("-g0",), NONE), ("gcc", ("-g1",), NONE), ("clang", ("-gline-tables-only",), NONE), ("gcc", ("-gdwarf-2",), "disagree about it")]


def run(*command, folder=None):
    subprocess.run(command, check=True, timeout=60 * patience, cwd=folder)


def compiled(world, name, compiler, flags, source="passed.c"):
    if not shutil.which(compiler):
        return None
    program = world.path(name)
    run(compiler, "-w", "-g", "-O2", *flags, "-pthread", "-o", program, PROGRAMS / source, folder=world.home)
    return program


def is_right(world, program, what):
    result = world.sonde("-q", "-n", CLAUSES, "-c", program)
    equal(sorted(line for line in result.stdout.splitlines() if line[:1].isalpha()), RIGHT, what)
    check(not result.stderr, f"{what}: {result.stderr}")


def is_refused(world, program, reason, what):
    result = world.sonde("-q", "-n", CLAUSES, "-c", program, status=1)
    check(reason in result.stderr, f"{what}: {result.stderr}")
    check(not result.stdout, f"{what}: {result.stdout}")


@scenario(only="ptrace", why="the module reads the same locations by the same function")
def arguments_from_each_form(world):
    for compiler, flags in COMPILED:
        if program := compiled(world, "-".join([compiler, *flags]), compiler, flags):
            is_right(world, program, f"{compiler} {flags}")
    for compiler, flags, reason in REFUSED:
        if program := compiled(world, "-".join([compiler, *flags]), compiler, flags):
            is_refused(world, program, reason, f"{compiler} {flags}")


@scenario(only="ptrace", why="the module reads the same locations by the same function")
def arguments_from_a_file_of_their_own(world):
    """Found by the link beside the program, in .debug/, compressed; gone, or another program's."""
    program = compiled(world, "apart", "gcc", ())
    debug = pathlib.Path(program + ".debug")
    run("objcopy", "--only-keep-debug", program, debug)
    run("objcopy", "--strip-debug", f"--add-gnu-debuglink={debug}", program)
    is_right(world, program, "beside the program")
    run("objcopy", "--compress-debug-sections", debug)
    is_right(world, program, "compressed")
    folder = pathlib.Path(world.path(".debug"))
    folder.mkdir()
    moved = debug.rename(folder / debug.name)
    is_right(world, program, "in .debug/")
    other = compiled(world, "other", "gcc", ("-O0",))
    run("objcopy", "--only-keep-debug", other, moved)
    is_refused(world, program, NONE, "another program's")
    moved.unlink()
    is_refused(world, program, NONE, "gone")


@scenario(only="ptrace", why="the module reads the same locations by the same function")
def arguments_by_the_build_id(world):
    """Where packages of debug information put it."""
    if os.geteuid() != 0:
        raise Skip("only root may write to /usr/lib/debug")
    program = compiled(world, "by-build-id", "gcc", (f"-Wl,--build-id=0x{os.urandom(16).hex()}",))
    text = subprocess.run(["readelf", "-n", program], check=True, stdout=subprocess.PIPE, text=True).stdout
    number = text.split("Build ID: ")[1].split()[0]
    folder = pathlib.Path("/usr/lib/debug/.build-id") / number[:2]
    made = [one for one in (folder, folder.parent, folder.parent.parent) if not one.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    debug = folder / f"{number[2:]}.debug"
    try:
        run("objcopy", "--only-keep-debug", program, debug)
        run("strip", "-g", program)
        is_right(world, program, "by the build id")
    finally:
        debug.unlink(missing_ok=True)
        for one in made:
            one.rmdir()
    is_refused(world, program, NONE, "gone")


@scenario(only="ptrace", why="the module reads the same locations by the same function")
def arguments_that_two_programs_share(world):
    """dwz moves what two programs have in common to a third file. If that is gone, so are the types, and all places."""
    if not shutil.which("dwz"):
        raise Skip("no dwz: dwz")
    first, second = (compiled(world, name, "gcc", ()) for name in ("first", "second"))
    alone = compiled(world, "alone", "gcc", ())
    run("dwz", alone)
    is_right(world, alone, "dwz")
    run("dwz", "-m", "common", first, second, folder=world.home)
    is_right(world, first, "dwz -m")
    pathlib.Path(world.path("common")).unlink()
    is_refused(world, first, LOST, "dwz -m, and the file is gone")
    three, five = (compiled(world, f"of-{size}", "gcc", (f"-DSIZE={size}",), "shared_result.c") for size in (3, 5))
    run("dwz", "-m", "results", three, five, folder=world.home)
    check("struct own * p  (%rsi)" in world.sonde("-lv", "-n", "pid$target:a.out:f:entry", "-c", three).stdout, "dwz -m: f")
    pathlib.Path(world.path("results")).unlink()
    told = world.sonde("-lv", "-n", "pid$target:a.out:f:entry", "-c", three).stdout
    check("struct own * p  (unknown: the debug information does not say whether the result is in memory: its type is not known)" in told, told)


@scenario(only="ptrace", why="the module reads the same locations by the same function")
def arguments_from_split_files(world):
    """A .dwo beside the program, and gone."""
    for compiler in ("gcc", "clang"):
        if not (program := compiled(world, f"split-{compiler}", compiler, ("-gsplit-dwarf",))):
            continue
        is_right(world, program, f"{compiler}: .dwo")
        kept = [one.rename(str(one) + ".kept") for one in world.home.glob("*.dwo")]
        check(kept, f"{compiler} wrote no .dwo")
        is_refused(world, program, NONE, f"{compiler}: .dwo gone")
        for one in kept:
            one.unlink()
