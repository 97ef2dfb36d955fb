# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions of the kernel (fbt), against programs that know what they did. With the module, or on a stock kernel that lets tracers into its functions."""

import json
import os
import pathlib
import re
import sys
import time

import support
from in_use import IN_USE
from kernel_probes import NAMED, newer_than, rows
from stock_kernel import need_it
from support import Skip, check, equal, scenario

ASKS = """
asked = 137
event = os.eventfd(0)
name("asks")
for n in range(asked):
    os.eventfd_write(event, 3)
try:
    os.write(event, b"x")
except OSError:
    pass
name("done")
said = asked
"""


def need_functions(world):
    """Functions of this kernel can be traced, or it is said by name why not."""
    if not os.path.exists("/dev/sonde"):
        need_it(world)
    listed = world.sonde("-lv", "-n", "fbt::vfs_read:entry").stdout
    refused = re.search(r"Not armed\n\t\t(.*)", listed)
    if refused:
        raise Skip(f"this kernel lets nobody into its functions: {refused[1]}")


def need_on_cpu(world):
    if not newer_than(6, 16):
        need_functions(world)


def traced(world, program, clauses, *options):
    """Runs the python program under the clauses; sonde's result, and what the program said."""
    need_functions(world)
    told = world.path("told")
    text = world.path("program.py", NAMED + program + f"\nopen({str(told)!r}, 'w').write(__import__('json').dumps(said))\n")
    result = world.sonde("-q", *options, "-c", f"{sys.executable} {text}", "-n", clauses)
    check("error on enabled probe" not in result.stderr, result.stderr)
    return result, json.loads(pathlib.Path(told).read_text(encoding="utf-8"))


@scenario(short=True)
def kernel_functions_count(world):
    """Each call of a function begins and returns once, with its arguments by their types, and its result."""
    result, asked = traced(
        world, ASKS, 'fbt::eventfd_write:entry /execname == "asks"/ { @[probename, (int)args[2], stringof(args[0]->f_path.dentry->d_name.name) == "[eventfd]"] = count(); } '
        'fbt::eventfd_write:return /execname == "asks"/ { @[probename, (int)args[1], arg0 == -1] = count(); }')
    equal(rows(result.stdout), {("entry", "8", "1"): asked, ("entry", "1", "1"): 1, ("return", "8", "1"): asked, ("return", "-22", "1"): 1}, "calls")
    check("drops" not in result.stderr, result.stderr)


@scenario()
def kernel_functions_stack(world):
    """The kernel's stack begins with the function, at both ends, and goes on with who called it; the user's is the program's."""
    result, _ = traced(
        world, ASKS, 'fbt::eventfd_write:entry,fbt::eventfd_write:return /execname == "asks"/ { printf("%s %a %a\\n", probename, caller, arg1); stack(4); ustack(2); } '
        'fbt::eventfd_write:return /execname == "asks"/ { exit(0); }')
    parts = re.split(r"^(entry|return) ", result.stdout, flags=re.M)[1:]
    found = dict(zip(parts[::2], parts[1::2]))
    equal(sorted(found), ["entry", "return"], f"ends: {result.stdout}")
    for end, text in found.items():
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        check(re.fullmatch(r"vmlinux`vfs_write\+0x[0-9a-f]+ .*", lines[0]), f"{end}: the caller: {text}")
        equal(re.sub(r"\+0x[0-9a-f]+", "", " ".join(lines[1:3])), "vmlinux`eventfd_write vmlinux`vfs_write", f"{end}: {text}")
        check(lines[1] == "vmlinux`eventfd_write", f"{end}: the function's own frame has no offset: {text}")
        check("write" in lines[5], f"{end}: the user's stack: {text}")


@scenario()
def kernel_functions_beyond_registers(world):
    """The seventh argument and those behind it are on the stack."""
    need_functions(world)
    listed = world.sonde("-lv", "-n", "fbt::do_mmap:entry").stdout
    index = re.search(r"args\[(\d)\]: .* populate$", listed, re.M)
    check(index and int(index[1]) >= 6, listed)
    program = """
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
file = os.open(sys.executable, os.O_RDONLY)
name("maps")
for n in range(9):
    libc.mmap(None, 0x3000, 1, 2, file, 0x5000)
name("done")
said = 9
"""
    result, times = traced(
        world, program, f'fbt::do_mmap:entry /execname == "maps" && args[2] == 0x3000/ {{ @[args[{int(index[1]) - 1}] == 5 && (uint64_t)args[{index[1]}] > 0xffff800000000000] = count(); }}')
    equal(rows(result.stdout), {("1",): times}, "page 5 of the file, and the address of a local variable of the kernel")


@scenario()
def kernel_functions_in_interrupts(world):
    """What the clock's interrupt calls fires in whatever thread that finds; on each CPU each entry is followed by its return."""
    need_functions(world)
    result = world.sonde("-q", "-n", 'fbt::hrtimer_interrupt:entry,fbt::hrtimer_interrupt:return { printf("%d %s\\n", cpu, probename); } tick-1s { exit(0); }')
    check("drops" not in result.stderr, result.stderr)
    cpus = {}
    for line in result.stdout.splitlines():
        if line:
            cpus.setdefault(line.split()[0], []).append(line.split()[1])
    check(sum(map(len, cpus.values())) > 20, result.stdout)
    for cpu, ends in cpus.items():
        armed = ends[max(ends.index("return") - 1, 0):] if "return" in ends else []  # entries are armed first
        equal(armed, (["entry", "return"] * len(armed))[:len(armed)], f"CPU {cpu}")


