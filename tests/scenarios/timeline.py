# SPDX-License-Identifier: GPL-3.0-or-later
"""--format=chrome: slices against what the text formats say of the same program, and files of runs that end badly."""

import collections
import os
import re
import signal

from support import attached_to, check, equal, lines_of_calls, scenario, wait_until
from trace_events import Timeline

OF_A_RUN = re.compile(r"0x[0-9a-f]{5,}|\b\d{4,}(?=[,)]|$)|(?<=_pid=)\d+")  # addresses and pids
PID_AS_RESULT = re.compile(r"^((?:getppid|set_tid_address|getpid|gettid)\(.*) +(= )\d+$")  # in a guest it may be short


def without_the_run(line):
    line = re.sub(r"^(t?g?kill\()\d+", r"\1N", line)
    return PID_AS_RESULT.sub(r"\1 \2N", re.sub(r" +=", " =", OF_A_RUN.sub("N", line)))


def read(path, is_whole=True):
    with open(path, encoding="utf-8") as file:
        return Timeline(file.read(), is_whole)


def as_list(one):
    """A call as a line of the list has it, without what differs from run to run."""
    return without_the_run(f"{one.name}({one.args['arguments']}) = {one.args['result']}")


@scenario(short=True)
def each_call_of_the_list_is_a_slice(world):
    """Each line of the list of calls, in its order, is a slice with its arguments and result."""
    command = [world.program("deeds"), "open:/etc/hostname", "read:4:3", "close", "stat:/nonexistent", "getppid:5", "sleep:20", "usr1:2"]
    text, file = world.path("list"), world.path("t.json")
    equal(world.sonde("-o", text, *command).status, 0, "the list")
    world.sonde("--format=chrome", "-o", file, *command)
    lines = [without_the_run(line) for _, line in lines_of_calls(text)]
    timeline = read(file)
    calls = [as_list(one) for one in timeline.slices]
    wanted = [line for line in lines if re.match(r"\w+\(", line) and not line.startswith(("execve(", "exit_group("))]
    differ = [pair for pair in zip(calls, wanted) if pair[0] != pair[1]]
    check(not differ and len(calls) == len(wanted), f"{len(calls)} slices and {len(wanted)} lines; these differ: {differ[:3]}")
    check(len(calls) > 20 and not any(one.inside for one in timeline.slices), f"they lie in no other: {timeline.slices}")
    slept = timeline.named("clock_nanosleep")[0]
    check(slept.end - slept.begin >= 20_000, f"us of 20 ms: {slept.end - slept.begin}")
    equal([event["args"]["arguments"] for event in timeline.moments("exit_group")], ["0"], "the last call")
    equal(len(timeline.moments("signal:deliver") + timeline.moments("signal:discard")), sum("--- SIG" in line for line in lines), "signals")
    equal([event["args"]["what"] for event in timeline.moments("proc:exit")], ["exited with 0"], "the end")
    equal(set(timeline.processes.values()), {"deeds"}, "the process")


@scenario()
def the_slices_of_threads_and_of_programs_that_are_executed(world):
    """Processes that fork and execute, a thread that executes, threads that end: every track nests, every call has an end, and as many have a return as in the list."""
    for number, command in enumerate((["sh", "-c", "ls / | cat; (true); exec env true"], [world.program("exec_thread")], [world.program("deeds"), "threads:3", "fork:0", "fork:3"])):
        text, file = world.path(f"list{number}"), world.path("t.json")
        world.sonde("-o", text, *command, status=None)
        world.sonde("--format=chrome", "-o", file, *command, status=None)
        timeline = read(file)
        found = collections.Counter(one.name for one in timeline.all_slices() if "result" in one.args)
        found += collections.Counter(event["name"].removesuffix(" returns") for event in timeline.instants if event["name"].endswith(" returns"))
        lines = collections.Counter(line.split("(")[0] for _, line in lines_of_calls(text) if re.match(r"\w+\(", line) and not line.endswith("= ?"))
        differ = {name: (found[name], lines[name]) for name in {*found, *lines} if found[name] != lines[name]}
        may_differ = {*differ} if number == 1 else {"wait4", "futex", "restart_syscall", "read", "rt_sigreturn"}  # how far its threads get by then is chance
        check(set(differ) <= may_differ, f"{command}: timeline and list differ in {differ}")
        if number == 1:  # its other threads sleep when one executes
            whys = collections.Counter(one.args.get("no return") for one in timeline.named("pause"))
            whys -= collections.Counter(["another call has returned"])  # the leader, whose number the exec took over
            check(whys and set(whys) == {"its thread has ended"}, f"why they do not return: {whys}")
        check(not any(one.args.get("no return") == "the next call has begun" for one in timeline.all_slices()), f"a return was missed: {timeline.events}")


@scenario()
def processes_stand_in_the_order_in_which_they_began(world):
    """Viewers sort them by name unless told otherwise. Sonde, with the counters, is last, also where it had the first event."""
    file = world.path("t.json")
    script = "BEGIN { } syscall:::entry, syscall:::return { trace(arg0); } syscall:::entry { @[execname] = count(); }"
    world.sonde("--format=chrome", "-o", file, "-n", script, "-c", "sh -c '/bin/sleep 0.01; /bin/ls / >/dev/null; true'")
    timeline = read(file)
    equal(timeline.shown, ["sh", "sleep", "ls", "sonde"], "from the top")
    check(len(timeline.counters) >= 3, f"counters: {timeline.counters}")
    closed = [one.args for one in timeline.named("close")]
    check(closed and all(one["arg0"] >= 0 and one["arg0 2"] in (0, -1) for one in closed), f"the value of each end: {closed}")


