# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that do what few do: what sonde counts, names and reads of them is what they say themselves."""

import os
import pathlib
import re
import signal
import subprocess
import time

from support import Skip, at_rest, attached_to, check, counts, equal, patience, scenario, tracer_of, wait_until


def library(world):
    """A library whose go() calls first_library()."""
    return world.program("times_library", "-shared", "-fPIC", "-DFUNC=first_library")


def counted(world, clauses, command, *options, env=None):
    """(what the program prints, {key: count}, what sonde says) of `command` under `clauses`."""
    out = world.path("counts", "")
    result = world.sonde("-q", *options, "-o", out, "-n", clauses, "-c", command, env=env)
    return result.stdout, counts(pathlib.Path(out).read_text(encoding="utf-8")), result.stderr


@scenario(short=True)
def libraries_in_link_maps_of_their_own(world):
    """dlmopen() loads a library, and a C library with it, twice: each copy has the probes."""
    said, found, err = counted(world, "pid$target:times_library*::entry { @[probefunc] = count(); }",
                               f"{world.program('link_maps', '-ldl')} {library(world)}", "-Z")
    equal((said, err), ("6 calls\n", ""), "the program")
    equal({name: found.get(name) for name in ("go", "first_library")}, {"go": 6, "first_library": 6}, "calls of both copies")


@scenario()
def an_auditor_and_its_c_library(world):
    auditor = world.program("auditor", "-shared", "-fPIC")
    said, found, err = counted(world, "pid$target:auditor*:la_objopen:entry, pid$target:libc.so.6:malloc:entry /probefunc == \"la_objopen\" || arg0 == 77/ "
                               "{ @[probefunc] = count(); }", "env LD_AUDIT=" + auditor + " /bin/true", "-Z")
    equal((said, err), ("", ""), "the program")
    check(found.get("la_objopen", 0) >= 3, f"calls of the auditor: {found}")
    equal(found.get("malloc"), found["la_objopen"], "its calls of its own malloc()")


@scenario(short=True)
def functions_called_by_detours(world):
    """Closures, trampolines on the stack, an IFUNC, callbacks, the vdso."""
    program = world.program("closures")
    probes = ",".join(f"pid$target:a.out:{name}*:entry" for name in ("compare", "back", "nested", "two_more"))
    said, found, err = counted(world, f"{probes}, pid$target:libc.so.6:clock_gettime:entry {{ @[probefunc] = count(); }}", program)
    own = {name: int(number) for name, number in re.findall(r"(\w+)=(\d+)", said)}
    equal(({re.sub(r"\..*", "", name): number for name, number in found.items()}, err), (own, ""), said)


@scenario(only="ptrace", why="attaching")
def workers_of_io_uring(world):
    """Threads of a process that belong to the kernel and cannot be traced: the others are, and the workers work on."""
    program = world.start([world.program("ring_workers")], stdin=subprocess.PIPE)
    if program.stdout.readline() != "ready\n":
        raise Skip("this kernel has no io_uring, or forbids it")
    sonde = world.start_sonde("-q", "-n", 'BEGIN { printf("going\\n"); } syscall::write:entry, pid$target:a.out:f:entry { @[probefunc] = count(); }',
                              "-p", str(program.pid))
    equal(sonde.stdout.readline(), "going\n", "sonde's first line")
    wait_until(lambda: at_rest(sonde), what="attached")
    said, _ = program.communicate("go\n", timeout=60 * patience)
    equal(said, "8 completed, 8 bytes\n", "the program")
    result = world.finish(sonde)
    equal((counts(result.stdout), result.stderr, result.status), ({"f": 20, "write": 2}, "", 0), "calls")


@scenario(short=True)
def a_nop_above_a_red_zone(world):
    said, found, err = counted(world, "pid$target:a.out:leaf: { @[probename] = count(); }", world.program("leaf_nop"))
    equal((said, err), ("0 of 1000 wrong\n", ""), "the program")
    equal(found, dict.fromkeys(("entry", "0", "5", "a", "f", "return"), 1000), "hits of each instruction")


@scenario(seconds=600)
def a_library_that_threads_open_and_close(world):
    """Each call is counted, though the library comes and goes side by side in several threads."""
    for threads in (2, 4):
        rounds = 200 if world.full else 20
        said, found, err = counted(world, "pid$target:times_library*:go:entry, pid$target:times_library*:go:return { @[probename] = count(); }",
                                   f"{world.program('plugs', '-ldl')} {library(world)} {rounds} {threads}", "-Z")
        calls = 3 * rounds * threads
        equal((said, err), (f"calls {calls}\n", ""), "the program")
        equal(found, {"entry": calls, "return": calls}, f"{threads} threads")


@scenario(short=True)
def a_text_without_an_end(world):
    clause = 'pid$target:a.out:take:entry { printf("%s %d %x", args[0]->text, (int)strlen(args[0]->text), args[0]->after); @[args[0]->text] = count(); }'
    result = world.sonde("-q", "-n", clause, "-c", world.program("four_bytes"))
    equal(result.stdout.split(), ["0123", "4", "55555555", "0123", "1"], "the array, its length, what is behind it, the key")


PSARGS = 80  # bytes of pr_psargs, of which a long path leaves nothing for the words behind it