@scenario()
def kernel_functions_below_the_tracer(world):
    """Functions that a firing itself may call: each call is counted, or told as a drop; the machine lives, and so does the program."""
    functions = ("_raw_spin_lock_irqsave", "_raw_spin_unlock_irqrestore", "kfree", "__kmalloc_noprof", "__kmalloc", "irq_work_queue", "schedule", "copy_from_kernel_nofault",
                 "ktime_get_mono_fast_ns", "stack_trace_save", "unwind_next_frame", "update_curr", "try_to_wake_up", "do_exit")
    need_functions(world)
    listed = world.sonde("-l", *[word for one in functions for word in ("-n", f"fbt::{one}:entry")], status=None).stdout
    here = [one for one in functions if re.search(rf" {one} entry$", listed, re.M)]
    check(len(here) > 8, f"functions of this kernel: {here}")
    refused = []
    for one in here:
        result = world.sonde("-q", "-n", f"fbt::{one}:entry {{ @ = count(); }} tick-300ms {{ exit(0); }}", "-c", "true", status=None)
        if "lets no tracer into" in result.stderr or "allows to trace" in result.stderr:
            refused.append(one)
            continue
        equal(result.status, 0, f"{one}: {result.stderr}")
    check(len(refused) < len(here) - 6, f"refused: {refused}")


@scenario()
def kernel_functions_many(world):
    """Some thousand functions are armed at once, and let go, within the time that a person waits."""
    need_functions(world)
    listed = world.sonde("-l", "-n", "fbt:vmlinux::entry").stdout.splitlines()[1:]
    names = [line.split()[-2] for line in listed]
    letters = {letter: sum(one.startswith(letter) for one in names) for letter in "abcdefghijklmnopqrstuvwxyz"}
    letter, count = min(((letter, count) for letter, count in letters.items() if count >= 1000), key=lambda pair: pair[1])
    clause = f"fbt:vmlinux:{letter}*:entry {{ @ = count(); }} BEGIN {{ exit(0); }}"
    began = time.monotonic()
    world.sonde("-e", "-n", clause)
    compiled = time.monotonic() - began
    began = time.monotonic()
    result = world.sonde("-n", clause, status=None)
    if "more than" in result.stderr:
        raise Skip(f"this kernel takes few at once: {result.stderr}")
    equal(result.status, 0, result.stderr)
    took = time.monotonic() - began - compiled
    check(took < 4 * support.patience, f"{count} functions: armed and let go in {took:.2f} s")


@scenario()
def kernel_functions_refused(world):
    """Where functions cannot be traced they are listed, and it is said why."""
    listed = world.sonde("-lv", "-x", "source=ptrace", "-n", "fbt::vfs_read:entry", "-c", "true").stdout
    check(re.search(r"fbt +vmlinux +vfs_read entry\n(.*\n)*\tNot armed\n\t\tnothing here lets sonde into functions of the kernel: .*bpf", listed), listed)
    refused = world.sonde("-x", "source=ptrace", "-n", "fbt::vfs_read:entry", "-c", "true", status=1)
    check("probe fbt:vmlinux:vfs_read:entry cannot be armed: nothing here" in refused.stderr, refused.stderr)


@scenario()
def kernel_functions_that_let_nobody_in(world):
    need_functions(world)
    refused = world.sonde("-n", "fbt::asm_exc_int3:entry", status=1)
    check("asm_exc_int3" in refused.stderr and re.search("no tracer|allows to trace", refused.stderr), refused.stderr)


@scenario()
def kernel_functions_change_priorities(world):
    """sched:::change-pri names the thread and the priority, for each call that asks for another nice value or policy."""
    program = """
name("nicer")
for n in range(7):
    os.setpriority(os.PRIO_PROCESS, 0, n + 1)
for n in range(3):
    os.sched_setscheduler(0, os.SCHED_BATCH if n % 2 == 0 else os.SCHED_OTHER, os.sched_param(0))
name("done")
said = os.getpid()
"""
    result, pid = traced(world, program, 'sched:::change-pri /execname == "nicer"/ { @[args[1]->pr_pid, args[0]->pr_lwpid, stringof(args[1]->pr_fname), args[2]] = count(); }')
    equal(rows(result.stdout), {(str(pid), str(pid), "nicer", str(120 + n)): 1 if n < 7 else 4 for n in range(1, 8)}, "changes, and the priority asked for")


@scenario()
def kernel_functions_on_cpu(world):
    """A thread that sleeps gets its CPU back after each sleep, on kernels with the tracepoint and on those without."""
    if not os.path.exists("/dev/sonde"):
        need_it(world)
    need_on_cpu(world)
    said = 150
    text = world.path("program.py", NAMED + f"name('sleeps')\nfor n in range({said}):\n    time.sleep(0.002)\nname('done')\n")
    result = world.sonde("-q", "-c", f"{sys.executable} {text}", "-n",
                         'sched:::on-cpu,sched:::off-cpu /pid == $target && execname == "sleeps"/ { @[probename] = count(); }')
    found = rows(result.stdout)
    check(said <= found[("on-cpu",)] and abs(found[("on-cpu",)] - found[("off-cpu",)]) <= 1, f"{said} sleeps: {found}")


@scenario()
def script_of_kernel_functions(world):
    need_functions(world)
    file = world.path("words", "x" * 5000)
    result = world.sonde("-s", IN_USE / "kfuncs.d", "-c", f"cat {file}", status=None)
    if "more than" in result.stderr:
        raise Skip(f"this kernel takes few at once: {result.stderr}")
    found = rows(result.stdout)
    check(found.get(("vfs_read",), 0) >= 2 and ("vfs_open",) in found, f"functions: {result.stdout} {result.stderr}")


