# SPDX-License-Identifier: GPL-3.0-or-later
"""Scripts of tests/in-use/ and docs/examples/ that name no target, on the whole machine without the module. What deeds.c does is known; of other
processes nothing is said. Where a script does not tell who did it, --cgroup leaves the others out."""

import calendar
import os
import pathlib
import re
import shutil
import sys
import time

from containers import Cgroup
from in_use import IN_USE, distribution, rows
from kernel_probes import Disk, newer_than
from stock_kernel import SOURCE, apart, bpf_ids, need_it, stop_tracing
from stock_profile import clocks
from support import Skip, check, equal, scenario, wait_until

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "docs" / "examples"


def auto():
    """Options for the source: none, unless auto takes the module."""
    return SOURCE if os.path.exists("/dev/sonde") else ()


def start_whole(world, script, hooks, options=(), arguments=(), folder=IN_USE, **more):
    """Starts sonde with the script; all hooks are armed then, or, without hooks, the clock of every CPU."""
    sonde = world.start_sonde(*auto(), "-b", "16m", *options, "-s", script if script == "-" else folder / f"{script}.d", *arguments, **more)
    armed = lambda: bpf_ids(sonde)[1] == hooks if hooks else clocks(sonde) >= os.cpu_count()
    wait_until(lambda: armed() or sonde.poll() is not None, what="sonde's start")
    return sonde


def whole(world, script, hooks, *deeds, options=(), arguments=(), folder=IN_USE, program=None):
    """What the script prints while deeds.c does `deeds`."""
    sonde = start_whole(world, script, hooks, options, arguments, folder)
    world.run([program or world.program("deeds"), *deeds], cwd=world.home)
    return stop_tracing(world, sonde).stdout


class Within:
    """deeds.c in a cgroup of its own, and scripts that see only that one."""

    def __init__(self, world):
        self.world, self.cgroup = world, Cgroup(world, "deeds")

    def __enter__(self):
        self.cgroup.__enter__()
        return self

    def __exit__(self, *what):
        self.cgroup.__exit__(*what)

    def start(self, script, hooks, options=(), arguments=(), folder=IN_USE, **more):
        return start_whole(self.world, script, hooks, [f"--cgroup={self.cgroup.path}", *options], arguments, folder, **more)

    def do(self, *deeds):
        """A command that does them there."""
        into = self.world.path("into", f'#!/bin/sh\necho $$ >{self.cgroup.folder}/cgroup.procs\nexec {self.world.program("deeds")} "$@"\n')
        equal(self.world.run([into, *deeds]).status, 0, "the deeds")

    def see(self, script, hooks, *deeds, options=(), arguments=(), folder=IN_USE, **more):
        """What sonde says of these deeds."""
        sonde = self.start(script, hooks, options, arguments, folder, **more)
        self.do(*deeds)
        return stop_tracing(self.world, sonde)


def lines(text):
    return [line for line in text.splitlines() if line]


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