@scenario(short=True)
def a_program_that_renames_itself(world):
    clause = 'syscall::getppid:entry { printf("%s|%s\\n", execname, curpsinfo->pr_psargs); }'
    program = world.program("renames")
    result = world.sonde("-q", "-n", clause, "-c", f"{program} more")
    before, now = (f"{first} more"[:PSARGS].strip() for first in (program, "T" * len(program)))
    found = [line.strip() for line in result.stdout.strip().splitlines()]
    equal(found, [f"renames|{before}", f"renames|{now}", f"new name)|{now}", "a", f"b|{now}"], "its name and arguments")


@scenario(only="ptrace", why="the module is no tracer")
def what_a_program_sees_of_its_tracer(world):
    """Its tracer, which is no other than strace's would be, and the filter; it cannot have another one."""
    plain = world.run([world.program("asks_who")]).stdout
    equal(plain.splitlines()[::3], ["TracerPid:\t0", "PTRACE_TRACEME 0 "], "untraced")
    for clause in ("syscall::write:entry { }", "pid$target:a.out:main:entry { }"):
        result = world.sonde("-q", "-n", clause, "-c", world.program("asks_who"))
        tracer, *rest = result.stdout.split("\n")
        check(int(tracer.split()[1]) > 1, tracer)
        equal(rest[1:3], ["Seccomp:\t2", "PTRACE_TRACEME -1 EPERM"], clause)


def step(program, state):
    program.stdin.write("\n")
    program.stdin.flush()
    equal(program.stdout.readline(), state + "\n", "the program's state")


@scenario(only="ptrace", why="the module writes to no memory")
def a_program_that_guards_its_memory_while_it_is_traced(world):
    """Breakpoints are in its memory when it makes itself not dumpable; an ordinary user can open that no more."""
    user = world.as_user()
    for how in ("stays", "SIGINT", "SIGKILL"):
        program = user.start([user.program("undumpable_late")], stdin=subprocess.PIPE)
        equal(program.stdout.readline(), "ready\n", "the program's state")
        sonde = user.start_sonde("-q", "-n", "pid$target:a.out:work:entry { @ = count(); }", "-p", str(program.pid))
        wait_until(lambda: attached_to(sonde, program.pid) and at_rest(sonde), what="attached")
        step(program, "not dumpable")
        step(program, "end")
        if how != "stays":
            sonde.send_signal(getattr(signal, how))
            begin = time.monotonic()
            sonde.wait(60 * patience)
            wait_until(lambda: tracer_of(program.pid) == 0, what=f"{how}: untraced")
            check(time.monotonic() - begin < 1, f"{how}: {time.monotonic() - begin:.2f} s until it was untraced")
        said, _ = program.communicate("\n", timeout=60 * patience)
        equal((said, program.returncode), ("sum 60\n", 0), f"{how}: the program")
        result = world.finish(sonde)
        if how != "SIGKILL":
            equal((result.stdout.strip(), result.stderr), ("30" if how == "stays" else "20", ""), how)


@scenario(short=True)
def clocks_beside_the_programs_own(world):
    """vtimestamp and timestamp at entry and return lie between what the program has read of the same clocks before and after."""
    clause = 'pid$target:a.out:f:entry, pid$target:a.out:f:return { printf("probe %d %d\\n", vtimestamp, timestamp); }'
    said = world.sonde("-q", "-n", clause, "-c", world.program("clocks")).stdout
    own, seen = ([[int(word) for word in words.split()] for words in re.findall(rf"^{kind} ([\d ]+)$", said, re.M)] for kind in ("own", "probe"))
    equal((len(own), len(seen)), (10, 20), "calls, and firings")
    for (used, used_after, began, ended), (at_entry, entered), (at_return, left) in zip(own, seen[::2], seen[1::2]):
        check(used <= at_entry <= at_return - 5000000 and at_return <= used_after, f"processor time: {used} {at_entry} {at_return} {used_after}")
        check(began <= entered <= left <= ended, f"time: {began} {entered} {left} {ended}")


@scenario()
def places_that_lose_their_names(world):
    if os.geteuid() != 0:
        raise Skip("needs root, for chroot")
    folder = world.path("place")
    os.mkdir(folder)
    clause = ('syscall::getpgid:entry { this->fd = -7 - (int)arg0; printf("%s|%s|%s|%d|%x\\n", cwd, fds[this->fd].fi_pathname, fds[this->fd].fi_fs, '
              'fds[this->fd].fi_offset, fds[this->fd].fi_oflags); }')
    lines = world.sonde("-q", "-x", "strsize=128", "-n", clause, "-c", f"{world.program('places')} {folder}").stdout.split("\n")
    of_files = lines[2].split("|")[2]
    file, deleted = f"{folder}/some file", f"{folder}/some file (deleted)"
    check(of_files not in ("", "<none>"), f"the file system's type: {lines}")
    equal([line.split("|")[0] for line in lines[:7]], [f"{folder}/gone folder", f"{folder}/gone folder (deleted)", *[folder] * 5], "the folders")
    equal([line.split("|")[1:] for line in lines[2:7]],
          [[path, of_files, "5", "8402"] for path in (file, deleted, deleted)] + [["<none>", "<none>", "0", "0"], [f"{folder}/inside", of_files, "0", "8000"]],
          "the files")