@scenario()
def a_counter_falls_when_nothing_was_counted(world):
    """Each interval has its own count. A viewer draws the last value on, so an interval without one is a 0, and a second one like it is nothing new."""
    file = world.path("t.json")
    world.sonde("--format=chrome", "-o", file, "--interval=100ms", "-n", "syscall::getppid:entry { @calls[probefunc] = count(); }",
                "-c", f"{world.program('deeds')} getppid:50 sleep:400 getppid:50 sleep:400")
    counts = [event["count"] for event in read(file).counters["@calls getppid"]]
    equal(sum(counts), 100, f"calls in {counts}")
    falls = [at for at, count in enumerate(counts) if count == 0]
    check(len(falls) == 2 and falls[0] > 0 and falls[1] > falls[0] + 1 and falls[1] == len(counts) - 1, f"two pauses: {counts}")


@scenario()
def functions_lie_in_each_other(world):
    """-F: as many slices as arrows in the text, in the shape that the program has."""
    command = f"{world.program('deeds')} calls:3 recurse:4 threads:2 getppid:2"
    names = [f"pid$target:a.out:{name}:" for name in ("main", "outer", "middle", "leaf", "recurse", "thread_main")]
    script = ",".join(name + side for name in names for side in ("entry", "return")) + " { trace(arg1); } syscall::getppid: { }"
    file = world.path("t.json")
    world.sonde("--format=chrome", "-o", file, "-F", "-n", script, "-c", command)
    text = world.sonde("-F", "-n", script, "-c", command).stdout
    timeline = read(file)
    equal(collections.Counter(one.name for one in timeline.all_slices()), collections.Counter(re.findall(r"[-=]> (\w+)", text)), "slices")
    trees = sorted(one.tree() for one in timeline.slices)
    def nested(name, depth):
        return (name, [nested(name, depth - 1)] if depth else [])
    deep = text.count("-> recurse")
    call = ("getppid", [])
    wanted = [("main", [("outer", [("middle", [("leaf", [])] * 3)]), nested("recurse", deep - 1), call, call]), ("thread_main", [call]), ("thread_main", [call])]
    equal(trees, wanted, "the shape")
    check(all("no return" not in one.args for one in timeline.all_slices()), "each has returned")


@scenario()
def a_timeline_of_a_run_that_is_cut_off(world):
    """Ctrl-C leaves JSON, with an end for the call under way; SIGKILL a file that lacks its last bracket and nothing else; SIGHUP a new file that stands alone."""
    for end in (signal.SIGINT, signal.SIGKILL):
        file = world.path(f"{end}.json")
        busy = world.start([world.program("deeds"), "sleep:2:100000"])
        sonde = world.start_sonde("--format=chrome", "-o", file, "-p", busy.pid)
        wait_until(lambda: attached_to(sonde, busy.pid), what="attached")
        wait_until(lambda: os.path.exists(file) and os.path.getsize(file) > 4000, what="slices")
        sonde.send_signal(end)
        world.finish(sonde)
        timeline = read(file, is_whole=end == signal.SIGINT)
        check(len(timeline.named("clock_nanosleep")) > 5, f"slices: {timeline.slices}")
        whys = [one.args["no return"] for one in timeline.all_slices() if "no return" in one.args]
        check(whys in ([], ["tracing has ended"]), f"the call under way: {whys}")
        busy.kill()
    first, second = world.path("hup.json"), world.path("old.json")
    busy = world.start([world.program("deeds"), "sleep:2:100000"])
    sonde = world.start_sonde("--format=chrome", "-o", first, "-p", busy.pid)
    wait_until(lambda: os.path.exists(first) and os.path.getsize(first) > 4000, what="slices")
    os.rename(first, second)
    sonde.send_signal(signal.SIGHUP)
    wait_until(lambda: os.path.exists(first) and os.path.getsize(first) > 4000, what="slices in the new file")
    sonde.send_signal(signal.SIGINT)
    world.finish(sonde)
    for file, is_whole in ((second, False), (first, True)):
        timeline = read(file, is_whole)
        check(len(timeline.named("clock_nanosleep")) > 5 and "deeds" in timeline.processes.values(), f"{file}: {timeline.slices}")
    busy.kill()


@scenario()
def a_timeline_says_what_it_lacks(world):
    """Lost records are an instant, and what they leave open is closed; an aggregation that is no counter is named."""
    file = world.path("t.json")
    script = 'syscall::getppid:entry, syscall::getppid:return { trace(copyinstr((uintptr_t)&`nothing)); }'.replace("copyinstr((uintptr_t)&`nothing)", "probefunc")
    result = world.sonde("-q", "-x", "bufsize=4k", "-x", "bufpolicy=fill", "--format=chrome", "-o", file, "-n", script + " END { @q = quantize(1); }",
                         "-c", f"{world.program('deeds')} getppid:5000")
    timeline = read(file)
    drops = [event for event in timeline.instants if "drop" in event["name"]]
    lost = sum(event["args"]["count"] for event in drops)
    shown = sum(1 + ("no return" not in one.args) for one in timeline.all_slices()) + len(timeline.moments("getppid returns"))
    check(drops and lost + shown == 10000, f"{lost} drops and {shown} ends of calls in {drops}")
    check("leaves out @q" in result.stderr, result.stderr)
