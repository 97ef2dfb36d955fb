# SPDX-License-Identifier: GPL-3.0-or-later
"""A process, function or probe that cannot be had says why, and what has it instead."""

import os
import pathlib
import re

from support import Skip, at_rest, check, counts, equal, patience, scenario, state_of, threads_of, wait_until


def refusal(world, *arguments):
    """What sonde says when it refuses to run."""
    result = world.sonde(*arguments, status=None)
    check(result.status == 1, f"{arguments}: status {result.status}, it says {result.stderr}")
    return result.stderr


@scenario()
def functions_that_are_elsewhere(world):
    program = world.program("reasons")
    text = refusal(world, "-n", "pid$target:a.out:vanishes:entry { }", "-c", program)
    check("failed to lookup 'vanishes' in module 'a.out': the compiler has inlined it, at " in text
          and re.search(r"reasons\.c:1[34] and in 1 other place", text), text)
    text = refusal(world, "-n", "pid$target:a.out:write:entry { }", "-c", program)
    check("'libc.so.6' has it: pid" in text and ":libc.so.6:write:entry" in text, text)
    text = refusal(world, "-n", "pid$target:a.out:firts:entry { }", "-c", program)
    check("first" in text and "has it" not in text and "inlined" not in text, text)


@scenario()
def function_with_brackets_in_its_name(world):
    clause = "pid$target:a.out:main.Max[go.shape.int_0]:entry { printf(\"%s\", probefunc); }"
    equal(world.sonde("-q", "-n", clause, "-c", world.program("reasons")).stdout.strip(), "main.Max[go.shape.int_0]", "as listed")


@scenario()
def usdt_probe(world):
    program = world.program("reasons")
    for provider in ("myapp$target", "myapp*"):
        text = refusal(world, "-n", provider + ":::request-start { }", "-c", program)
        check(f"request-start cannot be armed: in {program}, there is no nop where its note says" in text, text)
    text = refusal(world, "-n", "myapp$target:::no-such { }", "-c", program)
    check("does not match any probes" in text, text)


@scenario()
def zombie(world):
    child = world.start(["/bin/true"])
    wait_until(lambda: state_of(child.pid, child.pid) == "Z", what="its end")
    for clause in ("syscall:::entry { }", "pid$target:::entry { }"):
        text = refusal(world, "-n", clause, "-p", str(child.pid))
        check(f"process {child.pid} has ended: it is a zombie" in text, text)


@scenario(short=True)
def process_whose_first_thread_has_ended(world):
    for clause, count in (("pid$target:a.out:work:entry { @ = count(); }", 50), ("syscall::exit_group:entry { @ = count(); }", 1)):
        program = world.start([world.program("leader_gone")], stdin=-1)
        wait_until(lambda: state_of(program.pid, program.pid) == "Z" and len(threads_of(program.pid)) == 2, what="the first thread's end")
        sonde = world.start_sonde("-qn", f"BEGIN {{ printf(\"go\\n\"); }} {clause}", "-p", str(program.pid))
        equal(sonde.stdout.readline(), "go\n", "BEGIN")
        wait_until(lambda: at_rest(sonde), what="the attach")
        program.stdin.write("\n")
        program.stdin.flush()
        equal(program.wait(60 * patience), 7, "its exit status")
        equal(world.finish(sonde).stdout.strip(), str(count), clause)


@scenario(only="ptrace", why="only the guard sets breakpoints in memory")
def program_that_may_not_be_read(world):
    if os.geteuid() != 0:
        raise Skip("root makes a file that another user may not read")
    user = world.as_user()
    unreadable = pathlib.Path(user.program("reasons"))
    unreadable.chmod(0o711)
    text = refusal(user, "-n", "pid$target:a.out:first:entry { }", "-c", str(unreadable))
    check("its program's file may not be read, so neither may its memory: only root may trace its functions" in text, text)
    result = user.sonde("-q", "-n", "syscall::exit_group:entry { @[probefunc] = count(); }", "-c", str(unreadable))
    equal(counts(result.stdout), {"exit_group": 1}, "its system calls are seen")


@scenario()
def process_that_is_not_dumpable(world):
    if os.geteuid() != 0:
        raise Skip("root runs sonde as another user")
    user = world.as_user()
    program = user.start([user.program("reasons"), "undumpable"], stdin=-1)
    equal(program.stdout.readline(), "\n", "it is ready")
    text = refusal(user, "-n", "pid$target:a.out:first:entry { }", "-p", str(program.pid))
    check(f"failed to grab process {program.pid}: it is not dumpable" in text, text)
    program.communicate(timeout=60 * patience)
