# SPDX-License-Identifier: GPL-3.0-or-later
"""Signals and process creation, compared with what the programs report."""

import re

from support import check, equal, scenario

SIGINFO = ("args[4]->si_signo, args[4]->si_code, args[4]->si_pid, args[4]->si_uid, args[4]->si_addr, "
           "args[4]->si_value.sival_ptr, args[4]->si_status, args[4]->si_fd, args[4]->si_band")
PSARGS = 80  # maximal length of a command line in psinfo


@scenario(short=True)
def siginfo_as_the_handler_sees_it(world):
    """Every layout of siginfo: sender, address, value, status, descriptor; SIGTRAPs of the kernel have a handler, too."""
    clause = (f'signal:::deliver /pid == $target/ {{ printf("deliver %d %d %d %d %x %p %d %d %d\\n", {SIGINFO}); @[args[3] != 0] = count(); }} '
              'signal:::discard /args[0] == SIGUSR1/ { printf("discard %d %d\\n", args[4]->si_value.sival_int, args[4]->si_pid == pid); } '
              'proc:::signal-discard /args[2] == SIGUSR1/ { printf("receiver %d %d %s %d\\n", args[0]->pr_lwpid == tid, '
              'args[1]->pr_pid == pid, args[1]->pr_fname, args[3]->si_value.sival_int); }')
    result = world.sonde("-q", "-n", clause, "-c", world.program("siginfo"))
    seen = [line for line in result.stdout.splitlines() if re.match(r"\d+ -?\d+ ", line)]
    found = re.findall(r"^deliver (.*)$", result.stdout, re.M)
    equal(found, seen, "siginfos")
    check(len(seen) >= 9 and [line.split()[0] for line in seen].count("5") >= 2, f"the program saw {seen}")
    check(re.search(rf"^ +1 +{len(seen)}$", result.stdout, re.M), "each has a handler")
    check("discard 5 1\n" in result.stdout and "receiver 1 1 siginfo 5\n" in result.stdout, "what is discarded")


@scenario(short=True)
def a_signal_that_kills_is_itself(world):
    """Not SIGKILL, which the kernel makes of it; the exit of the process and of its thread give the same, as numbers
    and as text."""
    clauses = ('signal:::deliver,proc:::signal-handle /pid == $target/ { printf("%s %d %s\\n", probename, args[0], argstr); } '
               'proc:::exit,proc:::lwp-exit /pid == $target/ { printf("%s %d %d %s\\n", probename, arg0 == CLD_EXITED, arg1, argstr); }')
    for number, name in ((15, "SIGTERM"), (10, "SIGUSR1")):
        lines = world.sonde("-q", "-n", clauses, "-c", f"sh -c 'kill -{number} $$'").stdout.split("\n")
        equal(sorted(line.split(" {")[0] for line in lines if line),
              sorted([f"deliver {number} {name}", f"signal-handle {number} {name}", f"lwp-exit 0 {number} killed by {name}", f"exit 0 {number} killed by {name}"]), "lines")
        check(f"{{si_signo={name}, si_code=SI_USER, " in lines[0], f"the siginfo: {lines[0]}")
    lines = world.sonde("-q", "-n", clauses, "-c", "sh -c 'exit 3'").stdout.split("\n")
    equal(sorted(filter(None, lines)), ["exit 1 3 exited with 3", "lwp-exit 1 3 exited with 3"], "a status")


@scenario(short=True)
def who_is_made(world):
    """args of create and lwp-create: the child's complete psinfo, the thread's lwpsinfo, and its process."""
    clause = ('proc:::create { printf("create %s|%d %d %d|%d %d %d %d|%d %d\\n", args[0]->pr_psargs, args[0]->pr_ppid == pid, '
              'args[0]->pr_pid, args[0]->pr_nlwp, args[0]->pr_uid, args[0]->pr_euid, args[0]->pr_gid, args[0]->pr_egid, '
              'args[0]->pr_pgid == curpsinfo->pr_pgid, args[0]->pr_argc); made = args[0]->pr_pid; } '
              'proc:::start /pid == made/ { printf("start %s|%d %d\\n", curpsinfo->pr_psargs, curpsinfo->pr_ppid == $target, curpsinfo->pr_argc); } '
              'proc:::lwp-create { printf("thread %d %s %s %d|%d %s\\n", args[0]->pr_lwpid != tid, args[0]->pr_name, '
              'args[0]->pr_clname, args[0]->pr_pri == curlwpsinfo->pr_pri, args[1]->pr_pid == pid, args[1]->pr_psargs); }')
    program = world.program("siginfo")
    result = world.sonde("-q", "-n", clause, "-c", program)
    shown = str(program)[:PSARGS]
    check(re.search(rf"^create {shown}\|1 \d+ 1\|(\d+) \1 (\d+) \2\|1 1$", result.stdout, re.M), result.stdout)
    check(f"start {shown}|1 1\n" in result.stdout, result.stdout)
    check(f"thread 1 siginfo TS 1|1 {shown}\n" in result.stdout, result.stdout)


def sends_of(world, *arguments, clause=""):
    """The sends according to the program, and according to sonde."""
    show = ('printf("send %d %d %d %d %d\\n", args[1], args[2], args[0], args[4]->si_code, args[4]->si_value.sival_int);')
    out = world.path("seen")
    result = world.sonde("-q", "-o", out, "-n", f"signal:::send {{ {show} }} {clause}", "-c", f"{world.program('sends')} {' '.join(arguments)}")
    with open(out, encoding="ascii") as file:
        seen = file.read()
    return result.stdout.splitlines(), re.findall(r"^send (.*)$", seen, re.M), seen, result.stderr


@scenario(short=True, only="ptrace", why="kmod sees what the kernel sends, too, and each receiver of a group")
def sends_by_every_call(world):
    """signal-send for kill, tkill, tgkill, the queueing calls and pidfds; failed calls and signal 0 do not count; one
    notice says what is not seen."""
    own, seen, output, messages = sends_of(world, clause='proc:::signal-send { @[args[1]->pr_pid, args[0]->pr_lwpid, args[2], args[3]->si_pid == pid] = count(); }')
    equal(seen, own, "sends")
    check(len(own) >= 13, f"only {own}")
    keys = re.findall(r"^ +(-?\d+) +(\d+) +(\d+) +1 +(\d+)$", output, re.M)
    equal(sum(int(key[3]) for key in keys), len(own), "proc:::signal-send")
    equal({f"{pid} {tid} {number}" for pid, tid, number, _ in keys}, {" ".join(line.split()[:3]) for line in own}, "receivers")
    equal(messages.count("are not (the kmod or bpf source sees them)"), 1, "the note")


@scenario(only="ptrace", why="as sends_by_every_call")
def storm_of_sends(world):
    """6,000 sends of a process to itself: each is seen once, with its value; the same with another call in the filter."""
    own, seen, *_ = sends_of(world, "3000", clause="syscall::getpid:entry { @ = count(); }")
    check(len(own) > 6000 and seen == own, f"{len(seen)} of {len(own)}")
