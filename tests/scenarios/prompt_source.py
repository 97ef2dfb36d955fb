# SPDX-License-Identifier: GPL-3.0-or-later
""":source changes the event source of a prompt."""

import re

from commands import last_tick
from prompt import Piped, end_target, ticker_pid
from prompt_screen import whole_screen
from support import check, equal, scenario, source_here, tracer_of, wait_until
from terminal import Screen


@scenario()
def prompt_changes_its_source_from_a_pipe(world):
    """Clauses, settings, the log, and what stands in the pipe behind it stay; the targets are let go, the data ends."""
    ticks, logged = world.path("ticks"), world.path("logged")
    prompt = Piped(world)
    prompt.say(f":log {logged}")
    prompt.say(":set aggsortrev")
    prompt.say(f":target clock: {world.program('ticker')} {ticks} 0")
    prompt.say('syscall::getppid:entry { @parent["parent"] = count(); }')
    prompt.say('BEGIN { printf("begun\\n"); }')
    prompt.say(":disable 2")
    wait_until(lambda: prompt.value("parent") > 0, what="the target's calls", pause=0.05)
    used = source_here()
    check(f"the event source is {used}" in prompt.say(f":source {used}"), "the one that is used")
    check("one of auto" in prompt.say(":source nosuch"), "no source")
    check(prompt.value("parent") > 0, "after a refusal everything goes on")
    pid = ticker_pid(ticks)
    said = prompt.say(":source auto")
    check(f"process {pid} (clock) runs on untraced; :target {pid} attaches to it again" in said, f"the target: {said}")
    check("aggregations and variables end here" in said and f"the event source is {used}" in said, f"the data: {said}")
    equal(said.count("begun"), 0, "the disabled clause")
    wait_until(lambda: tracer_of(pid) == 0, what="nobody tracing the target")
    lines = re.findall(r"^\d.*", prompt.say(":clauses"), re.M)
    check(lines[0].startswith("1  syscall::getppid") and lines[1].startswith("2  (disabled) BEGIN"), f":clauses: {lines}")
    equal(prompt.value("parent"), 0, "the data of the old source")
    prompt.say(f":target {pid}")
    wait_until(lambda: prompt.value("parent") > 0, what="calls by the new source", pause=0.05)
    prompt.say("BEGIN { printf(\"logged after\\n\"); }")
    check("logged after" in open(logged, encoding="utf-8").read(), "the log goes on")
    prompt.say(f":save {world.path('saved.d')}")
    check("#pragma D option aggsortrev" in open(world.path("saved.d"), encoding="utf-8").read(), "the settings")
    tick = last_tick(ticks)
    wait_until(lambda: last_tick(ticks) > tick + 2, what="the target going on")
    end_target(ticks)
    prompt.end()


@scenario()
def prompt_keeps_its_status_over_sources(world):
    """What was wrong before :source sets the exit status, and only that."""
    for line, status in ((":nosuch", 1), ("BEGIN { }", 0)):
        result = world.run([world.binary, "--repl"], stdin=open(world.path("commands", f"{line}\n:source auto\nBEGIN {{ trace(4711); }}\n"), encoding="utf-8"))
        equal(result.status, status, f"exit status after {line!r}: {result}")
        check("4711" in result.stdout, f"what follows in the file: {result}")


@scenario()
def prompt_changes_its_source_on_a_terminal(world):
    """The same screen, the same history; and from one to the next again."""
    screen = Screen(world, [str(world.binary), "-q", "--repl", "-n", 'BEGIN { printf("given\\n"); }'])
    try:
        screen.expect("sonde>")
        screen.line("tick-50ms { @n = count(); }")
        screen.expect("clause 2 matched 1 probe")
        for _ in range(2):
            screen.line(":source auto")
            screen.line(":clauses")
            wait_until(lambda: re.search(r"the event source is (?s:.*)1  BEGIN(?s:.*)2  tick-50ms", "\n".join(whole_screen(screen)[-11:])), what="the clauses in the new sonde")
            screen.line("clear")
        screen.key("Up")
        screen.key("Up")
        screen.expect(lambda lines: lines[-1].rstrip().endswith(":clauses"))
        screen.key("C-u")
        screen.line(":quit")
        wait_until(screen.dead, what="the end of sonde")
    finally:
        screen.close()
