# SPDX-License-Identifier: GPL-3.0-or-later
"""The prompt, on a terminal and from a pipe."""

import os
import re
import signal
import subprocess

from commands import last_tick
from support import check, equal, patience, scenario, tracer_of, wait_until
from terminal import Screen


def live_lines(lines):
    return [i for i, line in enumerate(lines) if "live ticker" in line]


def ticker_pid(path):
    return int(open(path, encoding="ascii").read().split()[1])


@scenario()
def prompt_on_a_terminal(world):
    """Starts a target, types a clause, gets output above a half-typed line, types a second clause, :quit; the target
    continues."""
    ticks = world.path("ticks")
    screen = Screen(world, [str(world.binary), "--repl"])
    try:
        screen.expect(lambda lines: any(line.strip() for line in lines))
        screen.line(f":target {world.program('ticker')} {ticks} 0")
        wait_until(lambda: last_tick(ticks) > 2, what="the target's ticks")
        screen.line('tick-200ms { show = 1; }')
        screen.line('syscall::getppid:entry /show/ { show = 0; printf("live %s\\n", execname); }')
        screen.expect(lambda lines: len(live_lines(lines)) >= 2)

        half = "syscall::getuid:entry { @calls[exe"
        screen.type(half)
        already = len(live_lines(screen.lines()))
        shown = screen.expect(lambda lines: len(live_lines(lines)) >= already + 2)
        check(shown[-1].endswith(half), f"the half-typed line is not the last one: {shown[-3:]}")
        check(sum(half in line for line in shown) == 1, "the half-typed line is shown more than once: " + "\n    ".join(shown))
        check(max(live_lines(shown)) < len(shown) - 1, "output below the half-typed line")

        screen.line("cname] = count(); }")
        screen.line(":clauses")
        screen.expect("getuid")

        def counted():  # the clause is new: the first :print may come before the target's next call
            screen.line(":print")
            return any(re.match(r"\s+ticker\s+\d+$", line) for line in screen.lines())

        wait_until(counted, what="the target's calls in :print", pause=0.3)
        screen.line(":quit")
        wait_until(screen.dead, what="the end of sonde")
        pid = ticker_pid(ticks)
        equal(tracer_of(pid), 0, "tracer of the target")
        tick = last_tick(ticks)
        wait_until(lambda: last_tick(ticks) > tick + 2, what="the target going on")
        os.kill(pid, signal.SIGKILL)
    finally:
        screen.close()


@scenario()
def prompt_keeps_its_history(world):
    """In XDG_STATE_HOME/sonde/history, from one prompt to the next."""
    for step, line in ((1, "BEGIN { /* the first */ }"), (2, None)):
        screen = Screen(world, ["env", f"XDG_STATE_HOME={world.path('state')}", str(world.binary), "--repl"])
        try:
            screen.expect(lambda lines: any(text.strip() for text in lines))
            if line:
                screen.line(line)
                screen.line(":clauses")
                screen.expect("the first")
            else:
                for _ in range(3):  # :quit, :clauses, the clause
                    screen.key("Up")
                screen.expect(lambda lines: lines[-1].rstrip().endswith("BEGIN { /* the first */ }"))
                screen.key("C-u")
            screen.line(":quit")
            wait_until(screen.dead, what=f"the end of prompt {step}")
        finally:
            screen.close()
        equal(open(f"{world.path('state')}/sonde/history", encoding="utf-8").read().splitlines()[:3], ["BEGIN { /* the first */ }", ":clauses", ":quit"], "the file")


@scenario()
def prompt_from_a_pipe(world):
    """Clauses of several lines; an invalid one gives a message and does no harm; at the end of the input it waits for
    the target to end."""
    ticks = world.path("ticks")
    commands = f""":help
BEGIN {{ trace(nosuch); }}
:target {world.program('ticker')} {ticks} 25
syscall::getppid:entry {{
    @[execname] = count();
}}
:clauses
:list pid$target:a.out:main:entry
:print
"""
    result = world.run([world.binary, "--repl"], stdin=open(world.path("commands", commands), encoding="utf-8"))
    equal(result.status, 1, "exit status, because one clause was wrong")
    text = result.stdout + result.stderr
    check(re.search(r"^  ticker +[1-9]\d*$", text, re.M), f"the target's calls: {text}")
    check(re.search(r"pid\d+ +ticker +main entry", text), f":list pid$target:... shows nothing: {text}")
    check("failed to resolve nosuch" in text, "the wrong clause is not explained")
    for command in (":target", ":clauses", ":disable", ":print", ":stop", ":quit"):
        check(command in text, f":help does not name {command}")


