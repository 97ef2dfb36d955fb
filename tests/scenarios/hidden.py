# SPDX-License-Identifier: GPL-3.0-or-later
"""Children that hide from tracers."""

import pathlib
import re
import shutil
import signal
import subprocess

from support import Skip, at_rest, attached_to, check, counts, equal, patience, scenario, tracer_of, wait_until

BY_PTRACE = {"only": "ptrace", "why": "only a tracer's breakpoints and filters can harm them"}
WORK = "pid$target:a.out:work:entry"


@scenario(**BY_PTRACE)
def hidden_children_of_a_started_program(world):
    """CLONE_UNTRACED in each way: the children live, and the program finds nothing changed. Their calls are counted as those of
    the children that do not hide."""
    program = world.program("hidden")
    untraced = world.run([program]).stdout
    for probes in (WORK, "syscall::getuid:entry", WORK + ", syscall:::entry"):
        out = world.path("counts", "")
        result = world.sonde("-q", "-o", out, "-n", probes + " { @[probefunc] = count(); }", "-c", program)
        equal(result.stdout, untraced, f"what the program saw under {probes}")
        found = counts(pathlib.Path(out).read_text(encoding="utf-8"))
        if "syscall" in probes:
            equal(found.get("getuid"), 18, f"calls of the children under {probes}")


@scenario(**BY_PTRACE)
def a_debugger_under_sonde_is_told_why_it_fails(world):
    """Whatever is probed: PTRACE_TRACEME by a child, PTRACE_SEIZE and PTRACE_ATTACH of one."""
    script = ("import ctypes, os\nptrace = ctypes.CDLL(None, use_errno=True).ptrace\nuntil, done = os.pipe()\nchild = os.fork()\n"
              "if child == 0: os._exit(ptrace(0, 0, 0, 0) & 1 if HOW == 0 else os.read(until, 1) != b'.')\n"
              "print(ptrace(HOW, child, 0, 0) if HOW else -1, flush=True)\nos.write(done, b'.')\nprint(os.waitpid(child, 0)[1] >> 8)\n")
    for how, words in ((0, "the parent of process"), (16, "wants to trace process"), (0x4206, "wants to trace process")):
        file = world.path("rival.py", script.replace("HOW", str(how)))
        for clause in ("pid$target:libc*:nosuch:entry { }", "syscall::getppid:entry { }", "syscall::: { }"):
            result = world.sonde("-Z", "-q", "-n", clause, "-c", f"/usr/bin/python3 -S -I {file}", stdin=subprocess.DEVNULL)
            equal(result.stdout.split(), ["-1", "1" if how == 0 else "0"], f"{how}, {clause}: it fails")
            equal(result.stderr.count("wants to trace process"), 1, f"{how}, {clause}: {result.stderr}")
            check(words in result.stderr and "a process has one tracer only" in result.stderr, result.stderr)


@scenario(**BY_PTRACE)
def nobody_traces_in_a_circle(world):
    """Two processes that trace each other never end, not even by SIGKILL: neither side begins it."""
    file = world.path("circle.py", "import ctypes, os, sys\nptrace = ctypes.CDLL(None, use_errno=True).ptrace\n"
                                   "for how in (16, 0x4206): print(ptrace(how, os.getppid(), 0, 0), ctypes.get_errno())\n")
    for options in (["-q", "-n", "pid$target:libc*:write:entry { }", "-c"], ["-q", "-n", "syscall::getppid:entry { }", "-c"],
                    ["-q", "-n", "syscall::: { }", "-c"]):
        result = world.sonde(*options, f"/usr/bin/python3 -S -I {file}")
        equal(result.stdout.split(), ["-1", "1"] * 2, f"{options}: ptrace() of the guard")
        equal(result.stderr.count("wants to trace the guard of sonde, which traces it: refused"), 2, result.stderr)
    inner = world.sonde("-q", "-n", "proc:::exit { }", "-c", f"sh -c '{world.binary} -q -n BEGIN -p $PPID; echo status $?'", seconds=30)
    check("status 1" in inner.stdout, f"{inner}")
    check("it traces sonde itself, and two that trace each other can never end" in inner.stderr, f"{inner}")
    world.expect_nothing_left()


@scenario(**BY_PTRACE)
def a_program_that_looks_for_leaks(world):
    """LeakSanitizer traces its own process: under sonde it fails as under strace, and sonde says why."""
    if "libasan" not in subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True).stdout:
        raise Skip("no AddressSanitizer: libgcc-12-dev")
    program = world.program("hidden", "-fsanitize=address")
    plain = world.run([program], env={"ASAN_OPTIONS": "detect_leaks=0"})
    for options, leaks in (("detect_leaks=0", False), ("detect_leaks=1", True)):
        result = world.sonde("-q", "-n", WORK + " { @ = count(); }", "-c", program, env={"ASAN_OPTIONS": options})
        check(result.stdout.startswith(plain.stdout), f"{options}: the program's own lines")
        equal("LeakSanitizer does not work under ptrace" in result.stderr, leaks, f"{options}: LeakSanitizer's message")
        equal("wants to trace process" in result.stderr, leaks, f"{options}: sonde's line")
        check("CHECK failed" not in result.stderr, options)
    world.expect_nothing_left()


