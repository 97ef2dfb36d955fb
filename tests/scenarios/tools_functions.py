# SPDX-License-Identifier: GPL-3.0-or-later
"""Tools on functions and stacks: scripts of tools/ that are run by their name. deeds.c is told what it calls, so what each tool must print is
known: as PROGRAM, as a process that runs already, and for the whole machine without the module."""

import json
import os
import pathlib
import re

from in_use import distribution, rows
from stock_functions import own_copy
from stock_kernel import SOURCE, need_it, stop_tracing
from support import Skip, at_rest, attached_to, check, equal, scenario, wait_until

TOOLS = {"SONDE_TOOL_PATH": str(pathlib.Path(__file__).resolve().parents[2] / "tools")}


class Deeds:
    """A copy of deeds.c, which nobody else runs, that does `deeds`."""

    def __init__(self, world, *deeds, program="deeds"):
        self.world, self.deeds = world, deeds
        self.path = own_copy(world, world.program(program))
        self.name = os.path.basename(self.path)[:15]

    def as_program(self, tool, *words):
        return self.world.sonde(tool, *words, self.path, *self.deeds, env=TOOLS)

    def as_process(self, tool, *words):
        """It runs already, and goes on when it is traced."""
        gate = self.world.path("gate")
        if not os.path.exists(gate):
            os.mkfifo(gate)
        program = self.world.start([self.path, f"open:{gate}", "close", *self.deeds])
        wait_until(lambda: pathlib.Path(f"/proc/{program.pid}/wchan").read_text() == "wait_for_partner", what="the program waits")
        sonde = self.world.start_sonde(tool, *words, "-p", program.pid, env=TOOLS)
        wait_until(lambda: attached_to(sonde, program.pid) and at_rest(sonde), what="it is traced")
        with open(gate, "wb"):
            pass
        return self.world.finish(sonde)

    def on_machine(self, tool, *words):
        """What the tool says of the machine while the program runs; a BEGIN of ours comes when all is armed."""
        need_it(self.world)
        said = self.world.path("said", "")
        sonde = self.world.start_sonde(*SOURCE, "-b", "16m", "-o", said, tool, *words, "-n", 'BEGIN { printf("armed\\n"); }', env=TOOLS)
        wait_until(lambda: "armed\n" in pathlib.Path(said).read_text() or sonde.poll() is not None, what="sonde's start")
        equal(self.world.run([self.path, *self.deeds]).status, 0, "the program")
        result = stop_tracing(self.world, sonde)
        result.stdout = pathlib.Path(said).read_text().replace("armed\n", "", 1)
        return result

    def each_way(self, tool, *words, machine=()):
        """(how, what the tool printed). `machine`: more words for the whole machine."""
        yield "PROGRAM", self.as_program(tool, *words).stdout
        yield "-p", self.as_process(tool, *words).stdout
        try:
            need_it(self.world)
        except Skip:
            return
        yield "machine", self.on_machine(tool, *words, *machine).stdout

    def own_functions(self, tool, *words):
        """The same for functions of the program itself."""
        yield from self.each_way(tool, *words, machine=[f"--module={self.path}"])


def lines_of(text, word):
    return [line for line in text.splitlines() if word in line.split()]


@scenario()
def tool_funccount(world):
    deeds = Deeds(world, "calls:9", "recurse:4", "allocate:100:50")
    for how, text in deeds.own_functions("funccount", "*[ef]*", "--top=1000"):
        found = {row[2]: int(row[0]) for row in rows(text) if deeds.name[:5] in row[1]}
        equal({one: found.get(one) for one in ("outer", "leaf", "recurse")}, {"outer": 1, "leaf": 9, "recurse": 5}, how)
    for how, text in deeds.each_way("funccount", "malloc", "--module=libc.so.6", f"--name={deeds.name}"):
        row = rows(text)[-1]
        check(row[1:] == ["libc.so.6", "malloc"] and 50 <= int(row[0]) <= 60, f"{how}: {text}")
    found = rows(deeds.as_program("funccount", "*", "--module=a.out", "--top=1").stdout)
    equal([row[2] for row in found], ["FUNCTION", "leaf"], "--top=1: the one that is called most")
    equal(len(rows(deeds.as_program("funccount", "leaf", "--name=other").stdout)), 1, "--name of another program")


