# SPDX-License-Identifier: GPL-3.0-or-later
"""`sonde PROGRAM`, `sonde -p PID`, `sonde script.d` and `sonde -l WORD`, without -n and -s."""

import os
import pathlib
import re
import shutil
import signal

import support
from support import Skip, at_rest, attached_to, check, equal, scenario, state_of, wait_until

CALL = re.compile(r"^(?:\[pid +\d+\] |\d+ +)?(\w+)\(", re.M)


def calls(text):
    """The names of the calls in the output of strace or sonde."""
    return [name for name in CALL.findall(text) if name != "strace"]


@scenario()
def a_program_alone_shows_its_calls(world):
    """The same calls in the same order as strace prints, on standard error; the program's output is separate."""
    if not shutil.which("strace"):
        raise Skip("no strace: strace")
    world.path("data", "hello\n")
    command = ["cat", "data", "/nonexistent"]
    seen = world.sonde(*command, status=1)
    beside = world.run(["strace", *command])
    equal((seen.stdout, beside.stdout), ("hello\n", "hello\n"), "the program's own output")
    found, wanted = calls(seen.stderr), calls(beside.stderr)
    equal(found, wanted, "calls")
    check(re.search(r"^openat\(.*\) += -1 ENOENT \(No such file or directory\)$", seen.stderr, re.M), "a call that fails")
    check(re.search(r"^exit_group\(.*\) += \?$", seen.stderr, re.M), "the last call has no result")
    check(not re.search(r"matched|\n\n", seen.stderr), f"nothing else is printed: {seen.stderr}")


@scenario()
def options_of_a_program_are_its_own(world):
    for arguments, wanted in ((["echo", "-n", "-l", "x"], "-l x"), (["--", "printf", "%s", "-p"], "-p"), (["/bin/echo", "help"], "help\n"),
                              (["-q", "-x", "strsize=100", "sh", "-c", "echo $0", "-x"], "-x\n")):
        result = world.sonde(*arguments)
        equal(result.stdout, wanted, f"output of {arguments}")
        check("write" in calls(result.stderr), "its calls")


@scenario()
def threads_and_children_are_told_apart(world):
    """The first child lives when the second has ended, so the parent has lines while there are several."""
    seen = world.sonde("sh", "-c", "sleep 0.3 & /bin/true; wait; exit 3", status=3)
    lines = seen.stderr.splitlines()
    check(not lines[0].startswith("[pid "), "one process has no number")
    pids = set(re.findall(r"^\[pid (\d+)\]", seen.stderr, re.M))
    equal(len(pids), 3, "each has one, once there are several")
    child = [line for line in lines if line.startswith("[pid ") and "execve(" in line][0].split("]")[0]
    equal(calls("\n".join(line for line in lines if line.startswith(child)))[-1], "exit_group", "the child's last call")
    births = re.findall(r"^.*\b(?:clone3?|v?fork)\(.*$", seen.stderr, re.M)
    check(len(births) == 2 and not any(birth.endswith("= 0") for birth in births), f"a birth is one call, the parent's: {births}")


@scenario()
def a_process_that_sleeps_shows_its_call(world):
    """Users who attach want to know first what it waits for; the line of the call itself comes when it returns."""
    sleeper = world.start(["sleep", "100"])
    fifo = world.path("fifo")
    os.mkfifo(fifo)
    reader = world.start(["python3", "-c", f"import threading, time; threading.Thread(target=time.sleep, args=(100,), daemon=True).start(); open('{fifo}').read()"])
    writer = os.open(fifo, os.O_RDWR)
    threads = f"/proc/{reader.pid}/task"
    wait_until(lambda: len(os.listdir(threads)) == 2, what="two threads")
    for process, wanted in ((sleeper, [r"clock_nanosleep\(CLOCK_REALTIME, 0, \{tv_sec=100, tv_nsec=0\}, 0x[0-9a-f]+ <unfinished \.\.\.>"]),
                            (reader, [rf"\[pid {reader.pid}\] read\(3<{re.escape(fifo)}>, 0x[0-9a-f]+, \d+ <unfinished \.\.\.>",
                                      r"\[pid \d+\] clock_nanosleep\(CLOCK_MONOTONIC, TIMER_ABSTIME, \{tv_sec=\d+, tv_nsec=\d+\}, NULL <unfinished \.\.\.>"])):
        wait_until(lambda pid=process.pid: state_of(pid, pid) == "S", what="asleep")
        sonde = world.start_sonde("-p", str(process.pid))
        wait_until(lambda which=sonde, pid=process.pid: attached_to(which, pid) and at_rest(which), what="attached")
        sonde.send_signal(signal.SIGINT)
        lines = world.finish(sonde).stderr.splitlines()[1:]
        wanted *= 2  # at the attach, and at the interruption
        check(len(lines) == len(wanted) and all(re.fullmatch(one, line) for one, line in zip(wanted, lines)), f"{lines}")
    counting = world.start_sonde("--summary", "-p", str(sleeper.pid))
    wait_until(lambda: attached_to(counting, sleeper.pid), what="attached")
    counting.send_signal(signal.SIGINT)
    result = world.finish(counting)
    check("unfinished" not in result.stdout + result.stderr, "a summary is a table")
    os.write(writer, b"x")
    os.close(writer)


