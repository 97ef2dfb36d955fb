# SPDX-License-Identifier: GPL-3.0-or-later
"""Every event is counted once: system calls, functions, programs started."""

import pathlib
import re
import signal
import subprocess

from support import at_rest, attached_to, check, counts, equal, patience, scenario, state_of, wait_until

ROOM = ("-b", "32m")  # for programs that make calls without a pause: a source that does not stop them drops records if there is no room
COUNT_ALL = "syscall:::entry { @[execname, probefunc] = count(); }"


def expected(stdout):
    """The counts that calls.c reports."""
    return {name: int(n) for name, n in re.findall(r"^expect (\w+) (\d+)$", stdout, re.M)}


def check_calls(world):
    """One run of calls.c with every call counted: each count must be exact. The program execs itself."""
    out = world.path("counts.out", "")
    result = world.sonde("-q", *ROOM, "-o", out, "-n", COUNT_ALL, "-c", world.program("calls"))
    wanted = expected(result.stdout)
    equal(len(wanted), 9, "lines of the program")
    found = counts(open(out, encoding="utf-8").read())
    by_call = {}
    for (_name, call), n in found.items():
        by_call[call] = by_call.get(call, 0) + n
    equal({call: by_call.get(call, 0) for call in wanted}, wanted, "counts")


@scenario(seconds=600)
def counts_exact_ten_times(world):
    for _ in range(10):
        check_calls(world)
    world.expect_nothing_left()


@scenario(short=True)
def counts_exact_with_filter(world):
    """Only some calls are wanted: the others run at full speed, the counts stay exact. Entries equal returns."""
    result = world.sonde(
        "-q", *ROOM, "-n", "syscall::getppid:entry,syscall::getuid:entry { @e[probefunc] = count(); } "
        "syscall::getppid:return,syscall::getuid:return { @r[probefunc] = count(); }", "-c", world.program("calls"))
    lines = re.findall(r"^  (getppid|getuid)\s+(\d+)$", result.stdout, re.M)
    equal(sorted(lines), sorted([("getppid", "100000"), ("getuid", "80")] * 2), "entry and return")


@scenario()
def ls_prints_its_output_and_counts(world):
    plain = world.run(["ls", "-l", "/usr"])
    result = world.sonde("-n", COUNT_ALL, "-c", "ls -l /usr")
    check(plain.stdout in result.stdout, "ls's own output is not in sonde's")
    found = counts(result.stdout.split(plain.stdout)[1])
    check(("ls", "write") in found, f"ls writes: {found}")
    check(("ls", "statx") in found or ("ls", "newfstatat") in found, f"ls looks at files: {found}")
    check(re.search(r"matched \d+ probes$", result.stderr.strip().splitlines()[0]), "no 'matched N probes' line")


@scenario()
def read_latency_histogram(world):
    """A histogram of dd's 2,000 reads, in DTrace's format."""
    clause = ("syscall::read:entry { self->t = timestamp; } syscall::read:return /self->t/ "
              "{ @[execname] = quantize(timestamp - self->t); self->t = 0; }")
    result = world.sonde("-n", clause, "-c", "dd if=/dev/zero of=/dev/null bs=1 count=2000")
    lines = result.stdout.splitlines()
    header = f"{'value':>16s} {' ------------- Distribution ------------- ':41s}{'count':5s}    "
    where = [i for i, line in enumerate(lines) if line.rstrip() == header.rstrip()]
    equal(len(where), 1, f"header lines like {header!r}")
    equal(lines[where[0]], header, "header, blanks included")
    equal(lines[where[0] - 1].strip(), "dd", "line above the header")
    rows = [re.fullmatch(r"( {0,15}\d+) \|([@ ]{40}) (\d+) *", line) for line in lines[where[0] + 1:] if line.strip()]
    check(all(rows), "a row of another form")
    total = sum(int(row.group(3)) for row in rows)
    check(2000 <= total <= 2004, f"{total} reads")
    values = [int(row.group(1)) for row in rows]
    check(all(b == 2 * a for a, b in zip(values, values[1:]) if a), f"buckets {values}")
    equal((rows[0].group(3), rows[-1].group(3)), ("0", "0"), "counts of the first and the last row")
    check("2000+0 records in" in result.stderr, "dd's own words are missing")


@scenario()
def exec_success_of_a_script(world):
    """100 short commands of a script: 100 correct lines, in order."""
    names = ["true", "false", "echo", "expr", "basename"] * 20
    commands = {"true": "/bin/true", "false": "/bin/false", "echo": "/bin/echo x >/dev/null",
                "expr": "/usr/bin/expr 1 + 1 >/dev/null", "basename": "/usr/bin/basename /a/b >/dev/null"}
    script = world.path("script.sh", "\n".join(commands[n] for n in names) + "\n")
    result = world.sonde("-q", "-n", 'proc:::exec-success { printf("%s\\n", execname); }', "-c", f"sh {script}")
    equal(result.stdout.split(), names, "names")


@scenario(signals=True)
def malloc_exact_in_one_thread_and_four(world):
    for threads in (1, 4):
        calls = 2000
        result = world.sonde("-q", "-n", "pid$target:libc*:malloc:entry { @ = count(); }",
                             "-c", f"{world.program('mallocs')} {threads} {calls}")
        check("allocated" in result.stdout, "the program's own output is missing")
        equal(re.findall(r"^ +(\d+)$", result.stdout, re.M), [str(threads * calls)], f"{threads} threads")


