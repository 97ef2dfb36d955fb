# SPDX-License-Identifier: GPL-3.0-or-later
"""Stacks on the whole machine without the module: as root, where the kernel takes programs."""

import os
import pathlib
import re
import shutil
import subprocess

from lacking_stacks import JIT, LOST, has_tool, lines_about_stacks
from stock_kernel import SOURCE, apart, need_it, start_tracing, stop_tracing
from stock_profile import start_sampling
from support import PROGRAMS, Skip, check, equal, patience, scenario, wait_until

# Each reads a byte, at the bottom of stacks that change.
READERS = {
    "bash": ["-c", 'f() { if [ "$1" -gt 0 ]; then f $(($1 - 1)); else read -r -n1 x || exit 0; fi; }; i=0; while :; do i=$((i + 1)); f $((i % 6)); done'],
    "perl": ["-e", 'sub f { my $n = shift; my @x = sort { $n ? f($n - 1) : (sysread(STDIN, my $b, 1) || exit); $a <=> $b } (2, 1); 1 } for (my $i = 0; ; $i++) { f($i % 6) }'],
    "python3": ["-c", "import os\ndef f(n):\n    if n: return list(map(f, [n - 1]))\n    if not os.read(0, 1): os._exit(0)\ni = 0\nwhile True:\n    i += 1\n    f(i % 6)\n"],
    "sqlite3": [":memory:"],
}
STACK = r"""syscall::read:return /pid == $1 && (long)arg0 > 0/ { printf("read\n"); }
    syscall::read:entry /pid == $1 && arg0 == 0/ { ustack(); printf("end\n"); }"""


def symbols(path, known={}):
    """Addresses by name, of a file."""
    if path not in known:
        text = "".join(subprocess.run(["nm", *dynamic, path], capture_output=True, text=True, check=False).stdout for dynamic in ((), ("-D",)))
        known[path] = {name.partition("@")[0]: int(at, 16) for at, name in re.findall(r"^(\w+) [a-zA-Z] (\S+)$", text, re.M)}
    return known[path]


class Place:
    """Where addresses of a process are, as (file, address as linked)."""

    def __init__(self, pid):
        self.ranges, self.files = [], {}
        for line in pathlib.Path(f"/proc/{pid}/maps").read_text().splitlines():
            fields = line.split(None, 5)
            if len(fields) < 6 or not fields[5].startswith("/"):
                continue
            start, end = (int(one, 16) for one in fields[0].split("-"))
            self.files.setdefault(os.path.basename(fields[5]), (start, fields[5]))
            self.ranges.append((start, end, os.path.basename(fields[5])))

    def of_address(self, address):
        for start, end, name in self.ranges:
            if start <= address < end:
                return name, address - self.files[name][0]
        return "", address

    def of_text(self, frame):
        """A frame as ustack() prints it. None: of a function that the file itself does not name."""
        found = re.fullmatch(r"(\S+?)`(.*?)(?:\+0x([0-9a-f]+))?", frame)
        if not found:
            return "", int(frame, 16)
        name, function, offset = found[1], found[2], int(found[3] or "0", 16)
        at = symbols(self.files[name][1]).get(function) if function else 0
        return name, at if at is None else at + offset


def frames_of_gdb(pid, place):
    """Without debug files, by which gdb would add frames of functions that have jumped to their last call."""
    text = subprocess.run(["gdb", "-nx", "-batch", "-iex", "set auto-load off", "-iex", "set debuginfod enabled off", "-iex", "set debug-file-directory /nowhere", "-p", str(pid), "-ex", "set backtrace past-main on",
                           "-ex", "set backtrace past-entry on", "-ex", "bt -frame-arguments none"], capture_output=True, text=True, timeout=60 * patience, check=False).stdout
    return [place.of_address(int(at, 16)) for at in re.findall(r"^#\d+ +0x([0-9a-f]+) in", text, re.M)]


