# SPDX-License-Identifier: GPL-3.0-or-later
"""Stacks that end early or have no names: one line says why, and what to do; whole stacks are left in peace."""

import pathlib
import shutil
import subprocess

from stock_kernel import need_it, start_tracing, stop_tracing
from support import PROGRAMS, Skip, check, equal, scenario, wait_until

CLAUSE = "syscall::getppid:entry { @[ustack()] = count(); @d[ustackdepth] = count(); @c[ucaller] = count(); }"
PAUSE = 34  # the system call
JIT = "code that it compiled at run time"


def lines_about_stacks(stderr):
    return [line for line in stderr.splitlines() if "stacks" in line]


def has_tool(name):
    if shutil.which(name) is None:
        raise Skip(f"no {name} here")


def without_table(world, name, *flags, sections=(".eh_frame",)):
    """tests/programs/frames.c without frame information."""
    has_tool("objcopy")
    program = world.path(name)
    subprocess.run(["gcc", "-O1", *flags, "-o", program, PROGRAMS / "frames.c"], check=True)
    subprocess.run(["objcopy", *(f"--remove-section={section}" for section in sections), program], check=True)
    return program


@scenario()
def stacks_of_a_program_without_frame_information(world):
    """With and without the index that objcopy leaves; the walk loses the callers in the program's own code."""
    for name, sections in (("no-table", (".eh_frame",)), ("no-index", (".eh_frame", ".eh_frame_hdr"))):
        program = without_table(world, name, "-fomit-frame-pointer", sections=sections)
        result = world.sonde("-q", "-n", CLAUSE, "-c", program)
        found = lines_about_stacks(result.stderr)
        equal(len(found), 1, f"lines of {name}: {result.stderr}")
        for part in (f"({name}): stacks end at {pathlib.Path(program)}", "-fno-omit-frame-pointer"):
            check(part in found[0], f"no {part!r} in {found[0]}")


@scenario()
def stacks_that_nobody_sees_are_not_told(world):
    """Of the whole machine: the records of all processes come, and sonde finds that the predicate is false. The program stays: of one that has ended
    before its record is read nobody knows the mappings."""
    need_it(world)
    program = without_table(world, "unseen", "-fomit-frame-pointer", "-DSTAYS")
    for name, lines in (("unseen", 1), ("another", 0)):
        sonde = start_tracing(world, "-n", f'syscall::getppid:entry /strjoin(execname, "") == "{name}"/ {{ @[ustack()] = count(); }}')
        process = world.start([program])
        wait_until(lambda: pathlib.Path(f"/proc/{process.pid}/syscall").read_text().startswith(f"{PAUSE} "), what="the program has made its calls")
        said = [line for line in lines_about_stacks(stop_tracing(world, sonde).stderr) if "(unseen)" in line]
        process.kill()
        equal(len(said), lines, f"lines for {name}: {said}")


@scenario()
def stacks_by_frame_pointers_alone(world):
    """They lead to _start, which has no caller."""
    result = world.sonde("-q", "-n", CLAUSE, "-c", without_table(world, "chained", "-fno-omit-frame-pointer"))
    equal(lines_about_stacks(result.stderr), [], "lines")
    check("`main+" in result.stdout, f"no whole stack: {result.stdout}")


@scenario()
def stacks_of_node_without_names(world):
    """node's optimised code has no names unless it is asked for them."""
    has_tool("node")
    script = pathlib.Path(world.path("hot.js"))
    script.write_text("const fs = require('fs');\nfunction call(i) { return fs.existsSync('/nonexistent/' + i); }\n"
                      "let n = 0;\nfor (let i = 0; i < 15000; i++) n += call(i % 3) ? 1 : 0;\nprocess.exit(n);\n")
    clause = "syscall::access:entry,syscall::faccessat*:entry { @[ustack(60)] = count(); }"
    remedy = "--perf-basic-prof --interpreted-frames-native-stack"
    found = lines_about_stacks(world.sonde("-q", "-n", clause, "-c", f"node {script}").stderr)
    equal(len(found), 1, f"lines {found}")
    check("(node): functions that it compiled at run time have no names" in found[0] and remedy in found[0], found[0])
    found = lines_about_stacks(world.sonde("-q", "-n", clause, "-c", f"node {remedy} {script}").stderr)
    equal(found, [], "lines with the remedy")