class Piped:
    """sonde --repl with commands from a pipe, and all its output."""

    def __init__(self, world, *arguments):
        self.path = world.path("said", "")
        self.process = world.start([world.binary, "--repl", *arguments], stdin=subprocess.PIPE, stdout=open(self.path, "w", encoding="utf-8"),
                                   stderr=subprocess.STDOUT)

    def say(self, line):
        """The output until the answer to the next command, which is an unknown one."""
        before = len(self.text())
        mark = f"nosuch{before}"
        self.process.stdin.write(f"{line}\n:{mark}\n")
        self.process.stdin.flush()
        return wait_until(lambda: re.match(rf"(?s)(.*?)[^\n]*:{mark}\b", self.text()[before:]), what=f"the answer to {line}")[1]

    def text(self):
        return open(self.path, encoding="utf-8").read()

    def value(self, name):
        """The value of an aggregation whose key is its name."""
        found = re.search(rf"^  {name} +(\d+)$", self.say(f":print @{name}"), re.M)
        return int(found[1]) if found else 0

    def end(self):
        self.process.stdin.close()
        equal(self.process.wait(timeout=60 * patience), 1, "exit status; the marks are unknown commands")


def piped_on_ticker(world):
    """A prompt that counts both calls of a ticker, with a clause for each; and the ticker's file."""
    ticks = world.path("ticks")
    prompt = Piped(world)
    prompt.say(f":target {world.program('ticker')} {ticks} 0")
    prompt.say('syscall::getppid:entry { @parent["parent"] = count(); }')
    prompt.say('syscall::getuid:entry { @user["user"] = count(); }')
    wait_until(lambda: prompt.value("parent") > 0 and prompt.value("user") > 0, what="the target's calls", pause=0.05)
    return prompt, ticks


def end_target(ticks):
    open(f"{ticks}.end", "w", encoding="ascii").close()
    wait_until(lambda: last_tick(ticks) == "done", what="the target's end")


SCRIPT = """#!/usr/sbin/dtrace -s
#pragma D option strsize=100
/* description, predicate and body each on a line of its own, as scripts have them: { */
inline int WANTED = 1; int seen;

syscall::getppid:entry,
syscall::getuid:entry
/WANTED && probefunc != "/{"/
{
    @calls[probefunc] = count();   /* } */
}
syscall::getppid:entry
{ this->one = 1; seen += this->one }
"""


@scenario()
def prompt_takes_a_script_line_by_line(world):
    """As when pasted. A description alone waits for its body; an empty line, a command or the end of the input means
    that it has none."""
    prompt, ticks = piped_on_ticker(world)
    said = "".join(prompt.say(line) if line.endswith("}") else prompt.process.stdin.write(line + "\n") and "" for line in SCRIPT.splitlines())
    equal(re.findall(r"clause \d+ matched (\d+) probes?", said)[-2:], ["2", "1"], f"clauses that are enabled: {said}")
    check("syntax" not in said and "write" not in said, f"complaints: {said}")
    wait_until(lambda: "getppid" in prompt.say(":print @calls") and "getuid" in prompt.say(":print @calls"), what="both calls", pause=0.05)
    check("does not match any probes" in prompt.say("syscall::nosuchcall:entry"), "a description of no probe is answered at once")
    prompt.process.stdin.write("syscall::getppid:entry\n")
    check("matched 1 probe" in prompt.say(""), "an empty line ends a description")
    prompt.process.stdin.write("syscall::getppid:return\n")
    check(re.search(r"clause \d+ matched 1 probe", prompt.say(":disable 1")), "so does a command, which comes after it")
    check("syntax error" in prompt.say("BEGIN { @x = sum(arg2; }"), "a bracket that nothing can close any more")
    prompt.process.stdin.write("inline int\n  X\n = 3;\n")
    check("syntax" not in prompt.say("tick-1s { trace(X + 1); }"), "a declaration of several lines")
    end_target(ticks)
    prompt.process.stdin.write("BEGIN")
    prompt.end()
    check(re.search(r"clause 12 matched 1 probe\n", prompt.text()), f"the end of the input ends a description: {prompt.text()[-300:]}")
    check(re.search(r"process \d+ \(ticker\) exited with 0", prompt.text()), "how the target has ended")