@scenario()
def tool_functrace(world):
    deeds = Deeds(world, "calls:2", "recurse:1", "text:a\"word")
    wanted = ["-> outer(0x2)", "  -> leaf(0x1)", "  <- leaf = 0x2", "  -> leaf(0x2)", "  <- leaf = 0x4", "<- outer = 0x7", "-> recurse(0x1)",
              "  -> recurse(0)", "  <- recurse = 0x1", "<- recurse = 0x2", '-> say(ADDRESS) "a\\"word"', "<- say = 0x6"]
    for how, text in deeds.own_functions("functrace", "[lors][eua]*[reyf]", "--args=1"):
        lines = [re.sub(r"^ *\d+\.\d{3} \d+ +?(?=(?:  )*[-<])|  \d+ us$", "", line) for line in text.splitlines()]
        own = [re.sub(r"(0x[0-9a-f]{6,})", "ADDRESS", line) for line in lines if re.search(r"(-> |<- )(outer|leaf|recurse|say)\b", line)]
        own = [line[min(len(one) - len(one.lstrip()) for one in own):] for line in own]
        equal(own, [line.replace(' "a\\"word"', "") for line in wanted], how)
    text = deeds.as_program("functrace", "say", "--module=a.out", "--args=0", "--text=1").stdout
    check(re.search(r'-> say\(\) "a\\?"word"$', text, re.M), text)


@scenario()
def tool_functrace_says_where_a_result_has_not_come(world):
    """strdup() of this library may end by a jump to memcpy(); the function of the library behind fopen() does."""
    text = Deeds(world, "text:a").as_program("functrace", "fopen", "--text=1")
    check("error" not in text.stderr, text.stderr)
    text = world.sonde("functrace", "fopen", "--text=1", "getent", "passwd", "root", env=TOOLS).stdout
    check(re.search(r'-> fopen\(.*\) "/etc/passwd"$', text, re.M), text)
    ends = re.findall(r"<- fopen (= 0x\w+|goes on in another function)  \d+ us$", text, re.M)
    check(ends and len(set(one[0] for one in ends)) == 1, f"each call has an end, all of one kind: {text}")


