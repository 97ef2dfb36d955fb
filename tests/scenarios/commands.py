# SPDX-License-Identifier: GPL-3.0-or-later
"""Real programs under -c: their results are those of an untraced run."""

import fcntl
import hashlib
import pathlib
import shutil
import signal
import subprocess
import termios
import time

import support
from support import PROGRAMS, check, equal, scenario, source_here, state_of, wait_until
from terminal import Terminal

SENDS_TOLD = ("sonde: signals are seen where traced processes send them by system calls; those of other processes and of the kernel "
              "are not (the kmod or bpf source sees them)\n")
CLAUSE = "syscall:::entry,syscall:::return,proc:::,signal::: { @[probename] = count(); }"


def traced(world, command, **more):
    """Runs the command traced, with sonde's own output in another place."""
    out = world.path("traced.out", "")
    return world.sonde("-q", "-o", out, "-n", CLAUSE, "-c", command, **more)


def without_sends_told(command, text):
    """Standard error without the notice about sends, which the ptrace source prints once."""
    equal(text.count(SENDS_TOLD), 1 if source_here() == "ptrace" else 0, f"{command}: times that sends are explained")
    return text.replace(SENDS_TOLD, "")


def same(world, command, argv):
    plain = world.run(argv)
    result = traced(world, command)
    equal((result.stdout, without_sends_told(command, result.stderr)), (plain.stdout, plain.stderr), f"output of {command}")


def digests(folder):
    return {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(pathlib.Path(folder).iterdir()) if p.is_file()}


@scenario()
def compiler_makes_the_same_program(world):
    source = world.path("hello.c", '#include <stdio.h>\nint main(void) { return puts("hello") < 0; }\n')
    binary = world.path("hello")
    world.run(["gcc", "-O2", source, "-o", binary])
    plain = pathlib.Path(binary).read_bytes()
    pathlib.Path(binary).unlink()
    result = traced(world, f"gcc -O2 {source} -o {binary}")
    equal((result.stdout, without_sends_told("gcc", result.stderr)), ("", ""), "output of gcc")
    check(pathlib.Path(binary).read_bytes() == plain, "another program")
    equal(world.run([binary]).stdout, "hello\n", "what the program says")


@scenario(seconds=600)
def make_makes_the_same_project(world):
    folder = world.path("project")
    results = []
    for run in ("plain", "traced"):
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(PROGRAMS / "small-project", folder)
        if run == "plain":
            equal(world.run(["make", "-s", "-j2", "-C", folder]).status, 0, "make")
        else:
            traced(world, f"make -s -j2 -C {folder}", seconds=240)
        results.append(digests(folder))
    equal(results[1], results[0], "files")
    check("program" in results[1], "no program was made")


@scenario()
def python_threads_and_subprocess(world):
    script = world.path("threads.py", """
import subprocess, threading, hashlib, os
results = [None] * 8
def work(n):
    text = subprocess.run(["sh", "-c", f"echo {n}; exit {n}"], stdout=subprocess.PIPE)
    results[n] = (text.stdout, text.returncode, hashlib.sha256(bytes(range(n)) * 1000).hexdigest())
threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
for t in threads: t.start()
for t in threads: t.join()
for r in results: print(*r)
""")
    same(world, f"python3 {script}", ["python3", script])


@scenario()
def python_by_a_quoted_word(world):
    code = "import threading as t; x = [t.Thread(target=print, args=(n,)) for n in range(3)]; [(a.start(), a.join()) for a in x]"
    same(world, f"python3 -c '{code}'", ["python3", "-c", code])


@scenario()
def shell_pipeline(world):
    pipeline = "seq 1 1000 | sort -rn | head -n 5 | tr 0-9 a-j; false | true; echo status $?"
    same(world, f"sh -c '{pipeline}'", ["sh", "-c", pipeline])


@scenario()
def signals_are_the_programs_own(world):
    program = world.program("signals")
    same(world, program, [program])


@scenario()
def threads_end_in_any_order(world):
    program = world.program("exits")
    same(world, program, [program])


@scenario()
def exec_from_another_thread(world):
    program = world.program("exec_thread")
    for _ in range(5):
        same(world, program, [program])
    result = world.sonde("-q", "-n", "syscall::getppid:entry { @ = count(); }", "-c", program)
    check(" 5\n" in result.stdout, "the calls after the exec are not counted")


@scenario()
def status_of_the_command_is_ignored(world):
    world.sonde("-q", "-n", "BEGIN { x = 1; }", "-c", "false", status=0)
    world.sonde("-q", "-n", "END { exit(3); }", "-c", "false", status=3)


@scenario()
def long_output_and_input(world):
    """A megabyte through a pipe; the program gets standard input."""
    text = "".join(f"line {n}\n" for n in range(100000))
    result = subprocess.run([world.binary, "-q", "-o", world.path("o"), "-n", CLAUSE, "-c", "cat"], input=text, text=True,
                            stdout=subprocess.PIPE, timeout=120 * support.patience, env=world.environment(), check=True)
    check(result.stdout == text, f"{len(result.stdout)} bytes, another text")


def last_tick(path):
    """The number of ticker.c's last tick, or 'done'."""
    try:
        words = open(path, encoding="ascii").read().split()
    except FileNotFoundError:
        return 0
    return "done" if words and words[0] == "done" else int(words[0]) if words else 0


def end_ticker(path):
    """Makes ticker.c end; returns the number of ticks."""
    open(f"{path}.end", "w", encoding="ascii").close()
    wait_until(lambda: last_tick(path) == "done", what="the end of the program")
    return int(open(path, encoding="ascii").read().split()[1])


