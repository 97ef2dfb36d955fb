# SPDX-License-Identifier: GPL-3.0-or-later
"""No hit is lost for want of a place to step an instruction: whatever room a program leaves, each thread's every hit
counts, and its registers, flags and memory are as untraced."""

import os
import pathlib
import random
import re
import struct
import subprocess
import sys

from support import PROGRAMS, check, counts, equal, patience, scenario

FUNCTIONS = ("load", "compare", "store", "add", "copy")
ON_PTRACE = "the kernel's uprobes step by themselves"
PAGE = 4096


def room_behind_text(path):
    """Bytes between the end of the text segment and the end of its last page."""
    head = pathlib.Path(path).read_bytes()
    at, = struct.unpack_from("<Q", head, 32)
    size, number = struct.unpack_from("<HH", head, 54)
    for i in range(number):
        kind, flags, _offset, address, _physical, _file, memory, _align = struct.unpack_from("<IIQQQQQQ", head, at + i * size)
        if kind == 1 and flags & 1:
            return -(address + memory) % PAGE
    raise AssertionError(f"{path} has no text segment")


def with_room(world, name, least, most, *flags):
    """The program, filled up so that `least` to `most` bytes are left behind its text."""
    fill = 0
    for _ in range(4):
        path = world.program(name, *flags, f"-DFILL={fill}")
        room = room_behind_text(path)
        if least <= room <= most:
            return path
        fill = (fill + room - most) % PAGE
    raise AssertionError(f"{name} {flags} cannot be filled up: {room} bytes are left")


def hits(world, command):
    """({function: entries}, what the program prints, standard error)"""
    out = world.path("counts.out", "")
    names = ", ".join(f"pid$target:a.out:{name}:entry" for name in FUNCTIONS)
    result = world.sonde("-q", "-o", out, "-n", names + " { @[probefunc] = count(); }", "-c", command)
    return counts(open(out, encoding="utf-8").read()), result.stdout, result.stderr


def check_hits(world, program, threads, rounds, *more):
    found, printed, err = hits(world, " ".join([program, str(threads), str(rounds), *more]))
    equal(printed, f"total {threads * rounds} wrong 0 stored 1\n", f"what {program} prints")
    return found == dict.fromkeys(FUNCTIONS, threads * rounds), found, err


@scenario(only="ptrace", why="the kernel has slots of its own, and refuses one of the instructions by name")
def hits_with_and_without_room_for_slots(world):
    rounds = 2000 if world.full else 300
    for program in (world.program("slots"), with_room(world, "slots", 0, 31), with_room(world, "slots", 0, 31, "-static")):
        for threads in (1, 4):
            right, found, err = check_hits(world, program, threads, rounds)
            check(right, f"{program}, {threads} threads: {found}")
            equal(err, "", "nothing is reported")


@scenario(only="ptrace", why=ON_PTRACE)
def hits_while_threads_wait_for_the_only_slot(world):
    program = with_room(world, "slots", 48, 63, "-static")
    right, found, err = check_hits(world, program, 8, 200, "novdso")
    check(right, f"with one slot: {found}")
    equal(err, "", "nothing is reported")


@scenario(only="ptrace", why=ON_PTRACE)
def hits_without_any_slot_are_counted_or_told(world):
    program = with_room(world, "slots", 0, 31, "-static")
    right, found, err = check_hits(world, program, 4, 200, "novdso")
    check(right or re.search(r"stepped in its own place: another thread may have passed it", err), f"lost in silence: {found}")
    right, found, err = check_hits(world, program, 1, 200, "novdso")
    check(right, f"one thread: {found}")


def random_program(world, seed, *flags):
    text = subprocess.run([sys.executable, PROGRAMS / "random_code.py", str(seed)], check=True, capture_output=True, timeout=60 * patience).stdout
    path = world.path(f"random-{seed}")
    subprocess.run(["gcc", "-x", "c", "-o", path, *flags, "-"], input=text, check=True, timeout=120 * patience)
    os.chmod(path, 0o755)
    return path


@scenario(seconds=600)
def random_instructions_do_what_they_do_untraced(world):
    """Every instruction of generated functions has a probe. Each function's registers, flags and memory are compared, at the
    same addresses."""
    seeds = range(40) if world.full else [1, random.randrange(2, 1 << 30)]
    for seed in seeds:
        for flags in (["-no-pie"], ["-pie"]) if world.full else (["-pie"],):
            program = random_program(world, seed, *flags)
            out = world.path("counts.out", "")
            plain = world.run(["setarch", "-R", program])
            traced = world.sonde("-qZ", "-o", out, "-n", "pid$target:a.out:rf*: { @ = count(); }", "-c", f"setarch -R {program}")
            equal(traced.stdout, plain.stdout, f"seed {seed}, {flags}")
            check(int(open(out, encoding="utf-8").read()) > 300, "every instruction fires")
