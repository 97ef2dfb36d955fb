# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/examples: each script compiles, runs, and prints what it promises."""

import pathlib
import re

from support import check, equal, scenario, wait_until

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "docs/examples"


def run(world, name, command, *arguments, flags=()):
    """Runs `sonde -e -s` and then `sonde -s`; returns the output of the second."""
    script = EXAMPLES / name
    compiled = world.sonde(*flags, "-e", "-s", script, *arguments, "-c", command)
    check(compiled.stdout == "" and compiled.stderr == "", f"-e prints {compiled.stdout!r} {compiled.stderr!r}")
    result = world.sonde(*flags, "-s", script, *arguments, "-c", command)
    check(not re.search("error on|drop", result.stderr), f"{name}: {result.stderr!r}")
    return result.stdout


@scenario()
def example_syscall_latency(world):
    program = world.program("mixed")
    out = run(world, "syscall-latency.d", f"{program} 50")
    row = re.search(r"^mixed +getppid +(\d+) +(\d+) +(\d+)$", out, re.M)
    check(row and row.group(1) == "50" and int(row.group(3)) >= 50 * int(row.group(2)), f"the row of getppid: {out!r}")
    check("Distribution" in out, "the shape")


@scenario()
def example_failing_paths(world):
    there = world.path("there", "text\n")
    out = run(world, "failing-paths.d", f"cat {there} /nonexistent/first /nonexistent/second")
    for missing in ("first", "second"):
        check(re.search(rf'^cat\(\d+\) openat\("/nonexistent/{missing}"\) failed: no such file$', out, re.M), f"{missing}: {out!r}")
    check(f'openat("{there}")' not in out, "a call that succeeded")


@scenario()
def example_execsnoop(world):
    script = world.path("two.sh", "/bin/echo one\n/bin/echo two words\n")
    out = run(world, "execsnoop.d", f"/bin/sh {script}")
    for arguments in ("/bin/echo one", "/bin/echo two words"):
        check(re.search(rf"^\d{{4}} \w+ +\d+ [\d:]+ +\d+ +\d+ +\d+  {arguments}$", out, re.M), f"{arguments}: {out!r}")


@scenario()
def example_fd_throughput(world):
    source, target = world.path("source", "x" * 1000), world.path("target")
    out = run(world, "fd-throughput.d", f"dd if={source} of={target} bs=100")
    for call, path in (("read", source), ("write", target)):
        check(re.search(rf"^{call} +\d+ {re.escape(path)} +1000 +1[01]$", out, re.M), f"{call} of {path}: {out!r}")
    check(re.search(r"^bytes a write$", out, re.M) and re.search(r"^ +64 \|@+ +1\d", out, re.M), f"sizes: {out!r}")


@scenario()
def example_own_translators(world):
    name, new = world.path("input", "12345"), world.path("new")
    script = world.path("both.sh", f"cat {name} >{new}\n")
    out = run(world, "own-translators.d", f"sh {script}")
    check(re.search(rf"^cat reads {re.escape(name)}", out, re.M), f"the one that is read: {out!r}")
    check(re.search(rf"^sh creates {re.escape(new)}, for its children too$", out, re.M), f"the one that is made: {out!r}")
    check(re.search(r"^ +1 input$", out, re.M), f"the count: {out!r}")


@scenario()
def example_top_calls(world):
    """The program runs until it was seen for three intervals."""
    stop, out, example = world.path("stop"), world.path("out", ""), EXAMPLES / "top-calls.d"
    script = world.path("busy.sh", f"while [ ! -e {stop} ]; do cd /; cd /tmp; done\n")
    world.sonde("-e", "-s", example)
    sonde = world.start_sonde("-o", out, "-s", example, "-c", f"sh {script}")
    def tables():
        text = pathlib.Path(out).read_text(encoding="utf-8")
        return [part.splitlines() for part in re.split(r"^\d{4} \w+ +\d+ [\d:]+\n", text, flags=re.M)[1:]]
    wait_until(lambda: sum("chdir" in "".join(table) for table in tables()) >= 3, 120, "three intervals")
    world.path("stop", "")
    world.finish(sonde)
    for table in tables():
        numbers = [int(line.split()[-1]) for line in table if line]
        check(len(numbers) <= 10 and numbers == sorted(numbers, reverse=True), f"ten at most, the greatest first: {table}")


@scenario()
def example_function_flow(world):
    """main() of a program with one thread: its calls are indented, its own return is not."""
    out = run(world, "function-flow.d", f"{world.program('ticker')} {world.path('ticks')} 3", "main", flags=("-F",))
    lines = [line[3:].rstrip() for line in out.splitlines() if line.strip()]
    depth = {line.strip(): len(line) - len(line.lstrip()) for line in lines}
    check(depth.get("-> main") == depth.get("<- main") == depth.get("=> getppid", 0) - 2, f"what main calls is indented: {out!r}")
    calls = [line.strip() for line in lines]
    check(calls.count("=> getppid") == calls.count("<= getppid") == 3, f"the system calls: {out!r}")


@scenario()
def example_flow(world):
    """System calls come in pairs; events inside a call are indented."""
    out = run(world, "flow.d", f"{world.program('ticker')} {world.path('ticks')} 3")
    calls = [line[3:].strip() for line in out.splitlines()]
    for mark in ("=> getppid", "<= getppid"):
        equal(sum(line.startswith(mark) for line in calls), 3, f"{mark}: {out!r}")
