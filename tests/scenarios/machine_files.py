# SPDX-License-Identifier: GPL-3.0-or-later
"""pid* without a target: every process of the machine that maps a file, by whose it is × when it came × when it maps the file ×
by what the file is named."""

import os
import re
import signal
import subprocess

from all_processes import names_of
from machine import WHOLE, start_tracing, stop_tracing
from support import check, equal, scenario, wait_until

LIBRARY = ("opened", "-shared", "-fPIC", "-O1")
COUNT = 'twice:entry { @[uid, probeprov == strjoin("pid", lltostr(pid))] = count(); } END { printa("%d %d %@d\\n", @); }'
# What a process does before tracing | what it does then, and how often it calls twice() there
EARLIER = [("await open", 1), ("await open fork open exec open", 3), ("open await open", 1), ("open await vfork open", 1)]
LATER = [("open", 1), ("vfork open", 1), ("fork exec open", 1)]


def start(world, steps):
    """Starts the opener; returns when it awaits us, if it does so."""
    opener = world.start([world.program("opener"), world.program(*LIBRARY), *steps.split()], stdin=subprocess.PIPE)
    if "await" in steps:
        equal(opener.stdout.read(1), "w", f"what {steps} says")
    return opener


def end(world, openers):
    """Lets those that wait go on. Each ends as untraced."""
    for opener in openers:
        opener.stdin.write("g")
        equal(world.finish(opener).status, 0, f"status of {opener.args[2:]}")


def count_of(result, uid):
    found = re.findall(rf"^{uid} 1 (\d+)$", result.stdout, re.M)
    return int(found[0]) if found else 0


def traced_from(world, users, module, earlier, later):
    """The calls that were counted, by user."""
    waiting = [start(user, steps) for user in users for steps, _calls in earlier]
    sonde = start_tracing(world, "-Z", "-n", f"pid*:{module}:{COUNT}")
    end(world, waiting)
    end(world, [start(user, steps) for user in users for steps, _calls in later])
    result = stop_tracing(world, sonde)
    check(" 0 " not in result.stdout, f"probeprov: {result.stdout!r}")
    return [count_of(result, user.user or 0) for user in users], result


@scenario(only="kmod", why=WHOLE)
def each_process_of_the_machine_that_maps_a_file_is_counted(world):
    """Both users' processes, which have a file each; those that come before and after the start; none maps the file yet, or some do."""
    users = [world, world.as_user()]
    names = names_of(world.program(*LIBRARY))
    for kind in ("a name", "a glob"):
        for earlier in (EARLIER[:2], EARLIER):
            found, result = traced_from(world, users, names[kind], earlier, LATER)
            calls = sum(calls for _steps, calls in earlier + LATER)
            equal(found, [calls, calls], f"by {kind}, {len(earlier)} processes before: {result.stderr!r}")


@scenario(only="kmod", why=WHOLE, short=True)
def a_path_names_the_file_of_one_user(world):
    """A module field with a / is that file in every process, mapped or not; wildcards in it are followed, too."""
    users = [world, world.as_user()]
    names = names_of(world.program(*LIBRARY))
    for kind in ("a path", "a glob of paths"):
        found, result = traced_from(world, users, names[kind], EARLIER[:2], LATER)
        calls = sum(calls for _steps, calls in EARLIER[:2] + LATER)
        equal(found, [calls, 0], f"by {kind}: {result.stderr!r}")


@scenario(only="kmod", why=WHOLE, short=True)
def programs_of_the_machine_are_counted_from_their_first_instruction(world):
    """a.out is every program; one that is started later waits at its exec, also the second time under another name."""
    sonde = start_tracing(world, "-Z", "-n", 'pid*:a.out:main:entry /execname == "opener" || execname == "another"/ '
                          '{ @[execname] = count(); } END { printa("%s %@d\\n", @); }')
    program, library = world.program("opener"), world.program(*LIBRARY)
    another = world.path("another")
    for _ in range(2):
        equal(world.run([program, library, "exec", "open"]).status, 0, "status of the opener")
    world.run(["cp", program, another])
    equal(world.run([another, library, "open"]).status, 0, "status of its copy")
    equal(sorted(stop_tracing(world, sonde).stdout.split()), ["1", "4", "another", "opener"], "calls of main")


@scenario(only="kmod", why=WHOLE)
def a_process_that_waits_for_its_probes_outlives_sonde(world):
    """It has mapped a new file, and sonde, which does not run, is killed: it goes on at once."""
    sonde = start_tracing(world, "-Z", "-n", f"pid*:{names_of(world.program(*LIBRARY))['a name']}:{COUNT}")
    sonde.send_signal(signal.SIGSTOP)
    opener = start(world, "open")
    wait_until(lambda: os.path.basename(world.program(*LIBRARY)) in maps_of(opener.pid), what="the library")
    check(opener.poll() is None, "it has not waited")
    sonde.kill()
    equal(world.finish(opener, 8).status, 0, "status of the opener")


def maps_of(pid):
    with open(f"/proc/{pid}/maps", encoding="utf-8") as file:
        return file.read()


@scenario(only="kmod", why=WHOLE)
def a_process_does_not_wait_for_ever(world):
    """Sonde may itself wait for such a process, which then goes on after 10 s, and a line says so."""
    sonde = start_tracing(world, "-Z", "-n", f"pid*:{names_of(world.program(*LIBRARY))['a name']}:{COUNT}")
    sonde.send_signal(signal.SIGSTOP)
    opener = start(world, "open")
    equal(world.finish(opener, 60).status, 0, "status of the opener")
    check(world.last.seconds > 5, f"it has waited only {world.last.seconds} s")
    sonde.send_signal(signal.SIGCONT)
    result = stop_tracing(world, sonde)
    check("1 threads that had mapped a new file went on before its probes were armed" in result.stderr, f"{result.stderr!r}")


@scenario(only="kmod", why=WHOLE, short=True)
def what_sonde_starts_itself_does_not_wait(world):
    """system() waits for its program, which maps a new file: neither waits for the other."""
    program, library = world.program("opener"), world.program(*LIBRARY)
    module = os.path.basename(library)
    result = world.sonde("-q", "-Z", "-w", "-n", f'pid*:{module}:twice:entry {{ @ = count(); }} BEGIN {{ system("{program} {library} open; echo done"); }} '
                         "tick-100ms { exit(0); }", seconds=9)
    check("done" in result.stdout, f"{result.stdout!r}")


@scenario(only="kmod", why=WHOLE, short=True)
def who_may_not_trace_all_is_told(world):
    """A member of the device's group: neither the machine's files nor those of his own program's functions."""
    user = world.as_user()
    module = os.path.basename(user.program(*LIBRARY))
    result = user.sonde("-q", "-Z", "-x", "source=kmod", "-n", f"pid*:{module}:{COUNT}", status=1)
    check("to trace every process needs CAP_SYS_PTRACE: name one of yours by -c or -p" in result.stderr, f"{result.stderr!r}")
    target = f"{user.program('opener')} {user.program(*LIBRARY)} open"
    result = user.sonde("-q", "-Z", "-x", "source=kmod", "-n", f"pid*:{module}:{COUNT}", "-c", target, status=None)
    check(result.status == 1 and "CAP_PERFMON" in result.stderr, f"status {result.status}, {result.stderr!r}")
