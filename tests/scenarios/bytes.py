# SPDX-License-Identifier: GPL-3.0-or-later
"""What others see of a probed program's bytes, and what sonde sees of others' breakpoints: cores, restartable
sequences, translators of machine code, uprobes."""

import os
import pathlib
import re
import shutil
import subprocess

from support import Skip, at_rest, attached_to, check, equal, scenario, wait_until

MEMORY = "tracing needs no breakpoints in memory here"
F = "pid$target:a.out:f:entry { @ = count(); }"


def need(tool, package):
    if not shutil.which(tool):
        raise Skip(f"no {tool}: {package}")


def counted(text):
    return [int(n) for n in re.findall(r"^ +(\d+)$", text, re.M)]


def offset_of(program, function):
    """As linked, which is the offset in the file for the first text segment of a PIE."""
    table = subprocess.run(["nm", program], check=True, stdout=subprocess.PIPE, text=True).stdout
    return int(re.search(rf"^(\w+) . {function}$", table, re.M).group(1), 16)


@scenario(only="ptrace", why=MEMORY)
def cores_have_the_programs_own_bytes(world):
    pattern = pathlib.Path("/proc/sys/kernel/core_pattern").read_text().strip()
    if pattern != "core":
        raise Skip(f"cores go to {pattern}")
    need("gdb", "gdb")
    program = world.program("dumps")
    shell = world.path("dump.sh", f"ulimit -c unlimited; cd {world.path('.')}; exec {program}\n")
    result = world.sonde("-q", "-Z", "-n", "pid$target:dumps:f:entry,pid$target:dumps:die:entry { @ = count(); }", "-c", f"sh {shell}")
    equal((result.stdout.splitlines()[0], counted(result.stdout), result.stderr), ("2", [3], ""), "the run")
    core = next(pathlib.Path(world.path(".")).glob("core*"), None)
    if core is None:
        raise Skip("the kernel wrote no core")
    shown = world.run(["gdb", "-nx", "-batch", "-ex", "x/1xb f", "-ex", "x/1xb die", "-ex", "bt", program, core], seconds=60).stdout
    check(len(re.findall(r"^0x\w+ <\w+>:\t0x(?!cc)", shown, re.M)) == 2 and "main" in shown, shown)


@scenario(only="ptrace", why=MEMORY)
def a_core_of_one_who_shares_the_memory(world):
    """The survivor has its breakpoints again."""
    result = world.sonde("-q", "-n", F, "-c", f"{world.program('dumps')} shared")
    equal((result.stdout.splitlines()[:2], counted(result.stdout)[0] >= 2), (["2", "11 5"], True), result.stdout)


@scenario(only="ptrace", why=MEMORY)
def restartable_sequences_are_refused(world):
    for flags in ((), ("-no-pie",)):
        program = world.program("sequences", *flags)
        if world.run([program]).status == 77:
            raise Skip("this C library registers no restartable sequences")
        result = world.sonde("-q", "-n", "pid$target:a.out:adds: { @[probename] = count(); }", "-c", f"{program} 100", seconds=20)
        check(result.stdout.startswith("100\n"), result.stdout)
        check(re.search(r"no probe at 4 places of .*sequences.*: a restartable sequence \(rseq\) is there", result.stderr), result.stderr)
        equal(set(re.findall(r" (\d+)$", result.stdout, re.M)), {"100"}, "the hits of all others")


@scenario(only="ptrace", why=MEMORY)
def translated_programs_are_refused(world):
    need("valgrind", "valgrind")
    program = world.program("holders")
    traced = world.start(["valgrind", "-q", program, "none"], stdin=subprocess.PIPE)
    equal(traced.stdout.readline(), "ready\n", "its state")
    sonde = world.start_sonde("-q", "-Z", "-n", f"pid$target:{pathlib.Path(program).name}::entry {{ @ = count(); }} tick-300ms {{ exit(0); }}",
                              "-p", str(traced.pid))
    result = world.finish(sonde)
    check("valgrind translates this code" in result.stderr, result.stderr)
    equal(traced.poll(), None, "valgrind runs on")


@scenario(only="ptrace", why=MEMORY)
def breakpoints_of_another_tracer_are_told(world):
    """One that was left in memory before ours, as a debugger does that is killed; and one of ours that somebody takes
    out."""
    program = world.program("holders")

    def poke(pid, byte, function):
        base = int(re.search(rf"^(\w+)-.* 00000000 .*{re.escape(program)}$", pathlib.Path(f"/proc/{pid}/maps").read_text(), re.M).group(1), 16)
        with open(f"/proc/{pid}/mem", "r+b", buffering=0) as memory:
            memory.seek(base + offset_of(program, function))
            old = memory.read(1)
            memory.seek(base + offset_of(program, function))
            memory.write(byte)
        return old

    target = world.start([program, "none"], stdin=subprocess.PIPE)
    equal(target.stdout.readline(), "ready\n", "its state")
    own = poke(target.pid, b"\xcc", "steps")
    sonde = world.start_sonde("-q", "-n", "pid$target:a.out:held:entry,pid$target:a.out:steps:entry { @ = count(); }", "-p", str(target.pid))
    wait_until(lambda: attached_to(sonde, target.pid) and at_rest(sonde), what="attached")
    equal(poke(target.pid, poke(target.pid, b"\xcc", "steps"), "steps"), b"\xcc", "it is there")
    poke(target.pid, own, "steps")
    taken = poke(target.pid, bytes([0x83]), "held")  # cmp
    equal(taken, b"\xcc", "sonde's breakpoint")
    target.stdin.write("\n\n")
    target.stdin.flush()
    equal((world.finish(target).status, world.finish(sonde).status), (0, 0), "the ends")
    check("another tracer has a breakpoint or a uprobe there" in world.last.stderr, world.last.stderr)
    check("somebody else has taken out 1 breakpoint of sonde" in world.last.stderr, world.last.stderr)


def append(path, line):
    """Files of tracefs cannot be sought in."""
    file = os.open(path, os.O_WRONLY | os.O_APPEND)
    try:
        os.write(file, line.encode())
    finally:
        os.close(file)


@scenario(only="ptrace", why="uprobes have their own hits there")
def uprobes_of_another_tracer_are_told(world):
    if os.geteuid() != 0:
        raise Skip("only root can set uprobes")
    tracing = pathlib.Path("/sys/kernel/tracing")
    mounted = world.directory / "tracing"
    if not (tracing / "uprobe_events").exists():
        mounted.mkdir()
        if subprocess.run(["mount", "-t", "tracefs", "none", mounted], check=False, stderr=subprocess.DEVNULL).returncode != 0:
            raise Skip("no tracefs")
        tracing = mounted
    name, begun = f"sonde_{os.getpid()}", False
    try:
        if not (tracing / "uprobe_events").exists():
            raise Skip("this kernel has no uprobe events")
        program = world.program("holders")
        append(tracing / "uprobe_events", f"p:{name}/held {program}:{offset_of(program, 'steps'):#x}\n")
        begun = True
        (tracing / f"events/{name}/held/enable").write_text("1")
        result = world.sonde("-q", "-n", "pid$target:a.out:held:entry,pid$target:a.out:steps:entry { @ = count(); }", "-c", f"{program} none")
        check(result.stdout.endswith("right\n\n               20\n"), result.stdout)
        check("another tracer has a breakpoint or a uprobe there" in result.stderr, result.stderr)
        (tracing / f"events/{name}/held/enable").write_text("0")
    finally:
        if begun:
            append(tracing / "uprobe_events", f"-:{name}/held\n")
        if mounted.exists():
            subprocess.run(["umount", mounted], check=False)