@scenario()
def ctrl_c_shows_what_a_program_waits_for(world):
    sonde = world.start_sonde("sleep", "100")

    def sleeps():
        asleep = [pid for pid, command in world.left().items() if command.startswith("sleep 100")]
        return any(pathlib.Path(f"/proc/{pid}/syscall").read_text().startswith("230 ") for pid in asleep)
    wait_until(sleeps, what="asleep")
    sonde.send_signal(signal.SIGINT)
    result = world.finish(sonde)
    equal(result.status, -signal.SIGINT, "how sonde ends")
    lines = result.stderr.splitlines()
    check(re.fullmatch(r"clock_nanosleep\(CLOCK_REALTIME, 0, \{tv_sec=100, tv_nsec=0\}, 0x[0-9a-f]+ <unfinished \.\.\.>", lines[-1]), f"{lines[-3:]}")


@scenario()
def a_process_alone_shows_its_calls(world):
    ticker = world.start([world.program("ticker"), "100000", "20000"])
    sonde = world.start_sonde("-p", str(ticker.pid))
    wait_until(lambda: attached_to(sonde, ticker.pid), what="attached")
    lines = [sonde.stderr.readline() for _ in range(5)]
    sonde.send_signal(signal.SIGINT)
    result = world.finish(sonde)
    equal(result.status, 0, "status")
    said = [line for line in lines if f"process {ticker.pid} attached" in line and "Ctrl-C" in line]  # a call may come first
    equal(len(said), 1, f"lines that say that it is there, in {lines}")
    calls = [line for line in lines if line not in said and not line.endswith(" <unfinished ...>\n")]  # where it slept at the attach
    check(len(calls) >= 3 and all(re.match(r"\w+\(.*\) += ", line) for line in calls), f"calls: {lines}")
    equal(ticker.poll(), None, "the target lives")


@scenario()
def the_first_word_may_be_a_script(world):
    world.path("count.d", "BEGIN { printf(\"script %d\\n\", $1); exit(0); }\n")
    world.path("tool", "#!/usr/sbin/dtrace -qs\nBEGIN { printf(\"tool\\n\"); exit(0); }\n")
    world.path("program", "#!/bin/sh\necho program\n")
    check("script 7" in world.sonde("-q", "count.d", "7").stdout, "a file that ends in .d")
    check("tool" in world.sonde("tool").stdout, "a file that begins with #! for dtrace")
    equal(world.sonde("./program").stdout, "program\n", "a path with / is a program")
    equal(world.sonde("program", status=1).stderr,
          "sonde: failed to execute program: No such file or directory\n    there is one in this folder: ./program\n", "a shell script")
    check("failed to execute ./count.d: Permission denied\n    a script is run by -s ./count.d\n"
          in (os.chmod(world.path("count.d"), 0o644), world.sonde("./count.d", status=1))[1].stderr, "a script by its path")
    check("Usage: sonde" in world.sonde("help").stdout, "a word of ours")


@scenario()
def words_that_are_meant_otherwise_are_explained(world):
    for arguments, said in (
            (["BEGIN { exit(0); }"], "sonde: no probes specified\n    did you mean -n 'BEGIN { exit(0); }'?\n"),
            (["-e", "BEGIN { exit(0); }"], "sonde: no probes specified\n    did you mean -n 'BEGIN { exit(0); }'?\n"),
            (["-p", "nginx"], "sonde: invalid pid: nginx\n    -p takes a number: pgrep nginx finds it\n"),
            (["FOO=1", "ls"], "sonde: failed to execute FOO=1: No such file or directory\n    no shell reads this: env FOO=1 ... sets a variable\n"),
            (["-f", "ls", "/"], "sonde: invalid probe specifier ls: probe description ::ls: does not match any probes\n    ::ls:\n    ^~~~~\n"
                                "    -f takes the name of a function; a program, with its children, is traced by: sonde PROGRAM ARGS\n"),
            (["-e", "openat", "ls"], "sonde: no probes specified\n    -e compiles what -n and -s name; the calls of a program: sonde -e trace=openat PROGRAM ARGS\n"),
            (["-s", "200", "ls"], "sonde: failed to open 200: No such file or directory\n    -s takes a script; longer strings: -x strsize=200\n"),
            (["nosuchprogram"], "sonde: failed to execute nosuchprogram: No such file or directory\n")):
        equal(world.sonde(*arguments, status=1).stderr, said, f"what {arguments} says")
    piped = world.sonde("-q", "-n", "BEGIN { exit(0); }", "-c", "echo a | cat").stderr
    check("-c starts no shell, the words all go to echo\n    for a shell: -c \"sh -c 'echo a | cat'\"" in piped, "a command for a shell")


@scenario()
def a_reader_of_the_calls_may_leave(world):
    """`sonde PROGRAM 2>&1 | head`: output on standard error also ends with its reader."""
    sonde = world.start_sonde("sh", "-c", "while :; do : > /dev/null; done")
    sonde.stderr.readline()
    sonde.stderr.close()
    equal(sonde.wait(60 * support.patience), -signal.SIGPIPE, "sonde's end")


@scenario()
def listing_takes_patterns(world):
    for words in (["syscall::*open*:entry"], ["syscall::openat:entry", "syscall::close:"]):
        options = [option for word in words for option in ("-n", word)]
        equal(world.sonde("-l", *words).stdout, world.sonde("-l", *options).stdout, f"-l {words}")
    for word, description in (("*open*", "::*open*:"), ("openat", "::openat:"), ("syscall", "syscall:::"), ("syscall:read", "syscall::read:"),
                              ("syscall:openat:entry", "syscall::openat:entry"), ("BEGIN:::", "BEGIN")):
        listed = world.sonde("-l", word).stdout
        equal(listed, world.sonde("-l", "-n", description).stdout, f"-l {word}")
        check(listed.count("\n") > 1, f"something is listed: {listed}")
    missed = world.sonde("-l", "-n", "openat")
    check("failed to match :::openat: No probe matches description" in missed.stderr, "a description with -n is one to the letter")