@scenario(short=True, signals=True)
def malloc_arguments_and_return(world):
    result = world.sonde(
        "-q", "-n", "pid$target:libc*:malloc:entry /arg0 == 4242/ { @e = count(); } "
        "pid$target:libc*:malloc:return /arg1 != 0/ { @r = count(); }", "-c", f"{world.program('mallocs')} 4 500")
    equal(re.findall(r"^ +(\d+)$", result.stdout, re.M), ["2000", "2000"], "entry and return")


@scenario(short=True, signals=True)
def functions_of_the_executable(world):
    result = world.sonde("-q", "-n", "pid$target:a.out:one_round:entry { @e = count(); } "
                         "pid$target:a.out:one_round:return { @r = count(); }",
                         "-c", f"{world.program('worker')} {world.path('result')} 200")
    equal(re.findall(r"^ +(\d+)$", result.stdout, re.M), ["800", "800"], "entry and return")
    equal(open(world.path("result"), encoding="utf-8").read(), "right\n", "the program's result")


@scenario(short=True)
def events_are_records_plus_drops(world):
    """Nothing is lost silently: a small buffer is not read while the program makes calls; the counted events and the
    reported drops add up."""
    ready, go, done = (world.path(name) for name in ("ready", "go", "done"))
    script = world.path("calls.sh", f"echo >{ready}; read word <{go}; {world.program('mixed')} 20000; echo >{done}\n")
    world.run(["mkfifo", go])
    sonde = world.start_sonde("-q", "-b", "4k", "-n", 'syscall::getppid:entry /execname == "mixed"/ { @ = count(); }', "-c", f"sh {script}")
    wait_until(pathlib.Path(ready).exists, what="the program's start")
    sonde.send_signal(signal.SIGSTOP)
    wait_until(lambda: state_of(sonde.pid, sonde.pid) == "T", what="sonde's stop")
    pathlib.Path(go).write_text("go\n", encoding="ascii")
    wait_until(pathlib.Path(done).exists, what="the program's calls")
    sonde.send_signal(signal.SIGCONT)
    result = world.finish(sonde)
    counted = sum(int(n) for n in re.findall(r"^ +(\d+)$", result.stdout, re.M))
    dropped = sum(int(n) for n in re.findall(r"^sonde: (\d+) drops? on CPU \d+$", result.stderr, re.M))
    check(counted > 0 and dropped > 0, f"{counted} counted, {dropped} dropped: {result.stderr!r}")
    equal(counted + dropped, 20000, f"{counted} counted + {dropped} dropped")


FIRST_CALLS = ("-Z", "-q", "-n", "pid$target:*.so:PyInit_*:entry { @[probefunc] = count(); }")
OPENS = ("import decimal, json, socket, ssl, sys; "
         "print('opened', *(n for n, m in sys.modules.items() if str(getattr(m, '__file__', '')).endswith('.so')))")


def check_first_calls(printed, counted):
    """Checks the calls of the first function of each module that OPENS has opened as a library."""
    opened = re.search(r"^opened (.*)$", printed, re.M).group(1).split()
    check(len(opened) >= 3, f"python opened {opened}")
    found = dict(re.findall(r"^  PyInit_(\w+)\s+(\d+)$", counted, re.M))
    equal(found, {name.split(".")[-1]: "1" for name in opened}, "first calls")


@scenario(short=True)
def libraries_that_are_opened_later(world):
    """Python opens its modules as libraries and calls the first function of each at once: none of these calls is missed."""
    python = "/usr/bin/python3 " + world.path("opens.py", OPENS)
    for command in (python, f"sh -c 'exec {python}'"):
        result = world.sonde(*FIRST_CALLS, "-c", command)
        check_first_calls(result.stdout, result.stdout)
    world.expect_nothing_left()


@scenario(short=True)
def libraries_that_are_opened_after_attaching(world):
    """The same for a Python that runs already."""
    python = world.start(["/usr/bin/python3", "-c", "import sys; sys.stdin.readline(); " + OPENS], marked=False,
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    sonde = world.start_sonde(*FIRST_CALLS, "-p", python.pid)
    wait_until(lambda: attached_to(sonde, python.pid) and at_rest(sonde), what="attach")
    opened, _ = python.communicate("go on\n", timeout=60 * patience)
    equal(python.returncode, 0, "exit status of the program")
    check_first_calls(opened, world.finish(sonde).stdout)
    world.expect_nothing_left()


@scenario()
def every_function_of_a_library(world):
    """Some begin with an instruction that a kernel cannot probe: all others are seen, and the program works."""
    result = world.sonde("-q", "-n", "pid$target:libm.so.6::entry { @[probefunc] = count(); }",
                         "-c", "/usr/bin/python3 -c 'import math; print(math.sin(0) + 7)'")
    check("7.0\n" in result.stdout, f"the program's output: {result.stdout!r}")
    check(any("sin" in name for name in counts(result.stdout)), f"sin() is not counted: {result.stdout!r}")


@scenario(short=True)
def calls_with_bits_in_the_upper_half_of_their_number(world):
    """The kernel takes the lower half of the register: 11 calls, whether the program is started or attached to."""
    program = world.program("highbits")
    for more in ("", " syscall:::entry { @all = count(); }"):
        result = world.sonde("-q", "-n", "syscall::getppid: { @[probename] = count(); }" + more, "-c", program)
        check("right 10" in result.stdout, result.stdout)
        equal({name: counts(result.stdout).get(name) for name in ("entry", "return")}, {"entry": 11, "return": 11}, "calls of getppid")
