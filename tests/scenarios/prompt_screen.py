# SPDX-License-Identifier: GPL-3.0-or-later
"""What a prompt shows on its screen when much happens."""

import re

import support
from commands import last_tick
from support import check, equal, scenario, wait_until
from terminal import Screen

FLOOD = 'tick-2000hz { printf("live %d\\n", ++i); }'


def whole_screen(screen):
    return screen.call("capture-pane", "-p", "-t", "t", "-S", "-2000").rstrip().splitlines()


def told(line):
    """The number of lines that a notice says were left out; 0: it is none."""
    found = re.search(r"^(?:…|\.\.\.) ([0-9,]+) more lines?; :pause, :quiet, :rate N$", line)
    return int(found[1].replace(",", "")) if found else 0


def notices(screen):
    return sum(told(line) > 0 for line in whole_screen(screen))


def check_numbers(lines):
    """Between any two numbers as many lines were told as are missing."""
    last, held, shown = None, 0, 0
    for line in lines:
        if told(line):
            check(shown <= 200, f"{shown} lines without a notice")
            held, shown = held + told(line), 0
        if found := re.match(r"live (\d+)$", line):
            if last is not None:
                equal(int(found[1]) - last - 1, held, f"lines told between {last} and {found[1]}")
            last, held, shown = int(found[1]), 0, shown + 1
    check(last is not None, "nothing was shown")


@scenario()
def prompt_holds_a_flood_back(world):
    """At most 200 lines a second, the rest is counted to the last; an answer stays until the next line; Ctrl-C and :pause
    stop what is shown, :resume lets it go on, :rate changes the limit."""
    ticks = world.path("ticks")
    screen = Screen(world, [str(world.binary), "-q", "--repl"])
    try:
        screen.expect("sonde>")
        screen.line(f":target {world.program('ticker')} {ticks} 0")  # a clock that stops with nothing
        screen.line(FLOOD)
        wait_until(lambda: notices(screen) >= 2, what="two notices", pause=0.2)
        screen.line(":help")
        screen.expect("output waits while you read this")
        tick = last_tick(ticks)
        wait_until(lambda: last_tick(ticks) > tick + 5, what="the clock going on")
        check(screen.lines()[-1].startswith("sonde>") and "output waits" in screen.lines()[-2], f"output below the answer: {screen.lines()[-3:]}")
        screen.key("Enter")
        screen.expect(lambda lines: re.match(r"live \d+$", lines[-2]) and lines[-1].startswith("sonde>"))
        screen.key("C-c")
        screen.expect("sonde (paused)>")
        screen.line("rate 50")
        screen.expect("50 lines a second are shown")
        stood = [line for line in whole_screen(screen) if line.startswith("live")]
        tick = last_tick(ticks)
        wait_until(lambda: last_tick(ticks) > tick + 5, what="the clock going on")
        equal([line for line in whole_screen(screen) if line.startswith("live")], stood, "lines while paused")
        screen.line(":resume")
        already = notices(screen)
        wait_until(lambda: notices(screen) >= already + 2, what="two more notices", pause=0.2)
        screen.line(":disable 2")
        screen.line(":disable 1")
        screen.line("")
        screen.line(":clauses")
        screen.expect("1  (disabled) tick")
        check_numbers(whole_screen(screen))
    finally:
        screen.close()


@scenario()
def prompt_from_a_pipe_shows_every_line(world):
    """No limit, unless one is asked for; then what was held back is told at the end."""
    commands = 'BEGIN { printf("%s", "' + "x\\n" * 300 + '"); }\n'
    result = world.run([world.binary, "-q", "--repl", "-x", "strsize=4096"], stdin=open(world.path("commands", commands), encoding="utf-8"))
    equal(result.stdout.count("x\n"), 300, "lines")
    result = world.run([world.binary, "-q", "--repl", "-x", "strsize=4096"], stdin=open(world.path("commands", ":rate 100\n" + commands), encoding="utf-8"))
    equal((result.stdout.count("x\n"), sum(map(told, result.stdout.splitlines()))), (100, 200), "lines shown and told")
    result = world.run([world.binary, "-q", "--repl", "-x", "strsize=4096"], stdin=open(world.path("commands", ":quiet\n" + commands), encoding="utf-8"))
    equal((result.stdout.count("x\n"), sum(map(told, result.stdout.splitlines()))), (0, 300), "lines shown and told")


@scenario()
def prompt_from_a_pipe_says_that_something_was_wrong(world):
    """By its exit status; what follows is carried out all the same."""
    for line, status in (("BEGIN { trace(1); }", 0), (":clauses", 0), ("nosuch", 1), (":nosuch", 1), (":disable 7", 1), (":print @x", 1),
                         (":list syscall::nosuch:", 1), (":help nosuch", 1), (":target /no/such", 1), (":rate x", 1), (":r", 1),
                         ("BEGIN { exit(3); }", 3)):
        result = world.run([world.binary, "--repl"], stdin=open(world.path("commands", f"{line}\nBEGIN {{ trace(4711); }}\n"), encoding="utf-8"))
        equal(result.status, status, f"exit status after {line!r}: {result}")
        equal("4711" in result.stdout, status != 3, f"whether the next line is carried out after {line!r}")


@scenario()
def prompt_has_a_page_with_its_commands(world):
    """docs/prompt.md has a row for each command that --help=prompt lists, and no other."""
    text = world.run([world.binary, "--help=prompt"]).stdout
    named = re.findall(r"^  :(\w+)", text, re.M)
    page = (support.PROGRAMS.parents[1] / "docs/prompt.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`:.*?) \|", page, re.M)
    equal(sorted({command for row in rows for command in re.findall(r"`:(\w+)", row)}), sorted(named), "commands")