def is_stopped(pid):
    """Whether it is stopped, by a signal or in the tracer; the guard stops a thread at a call only for moments."""
    for _ in range(10):
        if state_of(pid, pid) not in ("T", "t"):
            return False
        time.sleep(0.02)
    return True


@scenario()
def job_control(world):
    """Ctrl-Z stops the program, fg continues it, and no call is lost."""
    ticks = world.path("ticks")
    shell = Terminal(world)
    try:
        shell.send(f"{world.binary} -q -n 'syscall::getppid:entry {{ @ = count(); }}' -c '{world.program('ticker')} {ticks} 0'\n")
        wait_until(lambda: last_tick(ticks) > 10, what="the program's ticks")
        shell.send("\x1a")
        shell.expect("Stopped")
        shell.expect("ready> ")
        pid = int(open(ticks, encoding="ascii").read().split()[1])
        wait_until(lambda: is_stopped(pid), what="the program's stop")
        tick = last_tick(ticks)
        shell.send("fg\n")
        wait_until(lambda: last_tick(ticks) > tick, what="the program going on")
        shell.expect(f" {end_ticker(ticks)}\n")
        shell.expect("ready> ")
    finally:
        shell.close()


@scenario()
def ctrl_c_ends_both(world):
    """On a terminal the program gets the Ctrl-C, too, as without sonde; sonde prints, status 0."""
    ticks = world.path("ticks")
    shell = Terminal(world)
    try:
        shell.send(f"{world.binary} -q -n 'syscall::getppid:entry {{ @[execname] = count(); }}' -c '{world.program('ticker')} {ticks} 0'\n")
        wait_until(lambda: last_tick(ticks) > 10, what="the program's ticks")
        shell.send("\x03")
        shell.expect("  ticker ")
        shell.expect("ready> ")
        shell.send("echo status=$?\n")
        shell.expect("status=0\n")
    finally:
        shell.close()
    wait_until(lambda: not [c for c in world.left().values() if "ticker" in c], what="the end of the program")


@scenario()
def sigterm_prints(world):
    """SIGTERM ends tracing as Ctrl-C does: END fires, and the program that -c started ends, too."""
    ticks = world.path("ticks")
    sonde = world.start_sonde("-q", "-n", "syscall::getppid:entry { @[execname] = count(); } END { printf(\"the end\"); }",
                              "-c", f"{world.program('ticker')} {ticks} 0", stdout=open(world.path("o"), "w", encoding="utf-8"))
    wait_until(lambda: last_tick(ticks) > 10, what="the program's ticks")
    sonde.send_signal(signal.SIGTERM)
    equal(sonde.wait(timeout=120 * support.patience), 0, "exit status")
    text = open(world.path("o"), encoding="utf-8").read()
    check("the end" in text and "  ticker " in text, f"output {text!r}")
    wait_until(lambda: not world.left(), what="the end of the program")


@scenario(short=True)
def a_second_ctrl_c_ends_at_once(world):
    """After the first one END prints, which waits for a reader; a later one ends sonde without waiting. (Two within 0.3 s are one:
    timeout(1) sends two.)"""
    clause = 'BEGIN { printf("begun\\n"); } END { printf("%40000s%40000s%40000s", "a", "b", "c"); }'
    sonde = world.start_sonde("-q", "-n", clause, "-c", f"sleep {600 * support.patience}")
    equal(sonde.stdout.readline(), "begun\n", "the first line")

    def waits_for_a_reader():
        """Whether the pipe is full, and sonde asleep."""
        waiting = fcntl.ioctl(sonde.stdout.fileno(), termios.FIONREAD, b"\0" * 4)
        return int.from_bytes(waiting, "little") >= 65536 - 4096 and state_of(sonde.pid, sonde.pid) == "S"

    sonde.send_signal(signal.SIGINT)
    wait_until(waits_for_a_reader, what="the pipe to be full")

    def ends_by_another():
        sonde.send_signal(signal.SIGINT)
        return sonde.poll() is not None
    wait_until(ends_by_another, what="the end of sonde", pause=0.05)
    equal(sonde.wait(timeout=60 * support.patience), 128 + signal.SIGINT, "exit status")


@scenario()
def a_script_with_a_mistake_runs_no_program(world):
    """The program is started while the script is compiled."""
    made = world.path("made")
    for clause, words in (("syscall:::entry { trace(nosuch); }", "failed to resolve nosuch"),
                          ("syscall:::entry { trace($target + nosuch); }", "failed to resolve nosuch"),
                          ("syscall:::nosuch { }", "does not match any probes"),
                          ("BEGIN { system(\"true\"); } syscall:::entry { }", "Destructive actions not allowed")):
        result = world.sonde("-n", clause, "-c", f"touch {made}", status=1)
        check(words in result.stderr, f"{clause}: {result.stderr}")
        check(not pathlib.Path(made).exists(), f"{clause}: the program ran")
    for clause in ("syscall:::entry { }", "syscall:::entry { trace($target); }", "syscall:::entry { trace(nosuch); }"):
        result = world.sonde("-n", clause, "-c", f"{made}.nosuch", status=1)
        equal(result.stderr, f"sonde: failed to execute {made}.nosuch: No such file or directory\n", clause)


@scenario()
def the_target_is_known_where_a_script_asks(world):
    """$target in a script that could be compiled before the program exists."""
    result = world.sonde("-qn", "syscall::exit_group:entry /pid == $target/ { printf(\"%d\", $target == pid); }", "-c", "true")
    equal(result.stdout, "1\n", "output")