LOST = """#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
// Saves its argument in rbp, and calls it from a frame of 40 bytes: neither a chain nor a table leads on.
static const unsigned char kCode[] = {0x55, 0x48, 0x89, 0xfd, 0x48, 0x83, 0xec, 0x20, 0xff, 0xd5, 0x48, 0x83, 0xc4, 0x20, 0x5d, 0xc3};
int main(int argc, char** argv) {
  for (int i = 0; i < 40 && argc == 1; i++) {
    if (fork() == 0) return execl(argv[0], argv[0], "child", NULL);
    wait(NULL);
  }
  void* text = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy(text, kCode, sizeof kCode);
  for (int i = 0; i < 5; i++) ((void (*)(pid_t (*)(void)))text)(getppid);
  return 0;
}
"""


@scenario()
def stacks_that_end_at_compiled_code(world):
    """One line for each process and kind, 16 in all, then one that there are more."""
    source, program = pathlib.Path(world.path("lost.c")), world.path("lost")
    source.write_text(LOST)
    subprocess.run(["gcc", "-O1", "-o", program, source], check=True)
    found = lines_about_stacks(world.sonde("-q", "-n", CLAUSE, "-c", f"{program} child").stderr)
    equal(len(found), 2, f"lines {found}")
    check(any(f"stacks end at {JIT}" in line for line in found), f"lines {found}")
    check(any("have no names" in line for line in found), f"lines {found}")
    found = lines_about_stacks(world.sonde("-q", "-n", CLAUSE, "-c", program).stderr)
    equal(len(found), 17, f"lines {found}")
    check(" more " in found[-1], f"the last line {found[-1]}")


@scenario()
def whole_stacks_say_nothing(world):
    """C, C++, static, stripped, threads, signal handlers, assembly at the start of a thread."""
    programs = [world.program("frames"), world.program("noreturn"), f"{world.program('forks')} 5"]
    still, bare = world.path("still"), world.path("bare")
    subprocess.run(["gcc", "-O1", "-static", "-o", still, PROGRAMS / "frames.c"], check=True)
    shutil.copy(world.program("frames"), bare)
    subprocess.run(["strip", bare], check=True)
    threads = pathlib.Path(world.path("threads.cpp"))
    threads.write_text("#include <thread>\n#include <unistd.h>\nint main() { for (int i = 0; i < 20; i++) std::thread([] { getppid(); }).join(); }\n")
    for flags in ((), ("-static",)):
        built = world.path("threads" + "".join(flags))
        subprocess.run(["g++", "-O2", *flags, "-o", built, threads], check=True)
        programs.append(built)
    for program in [*programs, still, bare]:
        result = world.sonde("-q", "-n", CLAUSE, "-c", program, status=None)
        equal(lines_about_stacks(result.stderr), [], f"lines of {program}")
        check("`" in result.stdout, f"no stack of {program}: {result.stdout}")


@scenario()
def whole_stacks_of_real_programs(world):
    """At every call and at random moments: shells, Python, Go's compiler."""
    commands = ["ls -l /", "bash -c 'for i in 1 2 3; do (exec /bin/true); done'"]
    commands += [f"{name} {arguments}" for name, arguments in (("python3", "-c 'import json, threading'"), ("go", "version"))
                 if shutil.which(name)]
    for command in commands:
        result = world.sonde("-q", "-n", "syscall:::entry,profile-997 { @[ustack()] = count(); }", "-c", command, status=None)
        equal(lines_about_stacks(result.stderr), [], f"lines of {command}")