@scenario()
def prompt_knows_its_words_without_a_colon(world):
    for word, said in (("help", ":target [-t] [NAME:] COMMAND"), ("?", ":target [-t] [NAME:] COMMAND"), ("quit", ""), ("exit", "")):
        result = world.run([world.binary, "--repl"], stdin=open(world.path("commands", word + "\n:nosuch\n"), encoding="utf-8"))
        check(said in result.stdout and "syntax" not in result.stderr and "match" not in result.stderr, f"{word}: {result}")
        equal("unknown command" in result.stderr, said != "", f"{word}: whether it has ended")


# what is typed by mistake -> what the answer says, and advises; each is answered before the next line
STRAY = (*((typed, said, ":help lists") for typed, said in (
             ("version", "does not match any probes"), ("foo bar", "syntax error"), ("1+2", "syntax error"), ("x = 3", "syntax error"),
             ("!ls", "does not match any probes"), ("4711", "Unknown probe identifier"))),
         ("p pid", "syntax error", "BEGIN { trace(X); }"), ("attach 1", "syntax error", ":target PID attaches"))


@scenario()
def prompt_answers_any_word_at_once(world):
    """A word that no further line can complete does not wait for one, and the next clause is not added to it."""
    prompt = Piped(world)
    for typed, wanted, advice in STRAY:
        said = prompt.say(typed)
        check(wanted in said and advice in said, f"{typed!r}: {said!r}")
        check("matched 1 probe" in prompt.say("BEGIN { }"), f"the clause after {typed!r}")
    equal(prompt.say("# a comment"), "", "a comment")
    check("no aggregation yet" in prompt.say("print @w"), "print without its colon, before any aggregation")
    check("matched 1 probe" in prompt.say("BEGIN { @v = count(); }"), "an aggregation")
    check("matched 1 probe" in prompt.say(":::BEGIN { }") and "matched 2 probes" in prompt.say("syscall::getppid:entry\n::getppid:entry { }"),
          "a description whose first fields are empty is no command")
    check("no aggregation @w" in prompt.say("print @w"), "print of one that is not there")
    check("getppid" in prompt.say("list syscall::getppid:"), "list without its colon")
    check("no topic 'nosuch'" in prompt.say("help nosuch") and "aggsize" in prompt.say(":help settings "), "topics")
    check(":clauses: lists the clauses" in prompt.say(":help :clauses") and ":load FILE: " in prompt.say("help load"), "commands as topics")
    prompt.process.stdin.write("inline int\n  Y\n = 4;\nsyscall::getppid:entry\n/pid == 1/\n")
    check("matched 1 probe" in prompt.say("{ trace(Y); }"), "a declaration and a clause of several lines")
    prompt.end()


@scenario()
def prompt_completes(world):
    """Tab, on a screen: commands, topics, fields of a description, names in a body; a second Tab lists, with notes."""
    screen = Screen(world, [world.binary])
    try:
        screen.expect("sonde>")
        screen.type(":")
        screen.key("Tab")
        screen.key("Tab")
        screen.expect("lets the targets go; they run on untraced")
        screen.type("cla")
        screen.key("Tab")
        screen.key("Enter")
        screen.expect("no clauses yet")
        screen.type(":help set")
        screen.key("Tab")
        screen.expect(":help settings")
        screen.key("C-u")
        for typed in ("sysc", "vml", "getppi", "ent"):
            screen.type(typed)
            screen.key("Tab")
        screen.expect("syscall:vmlinux:getppid:entry")
        screen.type("{ @mine[execn")
        screen.key("Tab")
        screen.type("] = quant")
        screen.key("Tab")
        screen.type("arg0); }")
        screen.key("Enter")
        screen.expect("clause 1 matched 1 probe")
        screen.type(":print @m")
        screen.key("Tab")
        screen.expect(":print @mine")
        screen.key("C-u")
        screen.type("BEGIN { copyin")
        screen.key("Tab")
        screen.key("Tab")
        screen.expect("copyinstr(")
    finally:
        screen.close()


