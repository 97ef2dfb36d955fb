# SPDX-License-Identifier: GPL-3.0-or-later
"""Scripts as people write them: each script of tests/in-use/ runs on a program whose deeds the scenario chooses, so
that the result is known.

The program is deeds.c, unless the scenario needs another. A scenario computes what its script must print."""

import calendar
import math
import os
import pathlib
import re
import time

from support import at_rest, attached_to, check, equal, scenario, wait_until

IN_USE = pathlib.Path(__file__).resolve().parents[1] / "in-use"


def traced(world, script, *deeds, options=(), arguments=(), status=0):
    """The output of tests/in-use/SCRIPT.d for a program that does `deeds`."""
    command = " ".join([world.program("deeds"), *deeds])
    return world.sonde(*options, "-s", IN_USE / f"{script}.d", "-c", command, *arguments, status=status).stdout


def attached(world, script, *deeds, options=()):
    """The same for a program that runs already; its pid is the script's argument and the target. It starts its deeds
    when it is traced."""
    gate = world.path("gate")
    os.mkfifo(gate)
    program = world.start([world.program("deeds"), f"open:{gate}", "close", *deeds])
    wait_until(lambda: pathlib.Path(f"/proc/{program.pid}/wchan").read_text() == "wait_for_partner", what="the program waits")
    sonde = world.start_sonde(*options, "-s", IN_USE / f"{script}.d", "-p", program.pid, program.pid)
    wait_until(lambda: attached_to(sonde, program.pid) and at_rest(sonde), what="it is traced")
    with open(gate, "wb"):
        pass
    return world.finish(sonde).stdout


def rows(text):
    """The words of each line that is not empty."""
    return [line.split() for line in text.splitlines() if line.strip()]


def distribution(text):
    """{value: count} of a printed distribution, without empty rows."""
    return {int(value): int(count) for value, count in re.findall(r"^ *(?:>= )?(-?\d+) \|@* +(\d+) *$", text, re.M) if count != "0"}


# -- files --

@scenario()
def script_opensnoop(world):
    file = world.path("there", "text")
    found = rows(traced(world, "opensnoop", f"open:{file}", "close", f"open:{file}.not"))
    equal(found[0], ["UID", "COMM", "FD", "ERR", "PATH"], "the title")
    equal([row for row in found if file in row[-1]], [[str(os.getuid()), "deeds", "3", "0", file], [str(os.getuid()), "deeds", "-1", "2", f"{file}.not"]], "two opens")


@scenario()
def script_badopen(world):
    file = world.path("there", "text")
    found = traced(world, "badopen", f"open:{file}", f"open:{file}.a", f"open:{file}.b", f"open:{file}/c")
    equal([line for line in found.splitlines() if file in line], [f"open for '{file}.{end}' failed" for end in "ab"], "ENOENT, not ENOTDIR")


@scenario()
def script_creatbyproc(world):
    file = world.path("made")
    equal(traced(world, "creatbyproc", f"creat:{file}", f"open:{file}", options=["-q"]).rstrip("\n"), f"deeds {file} mode 644", "one of two")


@scenario()
def script_filebyproc(world):
    files = [world.path(name, "text") for name in ("once", "twice", "none")]
    found = rows(traced(world, "filebyproc", *[f"open:{file}" for file in (files[0], files[1], files[1])], options=["-q"]))
    equal([row for row in found if row[1] in files], [["deeds", files[0], "1"], ["deeds", files[1], "2"]], "in the order of the counts")


@scenario()
def script_rwbytes(world):
    file = world.path("bytes")
    found = rows(traced(world, "rwbytes", f"creat:{file}", "write:100:3", "close", f"open:{file}", "read:250:3", "close"))
    check(["bytes", "300", "300"] in found, f"{found}")


@scenario()
def script_readsizes(world):
    file = world.path("bytes")
    found = traced(world, "readsizes", f"creat:{file}", "write:1000", "close", f"open:{file}", "read:16:4", "read:512:1", "read:512:1",
                   options=["-q"], arguments=["deeds"])
    sizes = distribution(found)
    equal(sizes[16], 4, "reads of 16 bytes")
    equal(sizes[256], 1, "the rest of the file: 424 bytes")
    check(sizes[512] >= 2, "one of 512; the linker reads libc's head, of 832")


