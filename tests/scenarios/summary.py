# SPDX-License-Identifier: GPL-3.0-or-later
"""--summary compared with strace -c, thousands of run-time errors, and the cost of tracing."""

import json
import re
import shutil
import signal
import time

from support import Skip, attached_to, check, equal, scenario, wait_until

ROW = re.compile(r"^ *([\d.]+) +([\d.]+) +(\d+) +(\d+) +(\d+)? *(\w+)$", re.M)


def rows(text):
    """{call: (calls, errors)} from a table in the format of strace -c."""
    return {name: (int(calls), int(errors or 0)) for _, _, _, calls, errors, name in ROW.findall(text) if name != "total"}


@scenario()
def a_summary_counts_as_strace_does(world):
    if not shutil.which("strace"):
        raise Skip("no strace: strace")
    world.path("data", "hello\n")
    command = ["cat", "data", "/nonexistent"]
    found = world.sonde("--summary", *command, status=1)
    beside = world.run(["strace", "-c", *command])
    equal(found.stdout, "hello\n", "the program's own output")
    wanted = rows(beside.stderr)
    equal(rows(found.stderr), wanted, "calls and errors")
    check("% time     seconds  usecs/call     calls    errors syscall\n" in found.stderr, "strace's columns")
    total = re.search(r"^100.00 .* (\d+) +(\d+) total$", found.stderr, re.M)
    equal((int(total[1]), int(total[2])), tuple(map(sum, zip(*wanted.values()))), "the last line")


@scenario()
def a_summary_has_the_time_of_each_call(world):
    """Seconds from entry to return, in falling order; their share; microseconds a call, cut."""
    script = "import signal\nfor n in range(3): signal.sigtimedwait([], 0.02)\n"  # time.sleep() waits for a moment, not for a time
    table = world.sonde("--summary", "/usr/bin/python3", "-S", "-E", "-B", world.path("sleep.py", script)).stderr
    *found, total = [(float(share), float(seconds), int(each), int(calls), name) for share, seconds, each, calls, _, name in ROW.findall(table)]
    sleeps = next(row for row in found if row[4] == "rt_sigtimedwait")
    check(sleeps[3] == 3 and sleeps[1] >= 0.06 and sleeps[2] >= 20000, f"the sleeps: {sleeps}")
    equal([row[4] for row in found], [row[4] for row in sorted(found, key=lambda row: -row[1])], "the order of the rows")
    for share, seconds, each, calls, name in [*found, total]:
        check(abs(seconds * 1e6 / calls - each) <= 1, f"{name}: {each} us a call, but {seconds} s of {calls} calls")
        check(abs(100 * seconds / total[1] - share) < 0.01, f"{name}: {share}% of {total[1]} s, but {seconds} s")
    check(abs(total[1] - sum(row[1] for row in found)) < 1e-6 * len(found), "the sum of the seconds")


@scenario()
def a_summary_goes_with_a_script(world):
    result = world.sonde("--summary", "-q", "-n", 'syscall::write:entry { @writes = count(); }', "-c", "echo x")
    check(re.search(r"^ +1$", result.stdout, re.M), "the script's own aggregation")
    equal(rows(result.stdout)["write"], (1, 0), "the row of write")
    check("sonde_" not in result.stdout and result.stdout.count("write") == 1, "the summary's own aggregations are not printed")


@scenario()
def many_errors_are_told_in_a_line(world):
    """A clause that fails at each of 3000 firings: one message with its place, then the number of others."""
    script = world.path("bad.d", "syscall::getppid:entry\n{\n\ttrace(*(int *)3);\n\tprintf(\"%s\", copyinstr(3));\n}\n")
    result = world.sonde("-q", "-s", script, "-c", f"{world.program('deeds')} getppid:3000")
    errors = [line for line in result.stderr.splitlines() if "error on enabled probe ID" in line]
    check(1 < len(errors) < 30, f"{len(errors)} messages of 3000 errors")
    more = sum(int(n) for n in re.findall(r"and (\d+) more like it before", result.stderr))
    equal(len(errors) + more, 3000, "errors that were told or counted")
    ledger = json.loads(world.sonde("-q", "-x", "format=jsonl", "-s", script, "-c", f"{world.program('deeds')} getppid:3000").stdout.splitlines()[-1])
    equal(ledger["faults"], 3000, "faults of the ledger")
    check("    line 3:\n    \ttrace(*(int *)3);\n    \t^~~~~~~~~~~~~~~~\n" in result.stderr, f"the place: {result.stderr}")


@scenario()
def what_tracing_costs_is_told(world):
    """A target that only makes system calls, all of them traced, for a second and a half."""
    busy = world.start(["sh", "-c", "while :; do : > /dev/null; done"])
    said, most = {}, 0
    for quiet in ([], ["-q"]):
        sonde = world.start_sonde(*quiet, "-n", "syscall:::entry { @ = count(); }", "-p", str(busy.pid))
        wait_until(lambda: attached_to(sonde, busy.pid), what="attached")
        time.sleep(1.5)  # sonde says it of runs of a second and more; it has begun before it attached
        sonde.send_signal(signal.SIGINT)
        result = world.finish(sonde)
        said[bool(quiet)], calls = result.stderr, int(result.stdout.split()[-1])
        most = calls if not quiet else most
    told = re.search(r"tracing stopped threads (\d+) times a second, and they waited for (\d+)% of the time at least\n    fewer probes", said[False])
    check("tracing stopped" not in said[True], "-q keeps silent")
    if not told:
        raise Skip(f"the guard had too little of the processor: {said[False]}")
    check(1000 < int(told[1]) < 2 * most, f"{told[1]} stops a second, of {most} calls, which stop at their entry and at their return")
    check(20 <= int(told[2]) <= 100, f"what it says: {told[0]}")