def compare(world, name, command):
    """Lets the program read, and compares the stack of its next read(), in which it waits, with gdb's. Returns what differs."""
    reader = world.start(command, stdin=subprocess.PIPE, text=False)
    out = world.path(f"stacks-{name}")
    sonde = start_tracing(world, "-x", "demangle=0", "-o", out, "-n", STACK, str(reader.pid), hooks=2)
    different, steps = [], 100 if world.full else 4
    for step in range(steps):
        before = pathlib.Path(out).read_text().count("read\n")
        reader.stdin.write(b"\n" if name == "sqlite3" else b"x")
        reader.stdin.flush()
        wait_until(lambda: (text := pathlib.Path(out).read_text()).count("read\n") > before and re.search(r"read\n(?!.*read\n).*end\n", text, re.S), what="the next read")
        found = pathlib.Path(out).read_text().rpartition("read\n")[2].partition("end\n")[0].split("\n")
        place = Place(reader.pid)
        ours, gdb = [place.of_text(one.strip()) for one in found if one.strip()], frames_of_gdb(reader.pid, place)
        gdb = [(file, at if one[1] is not None else None) for one, (file, at) in zip(ours, gdb, strict=False)] + gdb[len(ours):]
        if ours != gdb:
            different.append((step, found, ours, gdb))
    stop_tracing(world, sonde)
    reader.stdin.close()
    reader.wait()
    check(len(different) * 100 <= steps, f"{name}: {len(different)} of {steps} stacks differ: {different[:1]}")


@scenario(seconds=3000)
def stock_stacks_equal_gdbs(world):
    """Of Debian's programs, which have no frame pointers, and of a C++ program: each frame, by its address."""
    need_it(world)
    if not shutil.which("gdb"):
        raise Skip("no gdb: gdb")
    compare(world, "sorts", [world.program("sorts", "-O2")])
    for name, arguments in READERS.items():
        if not shutil.which(name):
            raise Skip(f"no {name}: {name}")
        compare(world, name, [shutil.which(name), *arguments])


@scenario()
def stock_stacks_of_samples(world):
    """Wherever a sample falls, whoever is there was called by the only one who calls it; in a program without frame pointers."""
    need_it(world)
    program = apart(world, world.program("callers", "-O2", "-fomit-frame-pointer"))
    name = os.path.basename(program)
    sonde = start_sampling(world, "-n", f'profile-997 /execname == "{name}" && arg1 != 0/ {{ @[ustack()] = count(); }}')
    equal(world.finish(world.start([program, "1"])).status, 0, "the program's status")
    out = stop_tracing(world, sonde).stdout
    stacks = re.findall(r"((?:^ +\S.*`.*\n)+) +(\d+)$", out, re.M)
    samples = sum(int(count) for _, count in stacks)
    chain = r" +\S+`spin_(\d)\S*\n +\S+`call_\1\S*\n +\S+`main\S*\n +\S+`__libc_\S*\n(?: +\S+`__libc_start_main\S*\n)? +\S+`_start\S*\n"
    right = sum(int(count) for stack, count in stacks if re.fullmatch(chain, stack))
    within = sum(int(count) for stack, count in stacks if "`spin_" in stack)
    check(samples > 300, out)
    check(within and right >= 0.99 * within, f"{right} of {within}: {out}")


@scenario()
def stock_stacks_of_who_has_ended(world):
    """Programs that may end before their stacks are walked: each call is counted, and a stack is whole or has one address."""
    need_it(world)
    program = apart(world, world.program("mixed"))
    name = os.path.basename(program)
    sonde = start_tracing(world, "-n", f'syscall::getppid:entry /execname == "{name}"/ {{ @[ustack()] = count(); }}')
    for _ in range(20):
        world.run([program, 20])
    out = stop_tracing(world, sonde).stdout
    stacks = re.findall(r"((?:^ +(?:0x|\S+`)\S*\n)+) +(\d+)$", out, re.M)
    equal(sum(int(count) for _stack, count in stacks), 400, out)
    halves = [stack for stack, _count in stacks if f"{name}`_start" not in stack and len(stack.split()) > 1]
    check(not halves, f"{halves}")


WAITS = """#undef main
#include <unistd.h>
int inner_main(int argc, char** argv);
int main(int argc, char** argv) {
  char byte;
  return inner_main(argc, argv) + (int)read(0, &byte, 1);
}
"""