@scenario()
def prompt_with_a_summary(world):
    """--summary at the prompt: the table is printed at the end; its own clauses give no line at the start."""
    commands = f":target {world.program('mixed')} 5\n"
    result = world.run([world.binary, "--summary", "--repl"], stdin=open(world.path("commands", commands), encoding="utf-8"))
    equal(result.status, 0, "exit status")
    check("matched" not in result.stdout + result.stderr, f"{result}")
    check(re.search(r"^% time .*\n---.*\n(?s:.*)^ .* 5 +getppid$", result.stdout, re.M), f"the table: {result.stdout}")
    commands = "BEGIN { trace(1); }\n:clauses\n"
    result = world.run([world.binary, "--summary", "--repl", "-n", "END"], stdin=open(world.path("commands", commands), encoding="utf-8"))
    check("1  END\n2  BEGIN { trace(1); }\n" in result.stdout, f":clauses: {result.stdout}")


@scenario()
def prompt_lists_probes(world):
    """:list prints the same as -l; or that there is none."""
    prompt = Piped(world)
    listed = world.sonde("-l", "-n", "syscall::getpp*:").stdout
    equal(len(listed.splitlines()), 3, "lines of -l")
    equal(prompt.say(":list syscall::getpp*:"), listed, ":list")
    said = prompt.say(":list syscall::nosuch*:")
    check("nosuch" in said and "getppid" not in said, f"of no probe: {said!r}")
    prompt.end()


@scenario()
def prompt_disables_a_clause(world):
    """Its count stays the same while the other one grows."""
    prompt, ticks = piped_on_ticker(world)
    check("(disabled)" not in prompt.say(":clauses"), "disabled before :disable")
    prompt.say(":disable 1")
    lines = [line for line in prompt.say(":clauses").splitlines() if "syscall" in line]
    equal(["disabled" in line for line in lines], [True, False], f"clauses {lines}")
    stood, other = prompt.value("parent"), prompt.value("user")
    wait_until(lambda: prompt.value("user") >= other + 5, what="calls of the clause that is enabled", pause=0.05)
    equal(prompt.value("parent"), stood, "count of the disabled clause")
    check(prompt.say(":disable 7") != "", "a clause that is not there")
    end_target(ticks)
    prompt.end()


@scenario()
def prompt_lets_the_targets_go(world):
    """:stop: the target is not traced any more, :target shows none, nothing more is counted, and the target continues."""
    prompt, ticks = piped_on_ticker(world)
    pid = ticker_pid(ticks)
    check(str(pid) in prompt.say(":target"), ":target names the target")
    prompt.say(":stop")
    wait_until(lambda: str(pid) not in prompt.say(":target"), what="nobody in :target")
    wait_until(lambda: tracer_of(pid) == 0, what="nobody tracing the target")
    stood, tick = prompt.value("user"), last_tick(ticks)
    wait_until(lambda: last_tick(ticks) > tick + 5, what="the target going on")
    equal(prompt.value("user"), stood, "count after :stop")
    end_target(ticks)
    prompt.end()


@scenario()
def prompt_prints_what_is_asked(world):
    """:print prints one aggregation, or all; :target PID attaches to a running process; :quit detaches."""
    ticks = world.path("ticks")
    ticker = world.start([world.program("ticker"), ticks, 0])
    wait_until(lambda: last_tick(ticks) > 0, what="the ticker's start")
    prompt = Piped(world)
    prompt.say(f":target {ticker.pid}")
    prompt.say('syscall::getppid:entry { @parent["parent"] = count(); } syscall::getuid:entry { @user["user"] = count(); }')
    wait_until(lambda: prompt.value("parent") > 0 and prompt.value("user") > 0, what="the target's calls", pause=0.05)
    one, all_of_them = prompt.say(":print @user"), prompt.say(":print")
    check("user" in one and "parent" not in one, f":print @user: {one!r}")
    check("user" in all_of_them and "parent" in all_of_them, f":print: {all_of_them!r}")
    check("nosuch" in prompt.say(":print @nosuch"), "an aggregation that is not there")
    prompt.process.stdin.write(":quit\n")
    prompt.end()
    tick = last_tick(ticks)
    wait_until(lambda: last_tick(ticks) > tick + 2, what="the target going on")
    end_target(ticks)
