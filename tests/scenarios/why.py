# SPDX-License-Identifier: GPL-3.0-or-later
"""sonde --why: every planted deadlock is told, with who waits for what; what only looks like one is not.

tests/programs/stuck.c comes to a standstill in many ways. A planted deadlock is looked at until it is there; a program
without one must not be told as one at any time, and says in the end why it waits.
"""

import re

from support import check, equal, scenario, wait_until

DEADLOCK = 3
HOLDS = r"which (thread|process) \d+ \(.*\) holds"

# way: what is said of those in the deadlock, each line once
DEADLOCKS = {
    "mutexes": [rf"waits for mutex 0x[0-9a-f]+ \(first\), {HOLDS}", rf"waits for mutex 0x[0-9a-f]+ \(second\), {HOLDS}"],
    "three_mutexes": [rf"waits for mutex .* \({name}\), {HOLDS}" for name in ("first", "second", "third")],
    "recursive": [rf"waits for mutex .* \({name}\), {HOLDS}" for name in ("first", "second")],
    "errorcheck": [rf"waits for mutex .* \({name}\), {HOLDS}" for name in ("first", "second")],
    "robust": [rf"waits for mutex .* \({name}\), {HOLDS}" for name in ("first", "second")],
    "inheriting": [rf"waits for priority-inheriting mutex .* \(first\), {HOLDS}", rf"waits for mutex .* \(second\), {HOLDS}"],
    "self": [r"waits for mutex .* \(first\), which it holds itself"],
    "behind": [rf"waits for mutex .* \({name}\), {HOLDS}" for name in ("first", "second")],
    "between_processes": [r"waits for mutex 0x[0-9a-f]+, which process \d+ \(.*between_processes\) holds"] * 2,
    "rwlocks": [rf"waits for read-write lock .* \({name}\), {HOLDS} for writing" for name in ("shared_lock", "other_lock")],
    "joins": [r"waits for the end of thread \d+ \(stuck\)"] * 3,
    "mutex_and_join": [r"waits for the end of thread \d+ \(stuck\)", rf"waits for mutex .* \(first\), {HOLDS}"],
    "stream": [rf"waits for the lock of the stdio stream at 0x[0-9a-f]+, {HOLDS}", rf"waits for mutex .* \(first\), {HOLDS}"],
}

# way: what is said of one of its threads
HEALTHY = {
    "owner_ended": r"waits for mutex .* \(first\), which thread \d+ holds: it has ended",
    "held_by_sleeper": rf"waits for mutex .* \(first\), {HOLDS}$",
    "timed": rf"waits for mutex .* \(second\), {HOLDS}; the wait has a time-out",
    "condition": r"waits for futex .* \(changed.*\), and who may wake it is not known: a condition variable has no owner",
    "semaphore": r"waits for futex .* \(never\), and who may wake it is not known: a semaphore has no owner",
    "sleeps": "waits for a signal",
}


def start(world, way):
    process = world.start([world.program("stuck"), way])
    equal(process.stdout.readline(), "ready\n", f"{way}: its first line")
    return process


def why(world, *pids):
    words = [word for pid in pids for word in ("-p", str(pid))]
    return world.sonde("--why", *words, status=None)


def sections(text):
    """{title: the sentences about threads below it}"""
    found = {}
    for line in text.splitlines():
        if not line.startswith(" "):
            found[line] = []
        elif re.match(r"  \S", line):
            [*found.values()][-1].append(line.strip())
    return found


def deadlocks(text):
    return {title: lines for title, lines in sections(text).items() if title.startswith("deadlock:")}


def expect_all(sentences, wanted, what):
    equal(len(sentences), len(wanted), f"{what}: threads in the deadlock: {sentences}")
    for pattern in wanted:
        check(any(re.search(pattern, sentence) for sentence in sentences), f"{what}: none is {pattern!r}: {sentences}")


def find_deadlock(world, way, wanted):
    process = start(world, way)
    wait_until(lambda: why(world, process.pid).status == DEADLOCK, what=f"{way}: a deadlock is told")
    found = deadlocks(world.last.stdout)
    equal(len(found), 1, f"{way}: deadlocks: {world.last.stdout}")
    expect_all([*found.values()][0], wanted, way)
    equal(world.last.stderr, "", f"{way}: messages")
    return process


@scenario()
def why_finds_planted_deadlocks(world):
    for way, wanted in DEADLOCKS.items():
        process = find_deadlock(world, way, wanted)
        equal(process.poll(), None, f"{way}: it is left as it was")
        equal(why(world, process.pid).status, DEADLOCK, f"{way}: looked at again")


@scenario()
def why_tells_no_deadlock_where_there_is_none(world):
    for way, wanted in HEALTHY.items():
        process = start(world, way)
        def says(process=process, way=way, wanted=wanted):
            result = why(world, process.pid)
            equal((result.status, result.stderr), (0, ""), f"{way}: {result.stdout}")
            return re.search(wanted, result.stdout, re.MULTILINE)
        wait_until(says, what=f"{way}: {wanted}")


@scenario()
def why_shows_who_waits_behind_a_deadlock_and_the_stacks(world):
    process = find_deadlock(world, "behind", DEADLOCKS["behind"])
    behind = sections(why(world, process.pid).stdout)["no end in sight: these wait for a deadlock, or for what nobody can give"]
    expect_all(behind, [rf"^thread {process.pid} .* waits for mutex .* \(first\), {HOLDS}"], "behind")
    text = world.last.stdout
    for frame in ("stuck`lock_next", "stuck`main", "libc.so.6`"):
        check(frame in text, f"no {frame} in {text}")


@scenario()
def why_says_what_it_does_not_do(world):
    sleeper = world.start(["sleep", "1000"])
    pid = str(sleeper.pid)
    for words, message in ((["--why"], "--why: -p PID names"), (["--why", "-c", "true"], "--why: it looks at processes that wait already"),
                           (["--why", "-p", pid, "-n", "BEGIN"], "--why: it traces nothing"), (["--why", "-p", pid, "more"], "--why: no word more"),
                           (["--why", "-p", pid, "--summary"], "--why: it traces nothing"), (["--why", "-p", pid, "-T"], "--why: it traces nothing"),
                           (["--why", "-p", "2147483646"], "process 2147483646 does not exist")):
        result = world.sonde(*words, status=1)
        check(message in result.stderr, f"{words}: {result.stderr}")
    output = world.path("why.txt")
    equal(world.sonde("--why", "-p", pid, "-o", output).stdout, "", "with -o, standard output")
    check("sleeps for a time" in open(output, encoding="utf-8").read(), "the file of -o")