def told_of_stacks(world, name, source, *arguments, bare=False):
    """What sonde says of the stacks of that program, which waits until they have been walked; `bare`: it has no frame information."""
    built, waits, out = world.path(name), world.path("waits.c", WAITS), world.path(f"{name}.out", "")
    subprocess.run(["gcc", "-O1", "-fomit-frame-pointer", "-Dmain=inner_main", "-o", built, source, waits], check=True)
    if bare:
        subprocess.run(["objcopy", "--remove-section=.eh_frame", built], check=True)
    program = apart(world, built)
    sonde = start_tracing(world, "-o", out, "-n", f'syscall::getppid:entry /execname == "{os.path.basename(program)}"/ {{ ustack(); printf("walked\\n"); }}')
    started = world.start([program, *arguments], stdin=subprocess.PIPE)
    wait_until(lambda: "walked" in pathlib.Path(out).read_text(), what="the first stack")
    started.communicate("", timeout=60 * patience)
    return program, lines_about_stacks(stop_tracing(world, sonde).stderr)


@scenario()
def stock_stacks_that_end_early(world):
    """One line says why, once for each reason and process; whole stacks are left in peace."""
    need_it(world)
    has_tool("objcopy")
    program, found = told_of_stacks(world, "bare", PROGRAMS / "frames.c", bare=True)
    equal(len(found), 1, f"lines {found}")
    for part in (f"({os.path.basename(program)}): stacks end at {program}", "-fno-omit-frame-pointer"):
        check(part in found[0], f"no {part!r} in {found[0]}")
    _program, found = told_of_stacks(world, "lost", world.path("lost.c", LOST), "child")
    equal(sorted(f"stacks end at {JIT}" in line for line in found), [False, True], f"lines {found}")
    equal(sum("have no names" in line for line in found), 1, f"lines {found}")
    _program, found = told_of_stacks(world, "whole", PROGRAMS / "frames.c")
    equal(found, [], "lines of whole stacks")


@scenario()
def stock_kernel_stacks(world):
    """stack() at a call begins in the kernel's own entry code, at a sample where the kernel was interrupted; with names, and
    without a frame of ours, whoever else traces the same calls."""
    need_it(world)
    program = apart(world, world.program("mixed"))
    name = os.path.basename(program)
    script = (f'syscall::getppid:entry, syscall::getppid:return /execname == "{name}"/ {{ @[probename, stack()] = count(); @top[probename, stack(1)] = count(); '
              "@depth[stackdepth] = count(); @caller[func(caller)] = count(); }")
    other = start_tracing(world, "-n", "syscall:::entry, syscall:::return { @ = count(); }", hooks=2)
    beside = trace_calls(world, program, script)
    stop_tracing(world, other)
    equal(trace_calls(world, program, script), beside, "the same without the other")


def trace_calls(world, program, script):
    """Checks the stacks of the program's calls, and returns what was printed."""
    sonde = start_tracing(world, "-n", script, hooks=2)
    world.run([program, 30])
    out = stop_tracing(world, sonde).stdout
    stacks = re.findall(r"^  (entry|return) *\n((?: +\S+`\S+\n){2,}) +30$", out, re.M)
    equal(sorted(one for one, _stack in stacks), ["entry", "return"], out)
    for _probe, stack in stacks:
        frames = stack.split()
        check(frames[0].startswith("vmlinux`"), out)
        check(any(one.startswith("vmlinux`do_syscall_64") for one in frames), out)
        check(frames[-1].startswith("vmlinux`entry_SYSCALL_64"), out)
    check(not any(word in out for word in ("bpf_prog", "bpf_trace", "traceiter")), out)
    check(re.search(rf"^ +{len(stacks[0][1].split())} +\d+$", out, re.M), f"depths: {out}")
    check("vmlinux`" in re.findall(r"^  (vmlinux\S+) +\d+$", out, re.M)[0], out)
    return out


@scenario()
def stock_kernel_stacks_of_samples(world):
    need_it(world)
    script = """profile-997 /arg0 != 0/ { @kernel[stack(1), func(arg0)] = count(); n++; }
        profile-997 /arg1 != 0/ { @user[stack()] = count(); }
        profile-97 /n > 50/ { exit(0); }"""
    program = world.start([world.program("mixed"), 100_000_000])
    out = world.sonde("-q", *SOURCE, "-n", "int n; " + script + ' END { printa("%k|%A %@d\\n", @kernel); }').stdout
    program.kill()
    pairs = re.findall(r"^ +(\S+?)(?:\+0x\w+)?\n\|(\S+) (\d+)$", out, re.M)
    check(pairs and all(stack == function for stack, function, _count in pairs), out)
