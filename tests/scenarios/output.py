# SPDX-License-Identifier: GPL-3.0-or-later
"""Output: a reader that exits, a full disk."""

import collections
import json
import os
import re
import signal
import subprocess
import time

import support
from support import attached_to, check, equal, scenario, tracer_of, wait_until

SOON = 0.1  # s: sonde ends this soon after its reader


def reader_leaves(world, pid, lines):
    """Reads `lines` lines of sonde's output for `pid`, closes the pipe, and waits for the end, as in `sonde -p PID |
    head`."""
    sonde = world.start_sonde("-n", "syscall:::entry { trace(probefunc); }", "-p", str(pid))
    wait_until(lambda: attached_to(sonde, pid), what="attached")
    for _ in range(lines):
        check(sonde.stdout.readline(), "a line")
    began = time.monotonic()
    sonde.stdout.close()
    sonde.wait(30 * support.patience)
    took = time.monotonic() - began
    equal(tracer_of(pid), 0, "the target's tracer")
    equal(sonde.returncode, -signal.SIGPIPE, "sonde ends as SIGPIPE ends a writer")
    said = sonde.stderr.read()
    check("write" not in said and "pipe" not in said.lower(), f"it ends in silence, not with: {said}")
    return took


@scenario()
def a_reader_that_leaves_ends_the_run(world):
    """A busy target, whose next line meets the closed pipe, and a sleeping one: nothing is written, but the end is
    noticed."""
    busy = world.start(["sh", "-c", "while :; do : > /dev/null; done"])
    quiet = world.start(["sleep", "1000"])
    times = [reader_leaves(world, process.pid, lines) for process, lines in ((busy, 3), (quiet, 0)) for _ in range(5)]
    if support.patience == 1:
        check(min(times[:5]) < SOON and min(times[5:]) < SOON, f"seconds from the reader's end to sonde's: {times}")
    for process in (busy, quiet):
        equal(process.poll(), None, "the target lives")


@scenario()
def a_command_goes_on_without_its_reader(world):
    """-c: sonde ends, the program completes its work."""
    done = world.path("done")
    script = f"i=0; while [ $i -lt 2000 ]; do : > /dev/null; i=$((i+1)); done; echo all > {done}"
    sonde = world.start_sonde("-q", "-n", 'syscall:::entry { printf("%s\\n", probefunc); }', "-c", f"sh -c '{script}'")
    check(sonde.stdout.readline(), "a line")
    sonde.stdout.close()
    equal(sonde.wait(60 * support.patience), -signal.SIGPIPE, "sonde's end")
    equal(sonde.stderr.read(), "", "what it says")
    wait_until(lambda: os.path.exists(done) and os.path.getsize(done) > 0, what="the program's end")
    world.expect_nothing_left()


@scenario()
def a_full_disk_is_told(world):
    full = "failed to write to {}: No space left on device"
    begin = "BEGIN { trace(1); exit(0); }"
    runs = [
        (["-n", begin], "standard output"),
        (["-l"], "standard output"),
        (["-l", "-n", "BEGIN"], "standard output"),
        (["--help"], "standard output"),
        (["-V"], "standard output"),
        (["-o", "/dev/full", "-n", begin], "/dev/full"),
        (["-w", "-n", 'BEGIN { freopen("/dev/full"); printf("x"); exit(0); }'], "/dev/full"),
    ]
    for arguments, name in runs:
        with open("/dev/full" if name == "standard output" else os.devnull, "w", encoding="utf-8") as device:
            result = world.sonde(*arguments, status=1, stdout=device)
        equal(result.stderr.count(full.format(name)), 1, f"the message of {arguments} in {result.stderr}")


@scenario()
def a_full_disk_ends_the_run(world):
    """When output cannot be written any more, tracing ends; the target lives."""
    busy = world.start(["sh", "-c", "while :; do : > /dev/null; done"])
    result = world.sonde("-q", "-o", "/dev/full", "-n", "syscall:::entry { trace(probefunc); } END { printf(\"end\"); }",
                         "-p", str(busy.pid), status=1, stdout=subprocess.PIPE)
    equal(result.stderr, "sonde: failed to write to /dev/full: No space left on device\n", "what it says")
    equal(tracer_of(busy.pid), 0, "the target's tracer")
    equal(busy.poll(), None, "the target lives")


