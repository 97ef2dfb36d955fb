# SPDX-License-Identifier: GPL-3.0-or-later
"""Sentences of docs/ that no other test holds; each scenario names its page."""

import ctypes
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

from support import NOBODY, Skip, check, equal, patience, scenario, wait_until
from symbols import replace, start_turns

WHY_PTRACE = {"only": "ptrace", "why": "the module traces set-uid programs with their privilege (tests/kmod/users.py)"}
WHY_NO_TARGET = "no target is traced"

BIG_FUNCTION = """
    .globl main
    .type main, @function
main:
    call big
    xor %eax, %eax
    ret
    .type big, @function
big:
    .rept 1000001
    nop
    .endr
    ret
    .size big, .-big
    .section .note.GNU-stack
"""


def lines_of(result):
    return [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]


@scenario()
def exit_kills_the_program_but_not_its_children(world):
    """using.md: the program of -c is killed, its children are not."""
    pids = world.path("pids")
    script = world.path("parent.sh", f"sleep 1000 & echo $$ $! > {pids}.new; mv {pids}.new {pids}; cat {pids} > /dev/null; while :; do wait; done\n")
    # the child keeps what it inherits open, and the guard stays with it, because the filter outlives the tracing
    clause = 'syscall::openat:entry /execname == "cat"/ { exit(0); }'
    sonde = world.start_sonde("-q", "-n", clause, "-c", f"sh {script}", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    equal(sonde.wait(60 * patience), 0, "the status of sonde")
    program, child = map(int, open(pids, encoding="ascii").read().split())
    wait_until(lambda: not os.path.exists(f"/proc/{program}") or "Z" in open(f"/proc/{program}/stat", encoding="ascii").read().rpartition(")")[2][:3], what="the program's end")
    check("sleep" in open(f"/proc/{child}/comm", encoding="ascii").read(), "the child goes on")
    os.kill(child, signal.SIGKILL)


@scenario()
def times_of_lines_are_unix_time(world):
    """output.md: ts is Unix time in nanoseconds."""
    before = time.time_ns()
    lines = lines_of(world.sonde("-q", "-x", "format=jsonl", "-n", "BEGIN { trace(1); } tick-10ms { trace(2); exit(0); }"))
    after = time.time_ns()
    found = [line["ts"] for line in lines if "ts" in line]
    check(len(found) >= 2 and all(before - 10**7 <= int(ts) <= after + 10**7 for ts in found), f"{found} between {before} and {after}")


@scenario()
def the_last_line_says_why_it_ended(world):
    """output.md: the reason `signal`."""
    sonde = world.start_sonde("-q", "-x", "format=jsonl", "-n", 'BEGIN { trace("begun"); } tick-1s { }')
    check(any('"begun"' in sonde.stdout.readline() for _ in range(2)), "the first record")
    sonde.send_signal(signal.SIGINT)
    out = world.finish(sonde).stdout
    equal(json.loads(out.splitlines()[-1])["reason"], "signal", "the reason")


@scenario(**WHY_PTRACE)
def set_uid_programs_lose_their_privilege(world):
    """guard.md: as under every ordinary user's tracer."""
    if os.geteuid() != 0:
        raise Skip("needs root, to make a set-uid program")
    user = world.as_user()
    program = user.program("facts")
    os.chown(program, 0, 0)
    os.chmod(program, 0o4755)
    def ids(text):
        return tuple(int(re.search(rf"^{name} (\d+)$", text, re.M).group(1)) for name in ("uid", "euid"))
    plain = user.run([program])
    if "euid 1002" not in plain.stdout and "euid 0" not in plain.stdout:
        raise Skip(f"set-uid programs have no privilege here: {plain.stdout} {plain.stderr}")
    traced = user.sonde("-q", "-n", "syscall::getpgid:entry { @ = count(); }", "-c", program)
    equal(ids(traced.stdout), (user.user, user.user), "ids under the tracer")


@scenario(only="ptrace", why="it is about names, which are the same on each source")
def blanks_in_names_do_not_count(world):
    """pid.md: `operatornew` is `operator new`."""
    source = world.path("new.cpp", "#include <cstdio>\nstruct One { int x; };\n__attribute__((noinline)) int of(One* one, unsigned long n) { asm volatile(\"\"); return one->x + n; }\n"
                                   "int main() { One one{1}; for (int i = 0; i < 3; i++) of(&one, i); }\n")
    program = world.path("new")
    equal(world.run(["g++", "-O1", "-g", "-o", program, source]).status, 0, "the compiler")
    for name in ("of(One*, unsigned long)", "of(One*,unsignedlong)", "of( One * ,unsigned long )"):
        result = world.sonde("-q", "-n", f"pid$target:a.out:{name}:entry {{ @ = count(); }}", "-c", program)
        equal(result.stdout.split(), ["3"], name)


@scenario(only="ptrace", why=WHY_NO_TARGET)
def snapshots_come_at_multiples_of_the_interval(world):
    """output.md: on all hosts at once, whenever the run began. This one begins in the middle of a second, where snapshots that count from
    its start would all be."""
    wait_until(lambda: 400 < time.time_ns() // 10**6 % 1000 < 600, what="the middle of a second")
    lines = lines_of(world.sonde("-q", "--format=jsonl", "--interval=1s", "-n", "BEGIN { @ = count(); } tick-1s /++n == 4/ { exit(0); }"))
    late = [line["ts"] % 10**9 / 10**9 for line in lines if line["type"] == "ledger"][:-1]
    check(len(late) >= 3 and min(late) < 0.3, f"seconds behind a full second: {late}")


def clocks_error():
    """The kernel's estimate of its clock's error, in microseconds."""
    state = (ctypes.c_long * 64)()
    check(ctypes.CDLL(None).adjtimex(state) >= 0, "adjtimex()")
    return state[3]


@scenario(only="ptrace", why=WHY_NO_TARGET)
def the_first_line_names_the_boot_and_the_error_of_the_clock(world):
    """lines.schema.json: what relates the times of two hosts."""
    before = clocks_error()
    start = lines_of(world.sonde("-q", "--format=jsonl", "-n", "BEGIN { exit(0); }"))[0]
    equal(start["boot_id"], pathlib.Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip(), "boot_id")
    after = clocks_error()
    if before <= after:  # else somebody has set the clock meanwhile
        check(before * 1000 <= start["clock_error"] <= after * 1000, f"clock_error {start['clock_error']} ns, between {before} and {after} us")


@scenario(only="ptrace", why=WHY_NO_TARGET)
def the_end_of_the_input_is_a_reason(world):
    """output.md: the reason `input`."""
    sonde = world.start_sonde("-q", "--format=jsonl", "--exit-on-eof", "-n", 'BEGIN { trace("begun"); } tick-1s { }', stdin=subprocess.PIPE)
    check(any('"begun"' in sonde.stdout.readline() for _ in range(2)), "the first record")
    sonde.stdin.close()
    equal(json.loads(sonde.stdout.read().splitlines()[-1])["reason"], "input", "the reason")
    equal(sonde.wait(60 * patience), 0, "status")


def guard_of(sonde):
    """The guard's number; None: there is none yet."""
    children = pathlib.Path(f"/proc/{sonde.pid}/task/{sonde.pid}/children").read_text(encoding="ascii").split()
    return next((int(pid) for pid in children if "sonde-guard" in pathlib.Path(f"/proc/{pid}/comm").read_text(encoding="ascii")), None)


@scenario(only="ptrace", why="the module has no guard")
def the_loss_of_the_source_is_a_reason(world):
    """output.md: the reason `source`, and status 1."""
    target = world.start(["sleep", "1000"])
    sonde = world.start_sonde("-q", "--format=jsonl", "-n", 'BEGIN { trace("begun"); } syscall::getppid:entry { }', "-p", target.pid)
    check(any('"begun"' in sonde.stdout.readline() for _ in range(2)), "the first record")
    os.kill(guard_of(sonde), signal.SIGKILL)
    end = json.loads(world.finish(sonde).stdout.splitlines()[-1])
    equal((end["type"], end["reason"], end["status"]), ("end", "source", 1), "the last line")


@scenario()
def what_printa_prints_waits_without_a_limit(world):
    """output.md: records that find no room are dropped and counted; what printa() prints is not. Nobody reads until the program, which the
    last of the clauses kills, has ended."""
    times, much = 400, "w" * 900
    script = f"""BEGIN {{ n = 0; @["{much}"] = count(); }}
        syscall::getppid:entry /n < {times}/ {{ trace("{much}"); }}
        syscall::getppid:entry /n < {times}/ {{ printa(@); n++; }}
        syscall::getppid:entry /n == {times}/ {{ raise(SIGKILL); n++; }}"""
    busy = world.start([world.program("mixed"), 10**9])
    sonde = world.start_sonde("-q", "-w", "--format=jsonl", "-x", "outbufsize=64k", "-x", "strsize=1k", "-n", script, "-p", busy.pid)
    equal(busy.wait(60 * patience), -signal.SIGKILL, "the program's end")
    lines = [json.loads(line) for line in world.finish(sonde).stdout.splitlines()]
    equal(sum(line["type"] == "agg" for line in lines), times, "elements")
    records = sum(line["type"] == "record" for line in lines)
    check(0 < records < times, f"{records} of {times} records: is outbufsize without effect?")
    check(lines[-1]["output_drops"] >= times - records, f"output_drops {lines[-1]['output_drops']}, of {times} records {records} came")


@scenario(only="ptrace", why="the files are what counts, and they are the same on each source")
def more_than_a_million_instructions_are_refused(world):
    """pid.md: at once, whatever the description."""
    source, program = world.path("big.s", BIG_FUNCTION), world.path("big")
    equal(world.run(["gcc", "-o", program, source]).status, 0, "the compiler")
    result = world.sonde("-q", "-n", "pid$target:a.out:big: { @ = count(); }", "-c", program, status=1)
    check("names more than 1000000 instructions: name the function, or entry and return" in result.stderr, result.stderr)
    result = world.sonde("-q", "-n", "pid$target:a.out:big:ff { @ = count(); }", "-c", program)
    equal(result.stdout.split(), ["1"], "one instruction of it")


@scenario(only="ptrace", why="the module is root's, who reaches the file without it")
def a_capability_reaches_replaced_files(world):
    """pid.md: CAP_CHECKPOINT_RESTORE, without any other."""
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        raise Skip("needs root, to give the capability: setpriv")
    user = world.as_user()
    library, program = user.path("libc.so.6"), user.program("turns")
    shutil.copy("/lib/x86_64-linux-gnu/libc.so.6", library)
    process = start_turns(user, program, env={"LD_LIBRARY_PATH": os.path.dirname(library)})
    replace(library, user.program("frames"))
    clause = f"BEGIN {{ exit(0); }} pid{process.pid}:libc:getppid:entry {{ }}"
    drop = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    for capability, status in (([], 1), (["--inh-caps=+checkpoint_restore", "--ambient-caps=+checkpoint_restore"], 0)):
        result = world.run([*drop, *capability, user.binary, "-q", "-n", clause], cwd=user.home)
        equal(result.status, status, f"status with {capability}: {result.stderr}")
        equal("its file was replaced" in result.stderr, status == 1, f"the reason: {result.stderr}")
    process.communicate("", timeout=60 * patience)


@scenario(only="ptrace", why="the module interrupts no call")
def calls_that_always_return_eintr_keep_it(world):
    """guard.md: a call that returns EINTR eight times in a row keeps it. A filter of the program's own gives it here, and the program gets
    it as often as untraced."""
    program = world.program("always_eintr")
    plain = world.run([program]).stdout
    if not plain:
        raise Skip("no seccomp filters here")
    for clause in ("syscall:::return { @ = count(); }", "syscall::getppid:return { @ = count(); }", "syscall::geteuid:entry { @ = count(); }"):
        traced = world.sonde("-q", "-n", clause, "-c", program).stdout
        equal(traced.splitlines()[0], plain.splitlines()[0], f"what the program got under {clause}")
        process = world.start([program, "wait"], stdin=subprocess.PIPE)
        process.stdout.readline()
        sonde = world.start_sonde("-q", "-n", f"BEGIN {{ printf(\"begun\\n\"); }} {clause}", "-p", process.pid)
        equal(sonde.stdout.readline(), "begun\n", "sonde's first line")
        process.stdin.close()
        equal(process.stdout.read().splitlines()[0], plain.splitlines()[0], f"what the program got, attached to, under {clause}")
        equal(world.finish(sonde).status, 0, "status")


@scenario(only="ptrace", why="it is about the file, which is the same on each source")
def addresses_as_linked_are_of_the_program_or_of_a_path(world):
    """pid.md: `pid$target:a.out:-:ADDRESS`; of another file only where the module is its path. -lv says where in its function the address is."""
    if not shutil.which("nm"):
        raise Skip("no nm: binutils")
    program, libc = world.program("leaving"), os.path.realpath("/lib/x86_64-linux-gnu/libc.so.6")
    def address_of(name, *options):
        lines = world.run(["nm", *options]).stdout.splitlines()
        return next(int(line.split()[0], 16) for line in lines if line.split()[-1].split("@")[0] == name)
    def listed(module, address):
        return world.sonde("-lv", "-n", f"pid$target:{module}:-:{address:x}", "-c", program).stdout
    offsets = [line.split()[-1] for line in world.sonde("-l", "-n", "pid$target:a.out:main:", "-c", program).stdout.splitlines()[1:]]
    offset = [int(word, 16) for word in offsets if word not in ("entry", "return", "0")][2]
    check(f"\t\t+{offset:#x} " in listed("a.out", address_of("main", program) + offset), f"main+{offset:#x}")
    malloc = address_of("malloc", "-D", libc)
    check("\t\t+0x0 " in listed(libc, malloc), "malloc, by the path of its file")
    refused = world.sonde("-q", "-n", f"pid$target:libc.so.6:-:{malloc:x} {{ }}", "-c", program, status=1).stderr
    check("only the a.out module is valid with the '-' function" in refused, refused)