@scenario()
def script_writesizes(world):
    deeds = [f"creat:{world.path('bytes')}", "write:5:2", "write:250:3", "write:999", "write:1000", "write:4000"]
    found = traced(world, "writesizes", *deeds)
    check(found.startswith("  PROCESS deeds:\n"), found)
    equal(distribution(found), {0: 2, 200: 3, 900: 1, 1000: 2}, "steps of 100")


@scenario()
def script_iosession(world):
    first, second = (world.path(name, "") for name in ("first", "second"))
    found = traced(world, "iosession", f"creat:{first}", "write:10:3", "close", f"creat:{second}", "write:7", "close", f"open:{first}", "read:30", "write:5")
    session = {path: int(re.search(rf'^open (\d+) "{re.escape(path)}" 0$', found, re.M).group(1)) for path in (first, second)}
    equal(session[second], session[first] + 1, "the next session")
    moved = re.findall(r'^-1 write (\d+) "(\S+)" (\d+) +\n +\S+`\w+\+0x\w+$', found, re.M)
    equal(sorted(moved), sorted([(str(session[first]), first, "30"), (str(session[second]), second, "7"), (str(session[second] + 1), first, "5")]), found)


@scenario()
def script_rwtime(world):
    file = world.path("bytes")
    found = rows(traced(world, "rwtime", f"creat:{file}", "write:10:20", "close", options=["-C"]))
    equal(found[0], ["CALL", "COUNT", "MIN", "AVG", "MAX"], "the title")
    by_call = {row[0]: [int(word) for word in row[1:]] for row in found[1:]}
    equal(by_call["write"][0], 20, "writes")
    check(0 < by_call["write"][1] <= by_call["write"][2] <= by_call["write"][3], f"{by_call}")


@scenario()
def script_trussrw(world):
    file = world.path("bytes")
    found = attached(world, "trussrw", f"creat:{file}", "write:10", "close", f"open:{file}", "read:64", "read:64", options=["-q"])
    lines = [re.sub("0x[0-9a-f]+", "AT", line) for line in found.splitlines() if line]
    equal(lines, ["write(3, AT,   10)\t\t = 10", "read(3, AT,   64)\t\t = 10", "read(3, AT,   64)\t\t = 0"], "the calls")


# -- system calls --

@scenario()
def script_syscallbyproc(world):
    without = rows(traced(world, "syscallbyproc"))
    found = rows(traced(world, "syscallbyproc", "getppid:1000"))
    check(found[0][0] == "Tracing...", f"{found}")
    equal(int(dict(found[1:])["deeds"]), int(dict(without[1:])["deeds"]) + 1000, "1000 calls more than without")


@scenario()
def script_syscallbypid(world):
    found = rows(traced(world, "syscallbypid", "getppid:7", "run:/bin/true", "fork:0"))
    equal([row[2] for row in found if row[:2] == ["parent", "getppid"]], ["7"], "the parent's calls")
    equal([row[2] for row in found if row[:2] == ["child", "exit_group"]], ["2"], "two children end")
    equal([row[2] for row in found if row[:2] == ["child", "execve"]], ["1"], "one becomes another program")


@scenario()
def script_sctop(world):
    deeds = ["getppid:300", f"creat:{world.path('bytes')}", "write:1:200", "usr1:100"]
    equal(rows(traced(world, "sctop", *deeds, arguments=["2"])), [["write", "200"], ["getppid", "300"]], "$1 of them")
    found = rows(traced(world, "sctop", *deeds))
    equal(found[1:], [["write", "200"], ["getppid", "300"]], "the default is three")
    check(found[0][1] == "100" or int(found[0][1]) >= 100, f"{found}")


