# SPDX-License-Identifier: GPL-3.0-or-later
"""Scripts of tests/in-use/ and docs/examples/ that name no target, on the whole machine without the module. What deeds.c does is known; of other
processes nothing is said."""

import pathlib
import re

from in_use import IN_USE, distribution, rows
from stock_kernel import SOURCE, bpf_ids, need_it, stop_tracing
from support import check, equal, scenario, wait_until

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "docs" / "examples"


def whole(world, script, hooks, *deeds, options=(), arguments=(), folder=IN_USE):
    """What the script prints while deeds.c does `deeds`; all hooks are armed before."""
    sonde = world.start_sonde(*SOURCE, "-b", "16m", *options, "-s", folder / f"{script}.d", *arguments)
    wait_until(lambda: bpf_ids(sonde)[1] == hooks or sonde.poll() is not None, what="sonde's start")
    world.run([world.program("deeds"), *deeds], cwd=world.home)
    return stop_tracing(world, sonde).stdout


@scenario(alone=True)
def stock_kernel_scripts_of_files(world):
    need_it(world)
    file = world.path("there", "text")
    found = rows(whole(world, "opensnoop", 2, f"open:{file}", "close", f"open:{file}.not"))
    equal([row[1:] for row in found if file in row[-1]], [["deeds", "3", "0", file], ["deeds", "-1", "2", f"{file}.not"]], "opensnoop")
    found = whole(world, "badopen", 2, f"open:{file}", f"open:{file}.a", f"open:{file}.b", f"open:{file}/c")
    equal([line for line in found.splitlines() if file in line], [f"open for '{file}.{end}' failed" for end in "ab"], "badopen")
    made = world.path("made")
    found = whole(world, "creatbyproc", 1, f"creat:{made}", f"open:{made}", options=["-q"])
    check(f"deeds {made} mode 644" in found.splitlines(), f"creatbyproc: {found}")
    found = rows(whole(world, "filebyproc", 1, f"open:{file}", f"open:{file}", options=["-q"]))
    check(["deeds", file, "2"] in found, f"filebyproc: {found}")
    found = whole(world, "statsnoop", 2, "stat:/etc/passwd", "stat:/nonexistent/x", options=["-Z"]).splitlines()
    check("/etc/passwd|0" in found and "/nonexistent/x|2" in found, f"statsnoop: {found}")
    found = rows(whole(world, "cwds", 1, "open:here", "chdir:/usr/lib", "open:there", "open:there", options=["-q"]))
    equal([row for row in found if row[1] in ("here", "there")], [[str(world.home), "here", "1"], ["/usr/lib", "there", "2"]], "cwds")


@scenario(alone=True)
def stock_kernel_scripts_of_processes(world):
    need_it(world)
    deeds = world.program("deeds")
    found = rows(whole(world, "execsnoop", 1, "run:true:a:b", f"run:{deeds}:getppid"))
    mine = [row for row in found if row[3:] in (["true", "a", "b"], [deeds, "getppid"])]
    equal([row[3:] for row in mine], [["true", "a", "b"], [deeds, "getppid"]], "execsnoop")
    equal(len({row[2] for row in mine}), 1, "of one parent")
    found = rows(whole(world, "exits", 2, "fork:3", "fork:3", "fork:7", "die:9", "die:15"))
    for row in (["deeds", "killed", "2"], ["deeds", "exited", "4"], ["exit(7)", "1"]):
        check(row in found, f"exits: {row} in {found}")
    found = rows(whole(world, "shortlived", 2, "fork:0", "fork:0"))
    check(["deeds", "2"] in found or ["deeds", "3"] in found, f"shortlived: {found}")
    found = rows(whole(world, "syscallbyproc", 1, "getppid:1000"))
    check(int(dict(row for row in found if len(row) == 2)["deeds"]) >= 1000, f"syscallbyproc: {found}")


@scenario(alone=True)
def stock_kernel_scripts_of_signals(world):
    need_it(world)
    found = rows(whole(world, "sigdist", 1, "usr1:5", "die:15"))
    for row in (["deeds", "deeds", "10", "5"], ["deeds", "deeds", "15", "1"]):
        check(row in found, f"sigdist: {row} in {found}")
    found = rows(whole(world, "signals_handled", 1, "usr1:5"))
    check(["deeds", "10", "itself", "5"] in found, f"signals_handled: {found}")
    found = whole(world, "kill", 2, "usr1:2")
    equal(found.count("deeds: kill 1 with 10 = 0\n"), 2, "kill")


@scenario(alone=True)
def stock_kernel_examples(world):
    need_it(world)
    found = rows(whole(world, "execsnoop", 1, "run:true:a:b", folder=EXAMPLES, options=["-q"]))
    check(any(row[-3:] == ["true", "a", "b"] for row in found), f"execsnoop: {found}")
    found = whole(world, "syscall-latency", 2, "getppid:3000", folder=EXAMPLES, options=["-q"])
    check(re.search(r"^deeds +getppid +3000 ", found, re.M), f"syscall-latency: {found}")
    found = whole(world, "flow", 6, "getppid:20", "fork:0", "usr1:1", folder=EXAMPLES)
    for what, times in (("=> getppid", 20), ("<= getppid", 20), ("create", 1), ("exit", 2), ("deliver", 1)):
        seen = len(re.findall(rf"{what}\b.*deeds\(", found))
        check(seen >= times, f"flow: {what} {seen} times")


@scenario(alone=True)
def stock_kernel_scripts_of_one_name(world):
    """Scripts that name the program, so what others do does not count."""
    need_it(world)
    equal(whole(world, "onecall", 1, "getppid:12", "run:true", options=["-q"], arguments=["getppid", "deeds"]).split(), ["12"], "onecall")
    file = world.path("there", "text")
    found = whole(world, "specopen", 2, f"open:{file}", f"open:{file}.not", f"open:{file}/no", options=["-F"])
    mine = [row[1:] for row in rows(found)[1:] if row[-1] in (f"{file}.not", f"{file}/no", "2", "20")]
    equal(mine[-4:], [["=>", "openat", f"{file}.not"], ["<=", "openat", "2"], ["=>", "openat", f"{file}/no"], ["<=", "openat", "20"]], "specopen")
    made = world.path("made")
    found = whole(world, "readsizes", 1, f"creat:{made}", "write:1000", "close", f"open:{made}", "read:16:4", "read:512:1", "read:512:1", options=["-q"],
                  arguments=["deeds"])
    sizes = distribution(found)
    equal((sizes[16], sizes[256]), (4, 1), "readsizes")


@scenario(alone=True)
def stock_kernel_scripts_of_descriptors(world):
    """Of files that nobody else reads or writes."""
    need_it(world)
    first, second = world.path("first"), world.path("second")
    found = rows(whole(world, "fd-throughput", 2, f"creat:{first}", "write:100:3", "close", f"creat:{second}", "write:7", "close", f"open:{first}", "read:250:3",
                       folder=EXAMPLES, options=["-q"]))
    for row in (["write", "3", first, "300", "3"], ["write", "3", second, "7", "1"], ["read", "3", first, "300", "3"]):
        check(row in found, f"fd-throughput: {row} in {found}")
