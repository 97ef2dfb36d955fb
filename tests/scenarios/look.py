# SPDX-License-Identifier: GPL-3.0-or-later
"""What only a person at a terminal sees: colour, places of errors. A pipe, TERM=dumb and NO_COLOR get plain text."""

import fcntl
import json
import os
import re
import select
import struct
import termios
import time

import support
from support import check, equal, scenario

PLAIN = [{"TERM": "dumb"}, {"TERM": ""}, {"TERM": "xterm", "NO_COLOR": "1"}]
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def on_terminal(world, *words, env=None, seconds=60, stdout=None):
    """What sonde writes to a terminal that is its standard input, output and error; `stdout`: its output goes there instead."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    process = world.start([world.binary, *words], stdin=theirs, stdout=theirs if stdout is None else stdout, stderr=theirs, env={"TERM": "xterm"} | (env or {}))
    os.close(theirs)
    text, end = b"", time.monotonic() + seconds * support.patience
    while True:
        check(time.monotonic() < end, f"{words} did not end: {text!r}")
        if select.select([ours], [], [], 0.1)[0]:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # all who had the terminal have gone
                break
            text += piece
    os.close(ours)
    process.wait()
    return text.decode(errors="replace").replace("\r\n", "\n")


def plain_as_in_a_pipe(world, *words, changes=lambda text: text):
    """The text on each plain terminal is that of a pipe, byte for byte but for what `changes` makes equal."""
    piped = world.run([world.binary, *words], env={"TERM": "xterm"})
    for env in PLAIN:
        equal(changes(on_terminal(world, *words, env=env)), changes(piped.stdout + piped.stderr), f"{words} with {env}")
    check("\x1b" not in piped.stdout + piped.stderr, "a pipe gets colour")


@scenario()
def errors_name_their_place_on_a_terminal(world):
    script = world.path("t.d", "BEGIN\n{\n\ttrace(nosuch);\n}\n")
    plain_as_in_a_pipe(world, "-s", script)
    plain_as_in_a_pipe(world, "-p", "0")
    text = on_terminal(world, "-s", script)
    check(COLOUR.search(text), f"no colour: {text!r}")
    lines = COLOUR.sub("", text).splitlines()
    check(lines[0].startswith(f"{script}:3:8: error: ") and "nosuch" in lines[0], text)
    equal(lines[1:3], ["    \ttrace(nosuch);", "    \t      ^~~~~~"], "the excerpt")
    red = re.search(r"\x1b\[1;31msonde:\x1b\[0m invalid pid", on_terminal(world, "-p", "0"))
    check(red, "an error of the command line is not marked")


@scenario()
def errors_of_clauses_have_the_number_of_the_clause(world):
    words = ["-n", "BEGIN { trace(1); } END { trace(2); }", "-n", 'tick-1s { exit("x"); }', "-e"]
    said = world.sonde("-x", "diagnostics=place", *words, status=1).stderr
    check(said.startswith("clause 3:1:16: error: "), said)
    said = world.sonde("--diagnostics=place", "-e", "-n", 'BEGIN { trace("}"); } END { nosuch; }', status=1).stderr
    check(said.startswith("clause 2:1:29: error: "), said)


@scenario()
def errors_for_editors_are_objects(world):
    script = world.path("t.d", "syscall::opn:entry { @ = count(); }\nBEGIN { trace(nosuch); }\n# 70 \"other.d\"\nBEGIN { \"a\" + 1; }\n")
    result = world.sonde("--diagnostics=json", "-e", "-s", script, status=1)
    equal(result.stdout, "", "output")
    found = [json.loads(line) for line in result.stderr.splitlines()]
    for one in found:
        check({"file", "line", "column", "end", "severity", "message"} <= set(one), str(one))
        check(one["end"] > one["column"] >= 1, str(one))
    equal([(one["severity"], one["file"], one["line"]) for one in found], [("warning", "other.d", 70), ("error", script, 1), ("error", script, 2)], "places")
    check("did you mean" in " ".join(one.get("hint", "") for one in found), str(found))
    text = 'BEGIN { trace(nosuch); }'
    one = json.loads(world.sonde("--diagnostics=json", "-e", "-n", text, status=1).stderr)
    equal((one["clause"], one["line"], text[one["column"] - 1:one["end"] - 1]), (1, 1, "nosuch"), "place")
    for words in (["-e", "-s", "/nonexistent.d"], ["-p", "0", "-n", "BEGIN"], ["-x", "nosuch"], ["--nosuch"], ["-x", "source=ptrace", "-n", "syscall:::entry"]):
        lines = world.sonde("--diagnostics=json", *words, status=None).stderr.splitlines()
        check(lines and all(json.loads(line)["severity"] in ("error", "note") for line in lines), str(lines))


@scenario()
def the_list_of_calls_has_colour_on_a_terminal(world):
    missing = world.path("missing")
    # The program's own line, which may come before or behind a call's, goes to /dev/null.
    words = ["--trace=openat", "sh", "-c", 'exec 2>/dev/null; exec cat "$0"', missing]
    plain_as_in_a_pipe(world, *words)
    text = on_terminal(world, *words)
    equal(COLOUR.sub("", text), on_terminal(world, *words, env=PLAIN[0]), "the text without its colours")
    line = next(line for line in text.splitlines() if missing in line and "openat" in line)
    check("\x1b[1mopenat\x1b[0m(" in line, f"the call's name: {line!r}")
    check("= \x1b[31m-1 ENOENT (No such file or directory)\x1b[0m" in line, f"a failed result: {line!r}")
    check(all("\x1b[31m" not in line for line in text.splitlines() if "ENOENT" not in line), "a result that is no failure")
    threads = on_terminal(world, "-e", "trace=exit_group", "sh", "-c", "/bin/true; exit 3")
    check(re.search(r"\x1b\[36m\[pid \d+\] \x1b\[0m\x1b\[1mexit_group\x1b\[0m\(0\) += \?", threads), f"the thread: {threads!r}")
    file = world.path("calls.txt")
    on_terminal(world, "-o", file, *words)
    with open(file, encoding="utf-8") as lines:
        check("\x1b" not in lines.read(), "a file gets colour")


@scenario()
def times_and_sizes_have_units_on_a_terminal(world):
    words = ["-T", "--trace=read,nanosleep,clock_nanosleep", "sh", "-c", "dd if=/dev/zero of=/dev/null bs=1M count=1 status=none; sleep 0.02"]
    text = COLOUR.sub("", on_terminal(world, *words))
    check(re.search(r"1048576 /\* 1\.00 MiB \*/\) = 1048576 /\* 1\.00 MiB \*/ <[\d.]+ [nmu]s>$", text, re.M), text)
    check(re.search(r"= 0 <(2\d\.\d|\d\d\.\d|\d{3}) ms>$", text, re.M), text)
    raw = [on_terminal(world, "-x", "units=raw", *words), world.sonde(*words).stderr, *(on_terminal(world, *words, env=env) for env in PLAIN)]
    for one in raw:
        one = COLOUR.sub("", one)
        check(re.search(r"1048576\) += 1048576 <0\.\d{6}>$", one, re.M) and "MiB" not in one, one)
    text = on_terminal(world, "--summary", "-c", "sleep 0.02")
    check(re.search(r"^% time +time +time/call +calls +errors syscall$", text, re.M) and re.search(r"^ *[\d.]+ +[\d.]+ ms +[\d.]+ ms +1 +clock_nanosleep$", text, re.M), text)
    script = ["-q", "-n", 'syscall::read:return /arg1 == 1048576/ { printf("%d %s\\n", arg1, retstr); exit(0); }', "-c", "dd if=/dev/zero of=/dev/null bs=1M count=1 status=none"]
    equal(on_terminal(world, *script), "1048576 1048576\n\n", "what printf() prints has no unit")


@scenario()
def calls_are_a_tree_on_a_terminal(world):
    def masked(text):
        return re.sub(r"^ *\d+ ", "", text, flags=re.M)

    words = ["-F", "-n", "syscall::clock_nanosleep:,syscall::exit_group:entry {}", "-c", "sleep 0.02"]
    plain_as_in_a_pipe(world, "-q", *words, changes=masked)
    text = on_terminal(world, *words)
    check(re.search(r"^CPU FUNCTION +TIME$", text, re.M), text)
    check(re.search(r"^ +\d+ +=> clock_nanosleep *\n +\d+ +<= clock_nanosleep +[\d.]+ ms *$", text, re.M), text)
    nested = on_terminal(world, "-F", "-n", "pid$target:nested:outer:entry,pid$target:nested:inner:entry,pid$target:nested:inner:return,pid$target:nested:outer:return {}",
                         "-c", world.program("nested"))
    check("\x1b[2m| \x1b[0m -> inner" in nested, nested)


@scenario()
def short_calls_are_left_out(world):
    probes = "pid$target:nested:outer:entry,pid$target:nested:inner:entry,pid$target:nested:inner:return,pid$target:nested:outer:return {}"
    command = ["-c", world.program("nested")]
    everything = world.sonde("-F", "-q", "-n", probes, *command).stdout
    some = world.sonde("-F", "-q", "--min-time=20ms", "-n", probes, *command).stdout
    arrows = [" ".join(line.split()[1:]) for line in everything.splitlines() if line.split()]
    equal(arrows, ["-> outer", "-> inner", "<- inner", "-> inner", "<- inner", "<- outer"], "all calls")
    arrows = [" ".join(line.split()[1:]) for line in some.splitlines() if line.split()]
    equal(arrows, ["-> outer", "-> inner", "<- inner", "<- outer"], "those that took 20 ms")
    equal(world.sonde("-F", "-q", "--min-time=1h", "-n", probes, *command).stdout.split(), [], "those that took an hour")
    check("add -F" in world.sonde("--min-time=1s", "-n", "BEGIN", status=1).stderr, "a tree is needed")


@scenario()
def doubtful_scripts_run_and_are_warned_of(world):
    text = 'int x; BEGIN /x = 1/ { exit(0); }'
    said = world.sonde("-q", "-n", text).stderr
    check(said.startswith("sonde: clause 1:1:15: warning: an assignment as a condition"), said)
    one = json.loads(world.sonde("-q", "--diagnostics=json", "-n", text).stderr)
    equal((one["severity"], one["line"], one["column"], one["end"]), ("warning", 1, 15, 20), "as an object")
    check("\x1b[1;35mwarning:\x1b[0m" in on_terminal(world, "-q", "-n", text), "a terminal paints it")
    equal(world.sonde("-q", "-n", "int x; BEGIN /(x = 1) == 1 && x++/ { exit(0); }").stderr, "", "what is compared, and x++")


@scenario()
def long_lists_have_a_pager_on_a_terminal(world):
    pager = world.path("pager", "#!/bin/sh\necho paged\nhead -2\n")
    probes = ["-l", "-n", "syscall:::"]
    plain = world.sonde(*probes).stdout
    shown = on_terminal(world, *probes, env={"PAGER": pager})
    equal(shown.splitlines()[:2], ["paged", plain.splitlines()[0]], "the pager's output, which ends early")
    check(len(shown.splitlines()) < 5, "printed a second time")
    for env in ({"PAGER": "/nonexistent/pager"}, {"PAGER": ""}, {"PAGER": "cat"}, *({"PAGER": pager} | env for env in PLAIN)):
        shown = on_terminal(world, *probes, env=env)
        equal(shown[shown.index("   ID"):], on_terminal(world, *probes, env={"PAGER": "", "TERM": "dumb"}), f"without a pager: {env}")
    equal(world.run([world.binary, *probes], env={"PAGER": pager, "TERM": "xterm"}).stdout, plain, "a pipe")
    check(on_terminal(world, "--help", env={"PAGER": pager}).startswith("paged\nUsage:"), "help")
    check(on_terminal(world, "-V", env={"PAGER": pager}).startswith("sonde: Sonde"), "one line needs no pager")


@scenario()
def slow_work_shows_progress_and_takes_it_away(world):
    words = ["-n", "pid$target:::entry { @ = count(); }", "-c", "/bin/true"]
    piped = world.sonde(*words).stderr
    check("\r" not in piped and " ... " not in piped, piped)
    text = on_terminal(world, *words)
    shown = re.findall(r"\r\x1b\[K(?:\x1b\[2m(sonde: [^\x1b]* \.\.\. \d+ s)\x1b\[0m)?", text)
    check(not shown or shown[-1] == "", f"the line stays: {text!r}")
    for env in PLAIN:
        check("\r" not in on_terminal(world, *words, env=env), f"progress with {env}")