@scenario()
def script_errinfo(world):
    deeds = ["stat:/nonexistent/a", "stat:/nonexistent/b", "unlink:/nonexistent/c", "chdir:/etc/passwd", "close"]
    found = rows(traced(world, "errinfo", *deeds))
    for row in (["deeds", "newfstatat", "2", "2"], ["deeds", "unlink", "2", "1"], ["deeds", "chdir", "20", "1"], ["deeds", "close", "9", "1"]):
        check(row in found, f"{row} in {found}")


@scenario()
def script_procsystime(world):
    found = traced(world, "procsystime", "sleep:20:3", "getppid:50")
    elapsed, cpu, counts = (dict(rows(part)) for part in re.split("Elapsed:|CPU:|Counts:", found)[1:])
    check(60_000_000 <= int(elapsed["clock_nanosleep"]) < 60_000_000_000, f"{elapsed}")
    check(int(cpu["clock_nanosleep"]) < int(elapsed["clock_nanosleep"]), f"{cpu}")
    equal((counts["clock_nanosleep"], counts["getppid"]), ("3", "50"), "calls")


@scenario()
def script_latency(world):
    found = traced(world, "latency", "sleep:25:4", options=["-q"])
    ms, ns = (int(number) for number in re.findall(r"total (\d+)", found))
    check(ms == ns // 1_000_000 and ms >= 100, f"{ms} ms, {ns} ns")
    sleeps = distribution(found)
    equal(sum(sleeps.values()), 4, "sleeps")
    check(all(value >= 20 for value in sleeps), f"none is shorter than 20 ms: {sleeps}")


# -- processes --

@scenario()
def script_execsnoop(world):
    deeds = world.program("deeds")
    found = rows(traced(world, "execsnoop", "run:true:a:b", f"run:{deeds}:getppid"))
    equal([row[3:] for row in found[-2:]], [["true", "a", "b"], [deeds, "getppid"]], "two programs")
    equal(len({row[2] for row in found[-2:]}), 1, "of one parent")


@scenario()
def script_forks(world):
    found = traced(world, "forks", "fork:0", "fork:1", "run:true", options=["-q"])
    made, started = re.findall(r"makes (\d+)", found), re.findall(r"(\d+) starts", found)
    equal(len(made), 3, "children")
    equal(sorted(started), sorted(made), "who is made starts")


@scenario()
def script_exits(world):
    found = traced(world, "exits", "fork:3", "fork:3", "fork:0", "die:9", "die:15")
    equal(rows(found), [["deeds", "killed", "2"], ["deeds", "exited", "3"], ["exit(0)", "1"], ["exit(3)", "2"]], "ends and codes")


@scenario()
def script_shortlived(world):
    *found, time = rows(traced(world, "shortlived", "run:true", "run:true", "fork:0"))
    equal(sorted(found), [["deeds", "1"], ["true", "2"]], "who lived for less than a minute")
    check(int(time[1]) > 0, f"{time}")


@scenario()
def script_sigdist(world):
    found = rows(traced(world, "sigdist", "usr1:5", "die:15"))
    for row in (["deeds", "deeds", "10", "5"], ["deeds", "deeds", "15", "1"]):
        check(row in found, f"{row} in {found}")


@scenario()
def script_kill(world):
    equal(traced(world, "kill", "usr1:2", "die:9"), 2 * "deeds: kill 1 with 10 = 0\n" + "\n", "who dies of it does not return")


# -- functions --

CALLS = [("outer", 1), ("middle", 1), ("leaf", 4)]  # the calls of calls:4


@scenario()
def script_funccount(world):
    found = dict(rows(traced(world, "funccount", "calls:4", "calls:4", "recurse:3")))
    for function, times in [*[(name, 2 * times) for name, times in CALLS], ("recurse", 4), ("main", 1)]:
        equal(found[function], str(times), function)


@scenario()
def script_functime(world):
    found = rows(traced(world, "functime", "calls:1", "calls:5", "calls:5", arguments=["middle"]))
    equal(found[:3], [["calls", "3"], ["1", "gives", "2"], ["5", "gives", "60"]], "2 * (1 + ... + n)")
    check(int(found[3][1]) > 0, f"{found}")


@scenario()
def script_flow(world):
    found = traced(world, "flow", "calls:2", options=["-F"], arguments=["outer"])
    lines = [line[3:].rstrip() for line in found.splitlines() if "->" in line or "<-" in line]
    wanted = ["  -> outer", "    -> middle", "      -> leaf", "      <- leaf", "      -> leaf", "      <- leaf", "    <- middle", "  <- outer"]
    equal(lines, wanted, "the flow")


@scenario()
def script_depth(world):
    found = traced(world, "depth", "calls:2").splitlines()
    wanted = ["  0 -> outer(2)", "  1   -> middle(2)", "  2     -> leaf(1)", "  2     <- leaf = 2", "  2     -> leaf(2)", "  2     <- leaf = 4",
              "  1   <- middle = 6", "  0 <- outer = 7"]
    equal([line for line in found if line], wanted, "indented")


@scenario()
def script_recursion(world):
    found = traced(world, "recursion", "recurse:25")
    check(found.startswith("deepest 26\n"), found)
    equal(distribution(found), {0: 9, 10: 10, 20: 7}, "levels 1 to 26")


@scenario()
def script_mallocs(world):
    found = traced(world, "mallocs", "allocate:5000:10", "allocate:10000:3", "allocate:100:7")
    calls, size = re.search(r"(\d+) calls, (\d+) bytes", found).groups()
    without = re.search(r"(\d+) calls, (\d+) bytes", traced(world, "mallocs"))
    before = [int(word) for word in without.groups()] if without else [0, 0]
    equal([int(calls) - before[0], int(size) - before[1]], [13, 80000], "10 * 5000 + 3 * 10000, above what a start takes")
    equal((distribution(found)[4096], distribution(found)[8192]), (10, 3), "powers of two")


@scenario()
def script_leaks(world):
    found = traced(world, "leaks", "allocate:5000:10", "leak:3000:4", "allocate:100", "leak:7000")
    equal(rows(found), [["freed", "10", "times"], ["not", "freed:", "19000", "bytes"]], "4 * 3000 + 7000")


@scenario()
def script_strings_seen(world):
    found = rows(traced(world, "strings_seen", "text:apple", "text:pear", "text:apple", options=["-q"]))
    equal(found, [["pear", "1"], ["apple", "2"]], "words")


@scenario()
def script_whowrites(world):
    found = traced(world, "whowrites", f"creat:{world.path('bytes')}", "write:10:3", "pipe:7")
    counts = sorted(int(word) for word in re.findall(r"^ +(\d+)$", found, re.M))
    equal(counts, [1, 3], "two places")
    check(re.search(r"use_pipe\+0x.*\n(?:.*\n)*? +1\n", found) and re.search(r"deeds`main\+0x.*\n(?:.*\n)*? +3\n", found), found)


@scenario()
def script_hot(world):
    found = rows(traced(world, "hot", "spin:600"))
    function, samples = found[0]
    equal(function, "deeds`spin_here", "what was on the processor")
    # A guard that gets no processor catches up at most 20 ms of samples, so their number has no exact bound.
    check(int(samples) > 0.7 * int(found[1][1]) > 14, f"{found}")


@scenario()
def script_uoncpu(world):
    found = traced(world, "uoncpu", "spin:600", options=["-q"])
    stacks = [part for part in re.split(r"^ +\d+$", found, flags=re.M) if "`" in part]
    check(any(re.search(r"spin_here\+0x[0-9a-f]+\n +deeds`main\+0x", part) for part in stacks), found)


# -- time --

@scenario()
def script_ticks(world):
    found = rows(traced(world, "ticks", "getppid:10", "sleep:120", "getppid:5", "sleep:70"))
    lines = [row for row in found[1:] if row[0].isdigit()]
    equal([int(row[0]) for row in lines], list(range(1, len(lines) + 1)), "numbered")
    rest, whole = dict(row for row in found if row[0] in ("rest", "all")).values()
    equal(whole, "15", "never cleared")
    equal(sum(int(row[1]) for row in lines if len(row) > 1) + int(rest), 15, "each call in one period")
    check(len(lines) >= 3, f"{found}")


@scenario()
def script_countdown(world):
    found = world.sonde("-s", IN_USE / "countdown.d").stdout
    equal(found.split(), [*[str(i) for i in range(10, 0, -1)], "blastoff!"], "both clauses fire for the last tick")


@scenario()
def script_slow(world):
    found = rows(traced(world, "slow", "sleep:5:3", "sleep:60:2", "getppid:20", arguments=["50"]))
    check([row for row in found if row[0] == "clock_nanosleep"] == 2 * [["clock_nanosleep", "took", "at", "least", "50", "ms"]], f"{found}")


# -- speculations --

@scenario()
def script_specopen(world):
    file = world.path("there", "text")
    found = traced(world, "specopen", f"open:{file}", f"open:{file}.not", f"open:{file}/no", options=["-F"])
    wanted = [["=>", "openat", f"{file}.not"], ["<=", "openat", "2"], ["=>", "openat", f"{file}/no"], ["<=", "openat", "20"]]
    equal([row[1:] for row in rows(found)[1:]], wanted, "two that failed")


# -- arguments --

@scenario()
def script_onecall(world):
    equal(traced(world, "onecall", "getppid:12", "run:true", arguments=["getppid", "deeds"]).split(), ["12"], "$1 in a description")
    equal(traced(world, "onecall", "getppid:12", "run:/bin/true", "run:/bin/true", arguments=["execve", "deeds"]).split(), ["2"], "before it is true")


@scenario()
def script_fileops(world):
    folder = world.path("folder")
    found = traced(world, "fileops", f"mkdir:{folder}", f"creat:{folder}/a", "close", f"chmod:600:{folder}/a", f"rename:{folder}/a:{folder}/b",
                   f"unlink:{folder}/b", f"unlink:{folder}/a", f"mkdir:{folder}")
    wanted = ["mkdir    folder", "chmod    a", "rename   a -> b", "unlink   b", "unlink   a (not there)", "mkdir    folder (failed)"]
    equal([line for line in found.splitlines() if line], wanted, "what was done to paths")


@scenario()
def script_columns(world):
    found = rows(traced(world, "columns", "stat:/", "stat:/nonexistent", "stat:/nonexistent/b", "unlink:/nonexistent", "getppid:8"))
    without = dict((row[0], row[1]) for row in rows(traced(world, "columns"))[1:])
    stats = str(3 + int(without.get("newfstatat", "0")))
    for row in (["unlink", "1", "1"], ["newfstatat", stats, "2"], ["getppid", "8", "0"]):
        check(row in found, f"{row} in {found}")


@scenario()
def script_statsnoop(world):
    found = traced(world, "statsnoop", "stat:/etc/passwd", "stat:/nonexistent", options=["-Z"])
    equal([line for line in found.splitlines() if line][-2:], ["/etc/passwd|0", "/nonexistent|2"], "paths and errors")


# -- the language --

@scenario()
def script_multi_key(world):
    found = traced(world, "multi_key", f"creat:{world.path('bytes')}", "write:10:5", "write:33")
    equal([line for line in found.splitlines() if line], ["fd 3: 83 bytes in 6 writes", "fd 77: 0"], "sums")


@scenario()
def script_own_translator(world):
    found = traced(world, "own_translator", "sleep:7", "sleep:30", "sleep:1")
    equal([line for line in found.splitlines() if line], ["deeds 7 ms", "deeds 30 ms long", "deeds 1 ms"], "pauses")


@scenario()
def script_inlines(world):
    equal(traced(world, "inlines", "getppid:3", "sleep:1", "usr1:1").split(), 3 * ["deeds", "getppid"], "one call of many")


@scenario()
def script_stringfuncs(world):
    found = traced(world, "stringfuncs", "text:/usr/lib/libx.so", "text:a/word")
    equal([line for line in found.splitlines() if line],
          ["libx.so|/usr/lib|16|/usr|usr|<lib>|5|.so|/usr/lib/x", "word|a|6|a/wo|a|<word>|-1|none|a/x"], "taken apart")


@scenario()
def script_connects(world):
    found = traced(world, "connects", "connect:9", "connect:9")
    equal(rows(found), [*(2 * [["deeds", "127.0.0.1:9", "refused", "1"]]), ["refused", "2"]], "nobody listens there")


@scenario()
def script_execargs(world):
    found = traced(world, "execargs", "run:/bin/echo:one:two", "run:/bin/true", options=["-x", "evaltime=main"])
    equal([line for line in found.splitlines() if line.startswith("/bin")], ["/bin/echo /bin/echo one two", "/bin/true /bin/true - -"], "argv")


@scenario()
def script_reaction(world):
    file = world.path("watched", "text")
    found = traced(world, "reaction", f"open:{file}", f"open:{file}.not", f"open:{file}", options=["-w"], arguments=["watched"])
    equal(found.count(f"opened: {file} by deeds\n"), 2, "commands run")


@scenario()
def script_killer(world):
    file = world.path("secret", "text")
    found = traced(world, "killer", f"open:{file}.not", "getppid:2", f"open:{file}", "getppid:50", arguments=[file])
    equal([line for line in found.splitlines() if line], ["deeds: secret is forbidden", "later: 2"], "nothing after it")


@scenario()
def script_withcpp(world):
    found = traced(world, "withcpp", "getppid:9", "sleep:60", options=["-C", "-I", str(IN_USE)])
    equal([line for line in found.splitlines() if line], ["limit 3", "call 1", "call 2", "call 3", "ticked: 1"], "macros")


@scenario()
def script_family(world):
    found = rows(traced(world, "family", "getppid:5", "run:/bin/true", "fork:1"))
    equal(sorted(found), [["deeds"], ["true"]], "children before and after their exec; trunc(@, 0) leaves nothing")


@scenario()
def script_firstcalls(world):
    equal(traced(world, "firstcalls", "getppid:100000", arguments=["4"]).split(), ["1", "2", "3", "4", "after", "4"], "exit() in a clause")


@scenario()
def script_threads(world):
    found = traced(world, "threads", "getppid:3", "threads:5")
    equal([line for line in found.splitlines() if line], ["main 3", "thread 5", "made 5 gone 6", *(5 * ["1"]), "3"], "the main thread goes as well")


@scenario()
def script_statistics(world):
    sizes = [10, 10, 20, 500, 60]
    found = traced(world, "statistics", f"creat:{world.path('bytes')}", *[f"write:{size}" for size in sizes]).split()
    mean = sum(sizes) // len(sizes)
    spread = math.isqrt(sum(size * size for size in sizes) // len(sizes) - mean * mean)
    equal([int(word) for word in found], [5, 10, 500, mean, spread, 600], "count, min, max, avg, stddev, sum")


@scenario()
def script_loglinear(world):
    found = traced(world, "loglinear", f"creat:{world.path('bytes')}", "write:1", "write:25:2", "write:29", "write:300", "write:4999", options=["-q"])
    equal(distribution(found), {1: 1, 20: 3, 300: 1, 4000: 1}, "by decades")


@scenario()
def script_top(world):
    found = traced(world, "top", "sleep:150", "getppid:40", "sleep:150", "getppid:20", "sleep:120")
    periods = [dict(rows(part)) for part in found.split("--\n") if part.strip()]
    check(len(periods) > 1 and all(len(part) <= 2 for part in periods[:-1]), f"{periods}")
    equal(sum(int(part.get("getppid", 0)) for part in periods), 60, "all calls, whatever the period")


@scenario()
def script_lastwords(world):
    numbers = [int(word) for word in traced(world, "lastwords", "getppid:5000").split()]
    buffers = [numbers[at] for at in range(1, len(numbers)) if numbers[at] != numbers[at - 1] + 1]  # the start of another processor's buffer
    check(5000 in numbers and 50 < len(numbers) < 4000 and len(set(numbers)) == len(numbers), f"{len(numbers)} kept, among them {numbers[-1:]}")
    check(len(buffers) < 100, f"each buffer has the last of its own, one after the other; breaks at {buffers[:10]}")


@scenario()
def script_whendate(world):
    before = time.time() - 1
    found = traced(world, "whendate", "sleep:30", f"open:{world.path('stamp', '')}")
    date, later, ms = found.splitlines()[0].split("|")
    seconds = calendar.timegm(time.strptime(date, "%Y %b %d %H:%M:%S"))
    check(before - 1 <= seconds <= time.time() and later == "1" and int(ms) >= 30, found)
    equal(found.splitlines()[1], "1970 Jan  1 00:00:00  |", "a date in a width")


@scenario()
def script_cwds(world):
    found = rows(traced(world, "cwds", "open:here", "chdir:/usr/lib", "open:there", "open:there", options=["-q"]))
    equal([row for row in found if row[1] in ("here", "there")], [[str(world.home), "here", "1"], ["/usr/lib", "there", "2"]], "where it is")


@scenario()
def script_pipes(world):
    found = rows(traced(world, "pipes", "pipe:40", f"creat:{world.path('bytes')}", "write:5", "pipe:60"))
    for row in (["write", "pipe", "100"], ["write", "file", "5"]):
        check(row in found, f"{row} in {found}")
    check(["read", "pipe", str(2 << 20)] not in found and any(row[:2] == ["read", "pipe"] for row in found), f"{found}")


@scenario()
def script_signals_handled(world):
    found = rows(traced(world, "signals_handled", "usr1:4"))
    equal(found, [["deeds", "10", "itself", "4"], ["4"]], "SIGUSR1")


@scenario()
def script_errnames(world):
    found = rows(traced(world, "errnames", "unlink:/nonexistent", "stat:/nonexistent", "close", "chdir:/etc/passwd", "mkdir:/",
                        options=["-x", "evaltime=main"]))
    equal(found, [["EBADF", "1"], ["EEXIST", "1"], ["ENOENT", "2"], ["ENOTDIR", "1"]], "sorted by name")


@scenario()
def script_rates(world):
    equal(rows(traced(world, "rates", "getppid:2345")), [["hundreds", "23"], ["thousands", "2"], ["ones", "2345"]], "normalized")


@scenario()
def script_structs(world):
    found = traced(world, "structs", f"creat:{world.path('bytes')}", "write:56", "write:123")
    equal([line for line in found.splitlines() if line], ["0 5 6", "1 2 3", "2 calls, 179 bytes: much"], "digits and sums")


@scenario()
def script_buffers(world):
    found = traced(world, "buffers", f"creat:{world.path('bytes')}", "write:6", "write:3")
    equal([line for line in found.splitlines() if line], ["xxxxxx|6", "xZxx", "xxx|3", "xZx"], "texts")


@scenario()
def script_instructions(world):
    program = world.program("deeds")
    listing = world.run(["objdump", "-d", "--no-show-raw-insn", "--disassemble=leaf", program]).stdout
    addresses = [int(word, 16) for word in re.findall(r"^ +([0-9a-f]+):\t", listing, re.M)]
    found = dict(rows(traced(world, "instructions", "calls:3", options=["-q"])))
    equal(found, {format(address - addresses[0], "x"): "3" for address in addresses}, "each instruction, three times")


# -- what is not supported --

@scenario()
def scripts_of_other_providers(world):
    """The scripts that need the whole machine compile with any source."""
    for script in ("bitesize", "cswstat"):
        world.sonde("-e", "-s", IN_USE / f"{script}.d")


@scenario()
def each_script_in_use_is_run(_world):
    """No script is unused."""
    text = "".join((pathlib.Path(__file__).parent / f"{one}.py").read_text(encoding="utf-8") for one in ("in_use", "usdt_in_use", "kernel_scripts", "kernel_functions", "plockstat"))
    equal([path.name for path in IN_USE.glob("*.d") if f'"{path.stem}"' not in text and f'"{path.name}"' not in text], [], "scripts without a scenario")
