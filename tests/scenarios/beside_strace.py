# SPDX-License-Identifier: GPL-3.0-or-later
"""`sonde PROGRAM` compared with `strace -f -y PROGRAM`: the same lines, including those that are not calls."""

import difflib
import os
import re
import shutil

from decoded import comparable
from support import Skip, check, equal, lines_of_calls, scenario

SIGNALS = """
trap 'echo caught' USR1
kill -USR1 $$
sh -c 'exit 3'
sh -c 'kill -SEGV $$'
sh -c 'kill -TERM $$'
exit 5
"""
PYTHON = """
import os, signal, subprocess, threading, time
signal.signal(signal.SIGALRM, lambda *_: None)
signal.setitimer(signal.ITIMER_REAL, 0.05)
time.sleep(0.3)
subprocess.run(["true"])
os.system("exit 4")
"""


def threads_of(path, by_chance):
    """The lines of each thread, in the order of their numbers. strace -o begins each line with the number, sonde only
    while there are several threads; a line without a number belongs to the first."""
    lines = [(thread, text) for thread, text in lines_of_calls(path) if not text.startswith(by_chance)]
    made = {int(found[1]) for _, text in lines if (found := re.match(r"(?:clone3?|v?fork)\(.* = (\d+)$", text))}
    first = next((thread for thread, _ in lines if thread and thread not in made), 0)
    threads = {}
    for thread, text in lines:
        threads.setdefault(thread or first, []).append(masked(text))
    return [threads[thread] for thread in sorted(threads)]


def is_call(line):
    return not line.startswith(("---", "+++"))


def masked(line):
    """A line without the parts that differ between runs, and in our words where strace has others (docs/using.md)."""
    if not is_call(line):
        return re.sub(r"(si_pid|si_utime|si_stime)=\d+( /\* [0-9.]+ s \*/)?", r"\1=N", line)
    line = re.sub(r"0x[0-9a-f]+ (/\* \d+ vars? \*/)", r"\1", line)
    line = re.sub(r"\? ERESTART(SYS|NOHAND|_RESTARTBLOCK) \(.*", "-1 EINTR (Interrupted system call)", line)
    line = re.sub(r"(TIMER_ABSTIME, )\{[^}]*\}", r"\1{...}", line)
    line = re.sub(r"^getdents64\(.*", "getdents64()", line)  # entries are not counted beyond 4 KiB
    return re.sub(r" +=", " =", re.sub(r"\( +", "(", re.sub(r" +,", ",", comparable(line))))


def beside_strace(world, *command, status=0, by_chance=("getrandom(", "rt_sigreturn(")):
    """The lines that both print for each thread; fails if one prints more than the other. `by_chance`: calls whose
    number or place differs between runs: names of temporary files are random, SIGCHLD comes before or after a call."""
    if not shutil.which("strace"):
        raise Skip("no strace: strace")
    shown = []
    for name in ("strace.out", "sonde.out"):
        world.path(name, "")  # both run in the same folder
    for name, tool in (("strace.out", ["strace", "-f", "-y"]), ("sonde.out", [world.binary])):
        folder = world.path("work")
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        result = world.run([*tool, "-o", world.path(name), *command], cwd=folder)
        equal(result.status, status, f"status of {tool[0]}")
        shown.append(threads_of(world.path(name), by_chance))
    theirs, ours = shown
    equal(len(ours), len(theirs), "threads")
    for kind in (is_call, lambda line: not is_call(line)):  # after which call SIGCHLD comes is random
        for one, two in ([list(filter(kind, lines)) for lines in pair] for pair in zip(theirs, ours)):
            differing = [line for line in difflib.unified_diff(one, two, "strace", "sonde", lineterm="", n=0) if not line.startswith("@")]
            check(not differing, "lines that differ:\n    " + "\n    ".join(differing[:20]))
    print(f"  {sum(map(len, ours))} lines of {len(ours)} threads alike")
    return ours


@scenario()
def lines_of_ls(world):
    (lines,) = beside_strace(world, "ls", "/")
    check(lines[0].startswith('execve("/usr/bin/ls", ["ls", "/"], /* '), f"the first line: {lines[0]}")
    equal(lines[-2:], ["exit_group(0) = ?", "+++ exited with 0 +++"], "the last lines")


@scenario()
def lines_of_signals(world):
    """A signal with a handler, children that end by themselves and by signals; our exit status is that of the program."""
    script = world.path("signals.sh", SIGNALS)
    first, *children = beside_strace(world, "sh", script, status=5)
    sent = first.index("--- SIGUSR1 {si_signo=SIGUSR1, si_code=SI_USER, si_pid=N, si_uid=0} ---")
    check(re.match(r"kill\(N, SIGUSR1\) = ", first[sent - 1]), f"the call before the signal: {first[sent - 1]}")
    equal([lines[-1] for lines in children], ["+++ exited with 3 +++", "+++ killed by SIGSEGV +++", "+++ killed by SIGTERM +++"], "ends")
    how = [re.search(r"si_code=(\w+).*si_status=(\w+)", line) for line in first if line.startswith("--- SIGCHLD")]
    equal([found.groups() for found in how], [("CLD_EXITED", "3"), ("CLD_KILLED", "SIGSEGV"), ("CLD_KILLED", "SIGTERM")], "what SIGCHLD tells")


@scenario()
def lines_of_tar(world):
    os.makedirs(world.path("tree"))
    for i in range(5):
        world.path(f"tree/{i}", "x" * i)
    beside_strace(world, "tar", "czf", "archive.tar.gz", "-C", world.path("tree"), ".")


@scenario()
def lines_of_gcc(world):
    source = world.path("a.c", "#include <stdio.h>\nint main(void) { puts(\"hi\"); }\n")
    beside_strace(world, "gcc", "-O1", source, "-o", "a.out")


@scenario()
def lines_of_python(world):
    script = world.path("script.py", PYTHON)
    lines = beside_strace(world, "/usr/bin/python3", "-S", "-E", "-B", script, by_chance=("mmap(NULL,", "munmap(", "brk("))[0]  # random hashes
    came = lines.index("--- SIGALRM {si_signo=SIGALRM, si_code=SI_KERNEL} ---")
    equal([lines[i].split("(")[0] for i in (came - 1, came + 1)], ["clock_nanosleep", "rt_sigreturn"], "the calls around the timer's signal")
    check(lines[came - 1].endswith("= -1 EINTR (Interrupted system call)"), f"the call that it interrupts: {lines[came - 1]}")


@scenario()
def ends_as_the_program_ends(world):
    """Without a script sonde's status is that of the program, even if a signal has killed it; with one it is that of
    the script."""
    go = world.path("go")
    first = ["-c", f"sh -c 'while [ ! -e {go} ]; do sleep 0.01; done; exit 3'", "-c", f"sh -c ': > {go}; exit 4'"]  # the second ends first
    last = ["-c", f"sh -c ': > {go}; exit 3'", "-c", f"sh -c 'while [ ! -e {go} ]; do sleep 0.01; done; exit 4'"]
    for programs in (first, last):
        equal(world.sonde(*programs, status=None).status, 3, "of two programs, the first one's status")
        os.unlink(go)
    for command, wanted in ((["sh", "-c", "exit 3"], 3), (["sh", "-c", "kill -TERM $$"], -15), (["-p", str(os.getpid()), "-n", "BEGIN { exit(2); }"], 2),
                            (["--summary", "false"], 1), (["-c", "false"], 1), (["-n", "syscall::read:entry { n++; }", "-c", "false"], 0)):
        equal(world.sonde(*command, status=None).status, wanted, f"status of sonde {' '.join(command)}")
