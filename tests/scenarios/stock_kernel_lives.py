# SPDX-License-Identifier: GPL-3.0-or-later
"""Processes, threads and signals of the whole machine without the module. The program is lives.c, whose deeds are known."""

import os
import re
import signal

from stock_kernel import SOURCE, apart, need_it, start_tracing, stop_tracing
from support import check, equal, scenario, wait_until

# of one turn of lives.c, in the processes that have its name
LIVES = {"create": 110, "start": 110, "exec": 64, "exec-success": 55, "exec-failure": 10, "exit": 111, "lwp-create": 20, "lwp-start": 130, "lwp-exit": 131}
HOOKS = {"sys_enter": "exec", "sys_exit": "exec-failure start lwp-start", "task_newtask": "create lwp-create", "sched_process_exec": "exec-success",
         "sched_process_exit": "exit lwp-exit"}
USR1, USR2, QUIT, RTMIN = (int(one) for one in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGQUIT, 34))


def table(text):
    """{the words of a line but the last: the last, a number}."""
    lines = [line.split() for line in text.splitlines() if line.strip()]
    return {tuple(words[:-1]) if len(words) > 2 else words[0]: int(words[-1]) for words in lines}


def load(world):
    """Two programs of other names that do the same over and over, until the scenario ends."""
    return [world.start([apart(world, world.program(name)), 100000]) for name in ("lives", "forks")]


@scenario(alone=True)
def stock_kernel_counts_lives(world):
    """Ten runs, each process, thread and exec counted, while others are made by other programs; auto takes the source, too."""
    need_it(world)
    name = "a-" + world.marker[:8]
    program = world.path(name)
    os.symlink(world.program("lives"), program)
    beside = world.start([world.program("lives"), 100000])
    clause = ", ".join(f"proc:::{one}" for one in LIVES) + f' /execname == "{name}"/ {{ @[probename] = count(); }}'
    for run in range(10):
        sonde = start_tracing(world, "-n", clause, source=SOURCE if run % 2 or os.path.exists("/dev/sonde") else (), hooks=len(HOOKS))
        equal(world.run([program]).status, 0, "the program's status")
        equal(table(stop_tracing(world, sonde).stdout), LIVES, f"run {run}")
    check(beside.poll() is None, "the load has ended")


@scenario()
def stock_kernel_one_probe_of_lives(world):
    """Each probe by itself: one hook for it, the same count."""
    need_it(world)
    name = "b-" + world.marker[:8]
    program = world.path(name)
    os.symlink(world.program("lives"), program)
    for probe, wanted in LIVES.items():
        sonde = start_tracing(world, "-n", f'proc:::{probe} /execname == "{name}"/ {{ @ = count(); }}')
        equal(world.run([program]).status, 0, "the program's status")
        equal(stop_tracing(world, sonde).stdout.split(), [str(wanted)], probe)


@scenario()
def stock_kernel_how_they_end(world):
    """Exit statuses, signals that kill, the errno of an exec that fails, the path of one, children by their numbers."""
    need_it(world)
    name = "c-" + world.marker[:8]
    program = world.path(name)
    os.symlink(world.program("lives"), program)
    mine = f'execname == "{name}"'
    sonde = start_tracing(
        world, "-n", f'proc:::exit /{mine}/ {{ @end[args[0], arg1] = count(); }} proc:::exec-failure /{mine}/ {{ @failed["failed", args[0], errno] = count(); }} '
        f'proc:::exec /{mine}/ {{ @path["path", stringof(args[0])] = count(); }} proc:::create /{mine}/ {{ @made["made", args[0]->pr_ppid == pid, args[0]->pr_pid > pid] = count(); }} '
        f'proc:::lwp-create /{mine}/ {{ @thread["thread", args[0]->pr_lwpid != tid, args[1]->pr_pid == pid] = count(); }} '
        f'proc:::exec-success /{mine}/ {{ @new["new", curpsinfo->pr_fname, curpsinfo->pr_pid == pid] = count(); }}', hooks=5)
    equal(world.run([program]).status, 0, "the program's status")
    found = table(stop_tracing(world, sonde).stdout)
    ends = {("1", "0"): 20 + 4 + 1, ("2", "15"): 5, ("2", "11"): 1, **{("1", str(code)): 20 for code in range(1, 5)}}
    equal({key: n for key, n in found.items() if key[0].isdigit()}, ends, "ends")
    equal(found[("failed", "2", "2")], 10, "failed execs")
    equal({key[1]: n for key, n in found.items() if key[0] == "path"}, {program: 54, "/no/such/program": 10}, "paths")
    equal(sum(n for key, n in found.items() if key[:2] == ("made", "1")), 110, "children")
    equal(found[("thread", "1", "1")], 20, "threads")
    equal(found[("new", name, "1")], 55, "programs")


