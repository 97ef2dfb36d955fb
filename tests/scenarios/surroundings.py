# SPDX-License-Identifier: GPL-3.0-or-later
"""What the caller did not give: open descriptors 0 to 2, room (limits); and signals, which end sonde in every state."""

import itertools
import os
import pathlib
import re
import resource
import signal
import subprocess
import time

from support import at_rest, attached_to, check, equal, patience, scenario, tracer_of, wait_until

LOST = "failed to write to standard {}: Bad file descriptor"
FORMATS = ("json", "csv")
# Writes to a file which of 0 to 2 are open.
OPEN_ONES = 'exec 9> {}; for f in 0 1 2; do test -e /proc/$$/fd/$f && printf $f >&9; done; :'
COUNTS = "syscall::exit_group:entry { @ = count(); }"


def without(descriptors):
    """For Popen: closes them in the child."""
    return lambda: [os.close(fd) for fd in descriptors]


def ways(world, pid):
    """{name: (arguments, text for standard input, the stream that must get output, the text that it must get)}"""
    saved = world.path("saved")
    begin = 'BEGIN { printf("text\\n"); exit(0); }'
    found = {
        "messages": (["-n", "BEGIN { exit(0); }"], "", "output", "BEGIN"),
        "text": (["-qn", begin], "", "output", "text"),
        "fault": (["-qn", "BEGIN { trace(*(int *)0); } BEGIN { exit(0); }"], "", None, ""),
        "counts": (["-qn", COUNTS, "-c", "true"], "", "output", "1"),
        "attached": (["-qn", begin + " syscall:::entry { @ = count(); }", "-p", str(pid)], "", "output", "text"),
        "calls": (["true"], "", "error", "exit_group"),
        "summary": (["--summary", "true"], "", "error", "calls"),
        "prompt": (["--repl"], begin + "\n", None, ""),
        "list": (["-l", "-n", "BEGIN"], "", "output", "BEGIN"),
        "help": (["--help"], "", "output", "sonde"),
        "options": (["-x", "help"], "", "output", "bufsize"),
        "file": (["-qo", saved, "-n", begin], "", None, ""),
    }
    for name in FORMATS:
        found[name] = (["-x", "format=" + name, "-n", "BEGIN { @[\"key\"] = count(); exit(0); }"], "", "output", "key")
    return found


def run_closed(world, closed, arguments, text):
    given = world.path("input", text)
    with open(given) as stdin:
        return world.sonde(*arguments, seconds=20, status=None, stdin=stdin, preexec_fn=without(closed))


def check_way(world, name, way, closed):
    arguments, text, stream, wanted = way
    result = run_closed(world, closed, arguments, text)
    what = f"{name} without {closed}"
    lost = (stream == "output" and 1 in closed) or (stream == "error" and 2 in closed)
    if name not in ("fault", "prompt"):  # their texts are checked below: an empty line of output, the prompt's frame
        equal(result.status, 1 if lost else 0, f"{what}: status; {result.stderr}")
    check(result.status in (0, 1), f"{what}: status {result.status}")
    if lost and stream == "output" and 2 not in closed:
        check(LOST.format("output") in result.stderr, f"{what}: {result.stderr}")
    if stream is not None and not lost:
        check(wanted in (result.stdout if stream == "output" else result.stderr), f"{what}: {result}")
    if name == "fault" and 2 not in closed:
        check("invalid address" in result.stderr, f"{what}: {result.stderr}")
    if name == "prompt" and 0 not in closed:
        equal("text" in result.stdout, 1 not in closed, f"{what}: its output")


@scenario()
def closed_descriptors_lose_nothing_in_silence(world):
    """Each subset of 0 to 2 closed: sonde ends; output that is lost changes the status, and is reported if 2 is open."""
    target = world.start(["sleep", "1000"])
    subsets = [set(s) for n in range(4) for s in itertools.combinations((0, 1, 2), n)]
    for name, way in ways(world, target.pid).items():
        for closed in subsets:
            saved = world.path("saved", "")
            check_way(world, name, way, closed)
            if name == "file":
                equal(open(saved).read().strip(), "text", f"-o without {closed}")
    equal(tracer_of(target.pid), 0, "the target's tracer")
    equal(target.poll(), None, "the target lives")