@scenario(alone=True)
def stock_kernel_scripts_of_time(world):
    """Sleeps, periods, dates and samples."""
    need_it(world)
    with Within(world) as within:
        found = within.see("latency", 2, "sleep:25:4", options=["-q"]).stdout
        ms, ns = (int(number) for number in re.findall(r"total (\d+)", found))
        check(ms == ns // 1_000_000 and ms >= 100, f"latency: {ms} ms, {ns} ns")
        sleeps = distribution(found)
        check(sum(sleeps.values()) == 4 and min(sleeps) >= 20, f"latency: {sleeps}")
        _title, *periods, rest, total = lines(within.see("ticks", 1, "getppid:10", "sleep:120", "getppid:5", "sleep:70").stdout)
        numbers = [int(line[at : at + 6]) for line in periods for at in range(0, len(line) // 6 * 6 - (6 if len(line) % 6 else 0), 6)]
        equal(numbers, list(range(1, len(numbers) + 1)), "ticks: numbered")
        calls = sum(int(line[-9:]) for line in periods if len(line) % 6)  # before the first call there are only numbers
        equal((calls + int(rest.split()[1]), total), (15, "all 15"), "ticks: each call in one period")
        before = time.time() - 2
        date, epoch = lines(within.see("whendate", 1, f"open:{world.path('stamp', '')}", f"open:{world.path('stamps', '')}").stdout)
        date, later, _ms = date.split("|")
        check(before <= calendar.timegm(time.strptime(date, "%Y %b %d %H:%M:%S")) <= time.time() and later == "1", f"whendate: {date} {later}")
        equal(epoch, "1970 Jan  1 00:00:00  |", "whendate: a date in a width")
        samples = re.findall(r"((?: +\S+`\S+\n)+) +(\d+)$", within.see("uoncpu", 0, "spin:900", options=["-q"]).stdout, re.M)
        own = sum(int(count) for stack, count in samples if re.match(r" +deeds`spin_here\+0x[0-9a-f]+\n +deeds`main\+0x", stack))
        check(own > 0.7 * sum(int(count) for _stack, count in samples) > 14, f"uoncpu: {samples}")
    equal(world.sonde("-s", IN_USE / "countdown.d").stdout.split(), [*[str(i) for i in range(10, 0, -1)], "blastoff!"], "countdown")


@scenario(alone=True)
def stock_kernel_scripts_that_count(world):
    """Calls that are counted, numbered, kept by a ring, or ended by the first of them."""
    need_it(world)
    with Within(world) as within:
        equal(rows(within.see("rates", 1, "getppid:2345").stdout), [["hundreds", "23"], ["thousands", "2"], ["ones", "2345"]], "rates")
        with open(IN_USE / "rates.d", encoding="utf-8") as script:
            equal(rows(within.see("-", 1, "getppid:1001", stdin=script).stdout)[1:], [["thousands", "1"], ["ones", "1001"]], "rates, from standard input")
        found = lines(within.see("threads", 3, "getppid:3", "threads:5").stdout)
        equal(found, ["main 3", "thread 5", "made 5 gone 6", *(5 * ["1"]), "3"], "threads")
        sonde = within.start("firstcalls", 1, arguments=["4"])
        within.do("getppid:1000")
        equal(world.finish(sonde).stdout.split(), ["1", "2", "3", "4", "after", "4"], "firstcalls ends")
        found = lines(within.see("withcpp", 1, "getppid:9", "sleep:60", options=["-C", "-I", str(IN_USE)]).stdout)
        equal(found, ["limit 3", "call 1", "call 2", "call 3", "ticked: 1"], "withcpp")
        result = within.see("lastwords", 1, "getppid:5000")
        numbers = [int(word) for word in result.stdout.split()]
        dropped = sum(int(count) for count in re.findall(r"(\d+) drops? on CPU", result.stderr))
        equal(max(numbers) + dropped, 5000, f"lastwords: the last one, and drops: {result.stderr}")
        check(50 < len(numbers) < 4000 and len(set(numbers)) == len(numbers), f"lastwords: {len(numbers)} kept")


@scenario(alone=True)
def stock_kernel_scripts_that_read_arguments(world):
    """Addresses of sockets; calls with their results; a command for each open."""
    need_it(world)
    program = apart(world, world.program("deeds"))
    found = rows(whole(world, "connects", 2, "connect:9", "connect:9", program=program))
    equal([row for row in found if row[0] == os.path.basename(program)], 2 * [[os.path.basename(program), "127.0.0.1:9", "refused", "1"]], "connects")
    file = world.path(f"watched-{world.marker}", "text")
    found = whole(world, "reaction", 1, f"open:{file}", f"open:{file}.not", f"open:{file}", options=["-w"], arguments=[os.path.basename(file)])
    equal(lines(found), 2 * [f"opened: {file} by deeds"], "reaction")
    gate, made = world.path("gate"), world.path("bytes")
    os.mkfifo(gate)
    deeds = world.start([world.program("deeds"), f"open:{gate}", "close", f"creat:{made}", "write:10", "close", f"open:{made}", "read:64", "read:64"])
    wait_until(lambda: pathlib.Path(f"/proc/{deeds.pid}/wchan").read_text() == "wait_for_partner", what="the program waits")
    sonde = start_whole(world, "trussrw", 2, ["-q"], [deeds.pid])
    with open(gate, "wb"):
        world.finish(deeds)
    found = [re.sub("0x[0-9a-f]+", "AT", line) for line in lines(stop_tracing(world, sonde).stdout)]
    equal(found, ["write(3, AT,   10)\t\t = 10", "read(3, AT,   64)\t\t = 10", "read(3, AT,   64)\t\t = 0"], "trussrw")


@scenario()
def stock_kernel_scripts_that_need_a_held_thread(world):
    """Each is refused before anything is traced, with the probe and the sources that can: what it copies is at an address that only the body
    knows, or it raises a signal."""
    need_it(world)
    for folder, script, probe, arguments in ((IN_USE, "execargs", "execve:entry", ()), (IN_USE, "fileops", "rename:return", ()), (IN_USE, "killer", "openat:entry", ("-w", "/etc/shadow")),
                                             (EXAMPLES, "own-translators", "openat:entry", ())):
        result = world.sonde(*auto(), "-s", folder / f"{script}.d", *arguments, status=1)
        equal((result.stdout, result.stderr), ("", f"sonde: could not enable tracing: probe syscall:vmlinux:{probe}: its thread would have to wait, which the bpf source "
                                               "cannot have it do; the kmod or ptrace source can\n"), script)


@scenario(alone=True)
def stock_kernel_examples_of_calls(world):
    need_it(world)
    program = apart(world, world.program("deeds"))
    name, file = os.path.basename(program), world.path("there", "text")
    found = whole(world, "failing-paths", 2, f"open:{file}", f"open:{file}.not", f"open:{file}/no", folder=EXAMPLES, program=program)
    mine = [re.sub(r"\(\d+\)", "", line, count=1) for line in lines(found) if line.startswith(f"{name}(")]
    equal(mine, [f'{name} openat("{file}.not") failed: no such file', f'{name} openat("{file}/no") failed: 20'], "failing-paths")
    with Within(world) as within:
        out = world.path("tables", "")
        sonde = within.start("top-calls", 1, ["-o", out], folder=EXAMPLES)
        within.do("getppid:5000", "stat:/etc/passwd", "usr1:30")
        counted = lambda: sum(int(n) for n in re.findall(r"^  deeds +getppid +(\d+)$", pathlib.Path(out).read_text(encoding="utf-8"), re.M))
        wait_until(lambda: counted() >= 5000, what="the tables of top-calls")
        stop_tracing(world, sonde)
        equal(counted(), 5000, "top-calls: each call in one table")


@scenario()
def stock_script_bitesize(world):
    """Sizes of what a known program writes to a disk of its own: past the cache, so that it asks itself."""
    need_it(world)
    with Disk(world) as disk:
        sonde = start_whole(world, "bitesize", 1)
        world.run([apart(world, shutil.which("dd")), "if=/dev/zero", f"of={disk.path}", "bs=16k", "count=20", "oflag=direct"])
        out = stop_tracing(world, sonde).stdout
    own = out[out.index("of=" + disk.path):]
    check(re.search(r"^ +16384 \|@+ +20 *$", own, re.M), f"20 writes of 16 KiB: {own}")


@scenario()
def stock_script_cswstat(world):
    """Switches of the machine, second by second: at least those of a program that sleeps 200 times."""
    need_it(world)
    if not newer_than(6, 16):
        raise Skip("sched:::on-cpu needs Linux 6.16")
    sonde = start_whole(world, "cswstat", 2)
    world.run([sys.executable, "-c", "import time\nfor n in range(200): time.sleep(0.005)"])
    out = stop_tracing(world, sonde).stdout
    switches = [int(n) for n in re.findall(r"^(\d+) switches, \d+ ns$", out, re.M)]
    check(sum(switches) >= 200, f"switches: {out}")


@scenario()
def each_script_without_a_target_is_run(_world):
    """On the whole machine: no such script is unused here."""
    text = "".join((pathlib.Path(__file__).parent / f"{one}.py").read_text(encoding="utf-8") for one in ("stock_kernel_in_use", "usdt_in_use", "kernel_scripts"))
    scripts = [path for folder in (IN_USE, EXAMPLES) for path in folder.glob("*.d") if "target" not in path.read_text(encoding="utf-8")]
    check(len(scripts) > 30, f"{len(scripts)} scripts")
    equal([path.name for path in scripts if f'"{path.stem}"' not in text], [], "scripts without a scenario")