@scenario()
def stock_kernel_signals(world):
    """Sends, deliveries and discards, with who, to whom and with what."""
    need_it(world)
    name = "d-" + world.marker[:8]
    program = world.path(name)
    os.symlink(world.program("lives"), program)
    mine = f'execname == "{name}"'
    sonde = start_tracing(
        world, "-n", f'signal:::send /{mine} && args[1] == pid/ {{ @s["send", args[0], args[2] == tid, args[4]->si_code, args[4]->si_pid == pid, args[4]->si_value.sival_int] = count(); }} '
        f'signal:::deliver /{mine}/ {{ @d["deliver", args[0], args[1], args[2] == pid, args[3] != 0, args[4]->si_value.sival_int] = count(); }} '
        f'signal:::discard /{mine}/ {{ @i["discard", args[0], args[4]->si_code, args[4]->si_status] = count(); }} '
        f'proc:::signal-send /{mine} && args[2] == SIGTERM/ {{ @p["proc", args[1]->pr_fname, args[1]->pr_pid != pid, args[0]->pr_lwpid == args[1]->pr_pid] = count(); }} '
        f'proc:::signal-handle /{mine} && args[0] == SIGSEGV/ {{ @a["fault", args[1]->si_addr, args[1]->si_code] = count(); }} '
        f'proc:::signal-discard /{mine} && args[2] == SIGQUIT/ {{ @q["quit", args[1]->pr_fname, args[1]->pr_pid == pid, args[3]->si_pid == pid] = count(); }}', hooks=2)
    equal(world.run([program]).status, 0, "the program's status")
    found = table(stop_tracing(world, sonde).stdout)
    me = ("1", "1")  # and 25 children end with 0: the program itself, too
    wanted = {
        ("send", str(USR1), "1", "0", "1", "0"): 10, ("send", str(USR2), "1", "-6", "1", "0"): 10, ("send", str(RTMIN), "1", "-1", "1", "42"): 10,
        ("deliver", str(USR1), "0", "1", "1", "0"): 10, ("deliver", str(USR2), "-6", "1", "1", "0"): 10, ("deliver", str(RTMIN), "-1", "1", "1", "42"): 10,
        ("send", str(QUIT), "1", "0", "1", "0"): 7, ("discard", str(QUIT), "0", "0"): 7, ("proc", name, "1", "1"): 5, ("fault", "8", "1"): 1, ("quit", name, *me): 7,
        ("send", "11", "1", "1", "0", "0"): 1, ("deliver", "11", "1", "0", "0", "0"): 1,
        ("deliver", "15", "0", "0", "0", "0"): 5,  # the kernel kills by SIGKILL; who sent the signal is not known then
       
        **{("discard", "17", "1", str(code)): 20 for code in range(1, 5)}, ("discard", "17", "1", "0"): 25, ("discard", "17", "2", "15"): 5, ("discard", "17", "2", "11"): 1}
    equal(found, wanted, "signals, and no others")


@scenario()
def stock_kernel_lives_beside_calls(world):
    """Events and system calls of one hook, and what a thread's variables hold from one to the other."""
    need_it(world)
    name = "e-" + world.marker[:8]
    program = world.path(name)
    os.symlink(world.program("lives"), program)
    mine = f'execname == "{name}"'
    sonde = start_tracing(
        world, "-n", f'syscall::execve:entry, syscall::execve:return, proc:::exec, proc:::exec-failure /{mine}/ {{ @[probeprov, probename] = count(); }} '
        f'proc:::exec /{mine}/ {{ self->wants = 1; }} proc:::exec-failure /{mine} && self->wants/ {{ @["paired", "failure"] = count(); self->wants = 0; }} '
        f'proc:::exec-success /{mine} && self->wants/ {{ @["paired", "success"] = count(); self->wants = 0; }}', hooks=3)
    if sonde.poll() is not None:
        check(re.search("keeps no self-> variables", (said := world.finish(sonde).stderr)), said)
        return
    equal(world.run([program]).status, 0, "the program's status")
    found = table(stop_tracing(world, sonde).stdout)
    equal(found, {("syscall", "entry"): 64, ("syscall", "return"): 65, ("proc", "exec"): 64, ("proc", "exec-failure"): 10, ("paired", "failure"): 10, ("paired", "success"): 54}, "pairs")
