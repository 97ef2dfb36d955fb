# SPDX-License-Identifier: GPL-3.0-or-later
"""Sentences of docs/ that no other test holds; each scenario names its page."""

import json
import os
import re
import signal
import subprocess
import time

from support import Skip, check, equal, scenario, wait_until

WHY_PTRACE = {"only": "ptrace", "why": "the module traces set-uid programs with their privilege (tests/kmod/users.py)"}


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
    equal(sonde.wait(60), 0, "the status of sonde")
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