@scenario()
def tool_funclatency(world):
    """Recursion: each level is measured; two naps, the one of 60 ms within those of the others."""
    deeds = Deeds(world, "recurse:7", "sleep:20:3", "fork:0")
    for how, text in deeds.own_functions("funclatency", "recurse"):
        found = re.search(r"^recurse: (\d+) calls, average (\d+) ns, longest (\d+) ns, all (\d+) ns$", text, re.M)
        calls, average, longest, whole = (int(one) for one in found.groups())
        equal((calls, average, sum(distribution(text).values())), (8, whole // 8, 8), how)
        check(longest <= whole <= 8 * longest, f"{how}: {text}")
    for how, text in deeds.each_way("funclatency", "nanosleep", "--module=libc.so.6", "--min=15ms", f"--name={deeds.name}"):
        found = re.search(r"nanosleep: (\d+) calls, average (\d+) ns", text)
        equal(int(found[1]), 3, how)
        check(20_000_000 <= int(found[2]) < 200_000_000 and min(distribution(text)) >= 1 << 24, f"{how}: {text}")
    equal(deeds.as_program("funclatency", "recurse", "--min=10s").stdout.strip(), "", "--min")


@scenario()
def tool_argdist(world):
    deeds = Deeds(world, "calls:9", "recurse:4", "text:one", "text:two", "text:one")
    for how, text in deeds.own_functions("argdist", "leaf"):
        equal(distribution(text), {1: 1, 2: 2, 4: 4, 8: 2}, how)
    for how, text in deeds.own_functions("argdist", "recurse", "--arg=0", "--type=int", "--values"):
        equal(sorted(row for row in rows(text) if row[1] == "recurse"), [["1", "recurse", str(n)] for n in range(1, 6)], how)
    for how, text in deeds.own_functions("argdist", "say", "--text"):
        equal([row for row in rows(text) if row[1] == "say"], [["1", "say", "two"], ["2", "say", "one"]], how)
    for words, what in ((["--arg=7"], "--arg=7: it is 1 to 6"), (["--type=float"], "--type=float: it is long")):
        check(what in world.sonde("argdist", "leaf", *words, deeds.path, *deeds.deeds, env=TOOLS, status=1).stdout, what)
    lines = [json.loads(line) for line in deeds.as_program("argdist", "leaf", "--values", "--format=jsonl", "-o", "/dev/stdout").stdout.splitlines()]
    found = {line["keys"][1]: line["value"] for line in lines if line["type"] == "agg" and line["agg"] == "each"}
    equal(found, {str(n): 1 for n in range(1, 10)}, "as JSON")


@scenario()
def tool_argdist_knows_signs(world):
    """atoi("-3") by this library's python: an int whose register has no sign."""
    deeds = Deeds(world, "calls:1")
    script = "import ctypes; c = ctypes.CDLL(None); c.abs(-3), c.abs(5)"
    for kind, values in (("int", ["-3", "5"]), ("uint", ["4294967293", "5"])):
        text = world.sonde("argdist", "abs", "--module=libc.so.6", "--values", f"--type={kind}", "/usr/bin/python3", "-c", script, env=TOOLS).stdout
        equal(sorted(row[2] for row in rows(text)[1:]), sorted(values), kind)
    equal(distribution(deeds.as_program("argdist", "middle").stdout), {1: 1}, "one call")


def stacks(text):
    """{stack, innermost first, without offsets: count}"""
    found = {}
    for block in re.split(r"\n\n+", text):
        frames = re.findall(r"^ {10,}(\S*`\S*)$", block, re.M)
        count = re.search(r"^ +(\d+)$", block, re.M)
        if frames and count:
            key = tuple(re.sub(r".*`|\+0x.*", "", frame) for frame in frames)
            found[key] = found.get(key, 0) + int(count[1])
    return found


@scenario()
def tool_stackcount(world):
    deeds = Deeds(world, "calls:9", "recurse:2", "getppid:7", "sleep:300")  # the names of a stack are read from the process
    for how, text in deeds.each_way("stackcount", f"pid*:{deeds.path}:leaf:entry"):
        equal({stack[:4]: count for stack, count in stacks(text).items()}, {("leaf", "middle", "outer", "main"): 9}, how)
    for how, text in deeds.each_way("stackcount", "syscall::getppid:entry", f"--name={deeds.name}"):
        equal({stack[1]: count for stack, count in stacks(text).items()}, {"main": 7}, how)
    folded = deeds.as_program("stackcount", f"pid*:{deeds.path}:recurse:entry", "--format=folded", "-o", "/dev/stdout").stdout
    equal(sorted(line.rsplit("`", 1)[1] for line in folded.splitlines()), ["recurse 1"] * 3, "folded: a line for each depth")
    found = stacks(deeds.as_program("stackcount", f"pid*:{deeds.path}:*e*:entry", "--top=1").stdout)
    equal([(stack[0], count) for stack, count in found.items()], [("leaf", 9)], "--top=1")


@scenario()
def tool_stackcount_takes_the_source_that_has_the_probe(world):
    """The description is a word of the command line: with a target, probes of the kernel need another source than those of functions."""
    need_it(world)
    deeds = Deeds(world, "sleep:2:20")
    found = stacks(deeds.as_program("stackcount", "sched:::sleep").stdout)
    naps = sum(count for stack, count in found.items() if any("nanosleep" in frame for frame in stack))
    check(20 <= naps <= 22, f"{found}")
    found = stacks(deeds.as_program("stackcount", "sched:::sleep", "--kernel").stdout)
    check(any("nanosleep" in frame for stack, count in found.items() if count >= 20 for frame in stack), f"{found}")