@scenario()
def a_run_ends_by_itself(world):
    """--duration, and --exit-on-eof: as by Ctrl-C, with status 0, and a process of -p lives on."""
    target = world.start(["sleep", "1000"])
    result = world.sonde("-q", "-n", 'END { trace("ended"); }', "-p", str(target.pid), "--duration=300ms")
    check("ended" in result.stdout, f"END has run: {result}")
    sonde = world.start_sonde("-q", "-n", 'tick-10ms { printf("on\\n"); } END { trace("ended"); }', "-p", str(target.pid), "--exit-on-eof",
                              stdin=subprocess.PIPE)
    equal(sonde.stdout.readline(), "on\n", "the first tick")
    sonde.stdin.write("what comes is not looked at\n")
    sonde.stdin.flush()
    equal([sonde.stdout.readline() for _ in range(5)], 5 * ["on\n"], "it goes on while its input does")
    sonde.stdin.close()
    equal(sonde.wait(30 * support.patience), 0, "status")
    check("ended" in sonde.stdout.read(), "END has run")
    equal((target.poll(), tracer_of(target.pid)), (None, 0), "the target, and its tracer")


@scenario()
def snapshots_while_it_runs(world):
    """--interval prints the aggregations repeatedly, SIGUSR1 once; the values at the end are the same."""
    text = world.path("text", "")
    sonde = world.start_sonde("-q", "-n", 'BEGIN { @a["answer"] = sum(42); }', stdout=open(text, "w", encoding="utf-8"))
    wait_until(lambda: handles(sonde.pid, signal.SIGUSR1), what="its handler")
    count = lambda: open(text, encoding="utf-8").read().split().count("42")
    for wanted in (1, 2):
        sonde.send_signal(signal.SIGUSR1)
        wait_until(lambda: count() == wanted, what=f"{wanted} snapshots")
    sonde.send_signal(signal.SIGINT)
    equal((sonde.wait(30 * support.patience), count()), (0, 3), "status, and the end's")
    often = world.sonde("-q", "--format=jsonl", "--interval=200ms", "-n", 'BEGIN { @a["answer"] = sum(42); } tick-10ms /ticks++ == 100/ { exit(0); }')
    lines = [json.loads(line) for line in often.stdout.splitlines()]
    intervals = [line["ts"] // 200_000_000 for line in lines if line["type"] == "ledger"][:-1]
    check(len(intervals) >= 2 and intervals == sorted(set(intervals)), f"one in each interval that the machine had a moment for: {intervals}")


@scenario()
def other_formats_are_kept_apart_from_text(world):
    """What exists only as text is refused; without a script, lines go to standard output and messages do not."""
    for option, more in (("-v", ["-v"]), ("-S", ["-S"]), ("-S", ["-x", "verbose"]), ("-l", ["-l"])):
        result = world.sonde("--format=jsonl", *more, "-n", "BEGIN { exit(0); }", status=1)
        equal((result.stdout, result.stderr), ("", f"sonde: format=jsonl: {option} prints text\n"), f"with {more}")
    result = world.sonde("--format=jsonl", "true")
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    equal((lines[0]["type"], lines[-1]["type"]), ("start", "end"), "all of standard output")
    check(any("execve" in line.get("text", "") for line in lines), f"the calls: {lines[:3]}")
    check("execve" not in result.stderr, f"messages: {result.stderr}")


@scenario()
def writers_of_one_pipe_do_not_mix_lines(world):
    """Three runs write lines to a pipe whose reader is slow."""
    reader, writer = os.pipe()
    runs = [world.start_sonde("-q", "--format=jsonl", f"--host=h{n}", "-n", 'tick-200us { printf("%s", "some text"); } tick-500ms { exit(0); }', stdout=writer)
            for n in range(3)]
    os.close(writer)
    text = b""
    while piece := os.read(reader, 16384):
        text += piece
        time.sleep(0.002)
    os.close(reader)
    equal([run.wait(30 * support.patience) for run in runs], [0, 0, 0], "status")
    lines = [json.loads(line) for line in text.splitlines()]
    for n in range(3):
        numbers = [line["seq"] for line in lines if line["host"] == f"h{n}"]
        equal(numbers, sorted(set(numbers)), f"numbers of the lines of h{n}")


def handles(pid, number):
    """Whether a process catches that signal."""
    caught = next(line for line in open(f"/proc/{pid}/status", encoding="ascii") if line.startswith("SigCgt"))
    return int(caught.split()[1], 16) >> (number - 1) & 1


@scenario()
def the_file_of_o_is_opened_anew(world):
    """SIGHUP opens the file of -o again, for a log that was renamed. Without -o it ends the run, as usual."""
    log, old = world.path("log"), world.path("log.1")
    sonde = world.start_sonde("-q", "-o", log, "-n", 'tick-10ms { printf("%d\\n", ++ticks); }')
    wait_until(lambda: os.path.exists(log) and os.path.getsize(log) > 0, what="the first ticks")
    os.rename(log, old)
    sonde.send_signal(signal.SIGHUP)
    wait_until(lambda: os.path.exists(log) and os.path.getsize(log) > 0, what="ticks in the new file")
    equal(sonde.poll(), None, "it goes on")
    sonde.send_signal(signal.SIGINT)
    equal(sonde.wait(30 * support.patience), 0, "status")
    ticks = [int(word) for path in (old, log) for word in open(path, encoding="utf-8").read().split()]
    equal(ticks, list(range(1, len(ticks) + 1)), "none is lost, none comes twice")
    ended = world.start_sonde("-n", "BEGIN { trace(1); }")
    check(ended.stdout.readline() is not None, "begun")
    wait_until(lambda: handles(ended.pid, signal.SIGHUP), what="its handler")
    ended.send_signal(signal.SIGHUP)
    equal(ended.wait(30 * support.patience), 0, "status of SIGHUP without -o")


LOOP = 'syscall::getppid:entry /execname == "deeds"/ { printf("%s, and a good deal of text behind it\\n", probefunc); @n = count(); }'


def printed_and_dropped(world, read_before, *options):
    """Standard output of 20,000 lines with a queue of 4 KiB, read while they come or after the traced program has
    ended; and standard error."""
    done, err = world.path("done"), world.path("err", "")
    with open(err, "w", encoding="utf-8") as errors:
        sonde = world.start_sonde("-q", "-x", "outbufsize=4k", *options, "-n", LOOP, "-c",
                                  f"sh -c '{world.program('deeds')} getppid:20000; : > {done}'", stderr=errors)
        if not read_before:
            wait_until(lambda: os.path.exists(done), what="the program's end, though nobody reads")
        text = sonde.stdout.read()
        equal(sonde.wait(60 * support.patience), 0, "status")
    return text, open(err, encoding="utf-8").read()


@scenario()
def a_reader_that_sleeps_holds_up_nothing(world):
    """The program continues; each line is printed or counted as dropped; an aggregation misses nothing."""
    text, err = printed_and_dropped(world, False)
    drops = sum(int(number) for number in re.findall(r"(\d+) output drops? on CPU", err))
    equal(text.count("getppid,") + drops, 20000, "lines and drops")
    check(drops > 10000, f"drops: {drops}")
    equal(text.split()[-1], "20000", "the aggregation")
    lines = [json.loads(line) for line in printed_and_dropped(world, False, "--format=jsonl")[0].splitlines()]
    numbers = [line["seq"] for line in lines]
    equal(numbers, sorted(set(numbers)), "numbers of lines rise")
    end = lines[-1]
    equal((end["type"], end["output_drops"]), ("end", numbers[-1] - len(numbers)), "drops are the holes")
    equal(end["records"] + end["output_drops"], 20000, "lines and drops")
    equal([line["value"] for line in lines if line["type"] == "agg"], [20000], "the aggregation")


@scenario()
def deltas_add_up(world):
    """Snapshots of the changes since the last one: their sum is the total, including those of printa()."""
    script = """tick-5ms { @n[++ticks % 3] = count(); @sum = sum(ticks); @q = quantize(ticks); @least = min(ticks); }
                tick-130ms { printa(@n); } tick-5ms /ticks == 200/ { exit(0); }"""
    result = world.sonde("-q", "--format=jsonl", "--interval=100ms", "-n", script)
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    equal((lines[0]["interval"], lines[0]["temporality"]), (100_000_000, "delta"), "the first line")
    elements = [line for line in lines if line["type"] == "agg"]
    total, buckets, least = collections.Counter(), collections.Counter(), []
    for one in elements:
        if one["func"] == "quantize":
            buckets.update(dict(zip(one["bucket"], one["n"])))
        elif one["func"] == "min":
            least.append(one["value"])
        else:
            total[one["agg"]] += one["value"]
    equal((total["n"], total["sum"], sum(buckets.values()), min(least)), (200, 20100, 200, 1), "everything")
    check(len([one for one in elements if one["agg"] == "sum"]) >= 5, f"in several snapshots: {len(elements)} elements")
    starts = [one["start"] for one in elements if one["agg"] == "sum"]
    equal(starts, sorted(set(starts)), "each begins where the one before it ended")
    whole = world.sonde("-q", "--format=jsonl", "--interval=100ms", "--cumulative", "-n", script)
    last = {(one["agg"], tuple(one["keys"])): one for one in map(json.loads, whole.stdout.splitlines()) if one["type"] == "agg"}
    equal(sum(one["value"] for (agg, _), one in last.items() if agg == "n"), 200, "the latest counts")
    for interval, latest in ([], [1]), (["--interval=1h"], [1, 2]):
        script = "BEGIN { @n = count(); printa(@n); @n = count(); exit(0); }"
        text = world.sonde("-q", "--format=jsonl", "--cumulative", *interval, "-n", script).stdout
        values = [line["value"] for line in map(json.loads, text.splitlines()) if line["type"] == "agg"]
        equal(values, latest, f"what came after a printa(), {interval}")