@scenario()
def closed_descriptors_stay_closed_for_the_program(world):
    """The program finds closed what the caller closed, and a command of system() does, too."""
    for closed in (set(s) for n in range(4) for s in itertools.combinations((0, 1, 2), n)):
        still_open = "".join(str(fd) for fd in (0, 1, 2) if fd not in closed)
        for arguments in (["-qn", "syscall::nosuch*:entry { }", "-Z", "-c"], ["-qn", "pid$target::main:entry { }", "-Z", "-c"]):
            found = world.path("found", "")
            script = world.path("open-ones", "#!/bin/sh\n" + OPEN_ONES.format(found) + "\n")
            run_closed(world, closed, [*arguments, script], "")
            equal(open(found).read(), still_open, f"{arguments} without {closed}: open in the program")
        found = world.path("found", "")
        command = world.path("open-ones", "#!/bin/sh\n" + OPEN_ONES.format(found) + "\n")
        run_closed(world, closed, ["-wqn", f'BEGIN {{ system("exec {command}"); exit(0); }}'], "")
        equal(open(found).read(), still_open, f"system() without {closed}: open in the command")


def guard_of(sonde):
    return int(open(f"/proc/{sonde.pid}/task/{sonde.pid}/children").read().split()[0])


def ends_by(sonde, number, what):
    began = time.monotonic()
    sonde.send_signal(number)
    try:
        sonde.wait(20 * patience)
    except subprocess.TimeoutExpired:
        raise AssertionError(f"{what}: {signal.Signals(number).name} does not end sonde") from None
    return time.monotonic() - began


@scenario(only="ptrace", why="the guard")
def one_signal_ends_sonde_in_every_state(world):
    """While it reads its script, while it traces, and while it waits for a guard that does not answer."""
    fifo = world.path("fifo")
    os.mkfifo(fifo)
    if world.user is not None:
        os.chown(fifo, world.user, world.user)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        keeps_open = os.open(fifo, os.O_RDWR)
        sonde = world.start_sonde("-s", fifo)
        wait_until(lambda: at_rest(sonde), what="sonde reads its script")
        ends_by(sonde, number, "reads its script")
        os.close(keeps_open)

        target = world.start(["sleep", "1000"])
        sonde = world.start_sonde("-qn", "syscall:::entry { @ = count(); }", "-p", str(target.pid))
        wait_until(lambda: attached_to(sonde, target.pid) and at_rest(sonde), what="attached")
        guard = guard_of(sonde)
        os.kill(guard, signal.SIGSTOP)
        ends_by(sonde, number, "waits for the guard")
        os.kill(guard, signal.SIGCONT)
        check("sonde-guard" in sonde.stderr.read(), "it says who does not answer")
        wait_until(lambda: tracer_of(target.pid) == 0, what="the guard lets the target go")
        equal(target.poll(), None, "the target lives")
        target.kill()


def unlimited_or(value):
    return resource.RLIM_INFINITY if value is None else value


LIMITS = {
    resource.RLIMIT_FSIZE: (0, 64 << 10),
    resource.RLIMIT_STACK: (32 << 10, 64 << 10, 30_000_000 << 10, None),
    resource.RLIMIT_AS: (60 << 20, 100 << 20),
    resource.RLIMIT_DATA: (3 << 20, 10 << 20, 20 << 20),
    resource.RLIMIT_NOFILE: (5, 13, 16, 24, 32),
    resource.RLIMIT_NPROC: (1, 2, 3, 4),
    resource.RLIMIT_MEMLOCK: (0,),
}
SCRIPTS = {  # arguments, and what a run that succeeds has printed
    "local": (["-qn", "BEGIN { trace(1); exit(0); }"], r"^1$"),
    "calls": (["-qn", COUNTS, "-c", "true"], r"\d"),
    "functions": (["-qn", "pid$target:libc.so.6:exit:entry { @ = count(); }", "-c", "true"], r"^\s*1$"),
    "without a script": (["true"], r"exit_group\(0\)"),
    "ticks": (["-qn", 'tick-1ms { printf("t\\n"); exit(0); }'], r"^t$"),
    "ticks and calls": (["-qn", COUNTS + " tick-1hour { }", "-c", "true"], r"\d"),
    "a command": (["-qwn", 'BEGIN { system("echo said"); exit(0); }'], r"^said$"),
}