def attach(world, program, *options, probe=WORK):
    """Starts a program that waits for a byte, and sonde on it."""
    process = world.start([program, "wait"] if isinstance(program, str) else program, stdin=subprocess.PIPE)
    sonde = world.start_sonde("-qn", probe + " { @[probefunc] = count(); }", *options, "-p", str(process.pid))
    wait_until(lambda: attached_to(sonde, process.pid) and at_rest(sonde), what="attached")
    return process, sonde


def go_on(process):
    process.stdin.write("\n")
    process.stdin.flush()


@scenario(**BY_PTRACE)
def hidden_children_of_a_process_attached_to(world):
    """With function probes only nothing stops the calls: a breakpoint stands where their numbers are loaded. Compiled in each way
    that makes that look different; static, too."""
    for flags in ([], ["-O0"], ["-Os"], ["-static"], ["-Wl,-z,now", "-fcf-protection=none"], ["-Wl,-z,lazy"], ["-fno-plt"], ["-no-pie"]):
        program = world.program("hidden", *flags)
        untraced = world.run([program]).stdout
        process, sonde = attach(world, program)
        out, _err = process.communicate("\n", timeout=60 * patience)
        printed, told = sonde.communicate(timeout=60 * patience)
        equal(out, untraced, f"what the program saw, compiled with {flags}: {told}")
        equal(counts(printed), {"work": 181}, f"calls, those of the children too, compiled with {flags}")
        equal((sonde.returncode, told), (0, ""), f"compiled with {flags}")


@scenario(**BY_PTRACE)
def a_process_attached_to_that_looks_for_leaks(world):
    """LeakSanitizer's own message and status are those under strace; without it everything is as untraced."""
    if "libasan" not in subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True).stdout:
        raise Skip("no AddressSanitizer: libgcc-12-dev")
    program = world.program("hidden", "-fsanitize=address")
    for options in ("detect_leaks=1", "detect_leaks=0"):
        env = {"ASAN_OPTIONS": options}
        plain = world.run([program], env=env)
        if options == "detect_leaks=1" and shutil.which("strace"):
            plain = world.run(["strace", "-f", "-o", world.path("calls", ""), program], env=env)
        process = world.start([program, "wait"], env=env, stdin=subprocess.PIPE)
        sonde = world.start_sonde("-qn", WORK + " { @[probefunc] = count(); }", "-p", str(process.pid))
        wait_until(lambda: attached_to(sonde, process.pid) and at_rest(sonde), what="attached")
        out, err = process.communicate("\n", timeout=60 * patience)
        printed, told = sonde.communicate(timeout=60 * patience)
        if options == "detect_leaks=0" or shutil.which("strace"):
            equal(out, plain.stdout, f"{options}: its lines")
            equal(*(re.sub(r"==\d+==|0x\w+|\d{9,}", "", text) for text in (err, plain.stderr)), f"{options}: its messages")
            equal(process.returncode, plain.status, f"{options}: its status")
        equal("wants to trace process" in told, options == "detect_leaks=1", f"{options}: sonde's line: {told}")
        equal((sonde.returncode, counts(printed)), (0, {"work": 181}), options)
    world.expect_nothing_left()


@scenario(**BY_PTRACE)
def a_child_that_hides_unexpectedly(world):
    """Its parent takes the number of the call from a variable, which nothing sees. The first child dies of a breakpoint: told, and
    sonde ends with status 1. The second gets the program's bytes back when sonde ends, and lives."""
    process, sonde = attach(world, [world.program("hidden"), "unexpected"])
    go_on(process)
    equal(process.stdout.readline(), f"unexpected: waited status {signal.SIGTRAP.value:x}, unchanged\n", "the first child")
    equal(process.stdout.readline(), "waits\n", "the second child")
    sonde.send_signal(signal.SIGINT)
    _printed, told = sonde.communicate(timeout=60 * patience)
    check("has died of a SIGTRAP: if it was made with CLONE_UNTRACED" in told, told)
    check(re.search(r"hides from tracers \(CLONE_UNTRACED\), had \d+ breakpoints? of sonde: taken out", told), told)
    equal(sonde.returncode, 1, told)
    wait_until(lambda: tracer_of(process.pid) == 0, what="let go")
    out, _err = process.communicate(timeout=60 * patience)
    equal(out, "waiting: waited status 0, unchanged\n", "the second child's end")