def check_limits(world):
    ran = 0
    for limit, values in LIMITS.items():
        for value in values:
            def limited(limit=limit, value=value):
                hard = unlimited_or(value)
                resource.setrlimit(limit, (hard, hard))
            try:
                if world.sonde("--version", status=None, preexec_fn=limited).status != 0:
                    continue  # the dynamic loader does not get that far
            except (OSError, subprocess.SubprocessError):
                continue
            for name, (arguments, shows) in SCRIPTS.items():
                result = world.sonde(*arguments, seconds=20, status=None, preexec_fn=limited)
                what = f"limit {limit} at {value}, {name}: {result}"
                check(result.status in (0, 1), what)
                check("terminate called" not in result.stderr and "has died" not in result.stderr, what)
                check(result.status == 0 or re.search(r"^sonde: ", result.stderr, re.M), what)
                if limit == resource.RLIMIT_FSIZE and result.status != 0:
                    check("ulimit -f" in result.stderr, "no word on the limit: " + what)
                complete = re.search(shows, result.stdout + result.stderr, re.M)
                check(result.status != 0 or complete or re.search(r"^sonde: ", result.stderr, re.M), "silent: " + what)
                ran += 1
    check(ran > 50, f"only {ran} runs")


@scenario()
def limits_end_in_a_message(world):
    """Whatever the limit, sonde works, or says why not and ends with status 1: never by a signal or in terminate()."""
    check_limits(world)


@scenario()
def memory_that_ends_ends_in_a_message(world):
    """Wherever it ends, from sonde's first request on: LLVM, ANTLR and exceptions without memory do not abort."""
    library, counted = world.program("no_memory", "-shared", "-fPIC"), world.path("requests")
    points = 200 if world.full else 40
    for arguments in (SCRIPTS["local"][0], SCRIPTS["calls"][0], SCRIPTS["without a script"][0]):
        world.sonde(*arguments, env={"LD_PRELOAD": library, "NO_MEMORY_COUNT": counted})
        requests = int(pathlib.Path(counted).read_text())
        check(requests > 1000, f"{requests} requests")
        for from_request in range(0, requests, requests // points):
            result = world.sonde(*arguments, seconds=20, status=None, env={"LD_PRELOAD": library, "NO_MEMORY_FROM": str(from_request)})
            what = f"memory ends at {from_request} of {requests} requests, {arguments}: {result}"
            check(result.status in (0, 1), what)
            check(result.status == 0 or re.search(r"^sonde: ", result.stderr, re.M), what)
            check("terminate called" not in result.stderr and "LLVM ERROR" not in result.stderr, what)


@scenario()
def limits_end_in_a_message_for_ordinary_users(world):
    """The same; the limit on processes is one for them only."""
    check_limits(world.as_user())


@scenario(only="ptrace", why="the module makes no process")
def a_target_beyond_the_limit_on_processes(world):
    """An ordinary user's limit leaves room for sonde, for its guard, for a thread, or not: the target runs on, untraced in the end."""
    user = world.as_user()
    for most in range(1, 7):
        program = user.start([user.program("undumpable_late")], stdin=subprocess.PIPE)
        equal(program.stdout.readline(), "ready\n", "the program")

        def limited(most=most):
            resource.setrlimit(resource.RLIMIT_NPROC, (most, most))
        result = user.sonde("-qn", "pid$target:a.out:work:entry, syscall:::entry { @ = count(); ustack(); } tick-20ms { exit(0); }", "-p", str(program.pid),
                            seconds=20, status=None, preexec_fn=limited)
        check(result.status == 0 or (result.status == 1 and re.search("^sonde: .*(cannot start|fork|Resource)", result.stderr, re.M)), f"at {most}: {result}")
        wait_until(lambda: tracer_of(program.pid) == 0, what=f"at {most}: it is let go")
        said, _ = program.communicate("\n\n\n", timeout=60 * patience)
        equal((said.splitlines()[-1], program.returncode), ("sum 60", 0), f"at {most}: the program")


@scenario()
def the_program_gets_the_limits_that_sonde_has(world):
    """A stack of 64 KiB is too small for sonde; the program has it, and no signal is ignored in it."""
    def limited():
        resource.setrlimit(resource.RLIMIT_STACK, (64 << 10, 64 << 10))
    result = world.sonde("-qn", "syscall::nosuch*:entry { }", "-Z", "-c", "sh -c 'ulimit -s; grep SigIgn /proc/self/status'",
                         preexec_fn=limited)
    equal(result.stdout.split(), ["64", "SigIgn:", "0" * 16], "its stack, its ignored signals")
