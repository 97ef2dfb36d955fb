# SPDX-License-Identifier: GPL-3.0-or-later
"""What a target of the prompt writes, and reads: above the line that is typed, by :input and :fg."""

import contextlib
import os
import re
import signal

from prompt import Piped
from prompt_screen import told, whole_screen
from support import check, equal, scenario, state_of, tracer_of, wait_until
from terminal import Screen, Terminal

# Reads commands of sh from a fifo: so the test says when the target writes what.
TOLD = 'while read -r line <&3; do eval "$line"; done 3<{fifo}'


class Speaker:
    """A target that does what the test says, one line of sh after the other."""

    def __init__(self, world, name):
        self.fifo = world.path(name)
        os.mkfifo(self.fifo)
        self.end = os.open(self.fifo, os.O_RDWR)
        self.command = "sh -c '" + TOLD.format(fifo=self.fifo) + "'"

    def do(self, line):
        os.write(self.end, (line + "\n").encode())


def number_of_started(screen, name="sh"):
    return int(re.search(rf"started {name}, pid (\d+)", "\n".join(screen.lines()))[1])


def relays(world):
    """The numbers of the processes that keep terminals for the targets."""
    found = set()
    for pid in world.left():
        with contextlib.suppress(OSError), open(f"/proc/{pid}/comm", encoding="ascii") as comm:
            if comm.read() == "sonde-relay\n":
                found.add(pid)
    return found


@scenario()
def target_writes_above_the_line(world):
    """Whole lines above a half-typed one, an open line that grows in its place, colours and a progress bar; two targets are
    told apart; how each ends is told after what it wrote."""
    one, two = Speaker(world, "one"), Speaker(world, "two")
    screen = Screen(world, [str(world.binary), "-q", "--repl"])
    try:
        screen.expect("sonde>")
        screen.line(f":target {one.command}")
        screen.expect("started sh, pid")
        half = "syscall::getuid:entry { @half["
        screen.type(half)
        one.do("echo said one; echo said two >&2; echo said three")
        above = lambda *wanted: lambda lines: lines[-1].endswith(half) and lines[-1 - len(wanted):-1] == list(wanted)  # noqa: E731
        screen.expect(above("said one", "said two", "said three"))
        one.do("printf open")
        screen.expect(above("said three", "open"))
        one.do("printf ' and more'")
        screen.expect(above("said three", "open and more"))
        one.do(r"printf ' \033[31mred\033[m\n10%%\r20%%\r'")
        screen.expect(above("said three", "open and more red", "20%"))
        one.do("printf '30%%\\r40%%\\n'; seq 1 5")
        screen.expect(above("open and more red", "40%", "1", "2", "3", "4", "5"))
        equal(sum(half in line for line in whole_screen(screen)), 1, "half-typed lines")
        screen.key("C-u")
        screen.line(f":target other: {two.command}")
        screen.expect("started other, pid")
        screen.type(half)
        one.do("echo first")
        screen.expect("[sh] first")
        two.do("printf second")
        screen.expect(above("[sh] first", "[other] second"))
        one.do("printf 'the last words'; exit 7")
        screen.expect(lambda lines: any("(sh) exited with 7" in line for line in lines))
        lines = screen.lines()
        check(lines.index("[sh] the last words") < next(i for i, line in enumerate(lines) if "exited with 7" in line), f"the order: {lines}")
        two.do("kill -TERM $$")
        screen.expect(lambda lines: any("(other)" in line and "SIGTERM" in line for line in lines))
        screen.key("C-u")
        screen.line(":target")
        screen.expect("no target")
    finally:
        screen.close()


LINES = "i=0; while [ $i -lt 3000 ]; do i=$((i+1)); echo line $i \\\\x; done; printf end"


@scenario()
def target_output_is_whole(world):
    """Every byte and in order: in the log of a screen, on a terminal that cannot move its cursor, and from a pipe."""
    wanted = "".join(f"line {i} \\x\n" for i in range(1, 3001)) + "end"
    program, log = world.path("writer", f"#!/bin/sh\n{LINES}\n"), world.path("log")
    os.chmod(program, 0o755)
    screen = Screen(world, [str(world.binary), "-q", "--repl"])
    try:
        screen.expect("sonde>")
        screen.line(f":log {log}")
        screen.line(f":target {program}")
        screen.expect("exited with 0")
        wait_until(lambda: any(map(told, whole_screen(screen))), what="a notice: 3,000 lines at once", pause=0.1)
        equal(open(log, encoding="utf-8").read(), wanted, "the log")
    finally:
        screen.close()
    terminal = Terminal(world)
    try:
        terminal.send(f"{world.binary} -q --repl\n")
        terminal.expect("sonde> ")
        terminal.send(f":rate all\n:target {program}\n")
        shown = terminal.expect("exited with 0")
        lines = re.findall(r"line \d+ \\x|^end", re.sub(r"\r|\n?sonde> *", "\n", shown), re.M)
        differing = [pair for pair in zip(lines, wanted.splitlines()) if pair[0] != pair[1]]
        check(not differing and len(lines) == 3001, f"a dumb terminal: {len(lines)} lines, {differing[:3]}; {shown[-200:]!r}")
    finally:
        terminal.close()
    result = world.run([world.binary, "-q", "--repl"], stdin=open(world.path("commands", f":target {program}\n"), encoding="utf-8"))
    check(result.stdout == wanted + "\n", f"from a pipe: {result.stdout[-100:]!r}")  # the empty line at the end is ours
    check("exited with 0" in result.stderr, f"from a pipe: {result.stderr}")


ASKS = "for fd in 0 1 2; do test -t $fd && echo $fd is a terminal || echo $fd is none; done; tty </dev/tty >/dev/null 2>&1 && echo has one || echo has none; stty size 2>/dev/null || echo no size"


@scenario()
def target_sees_the_terminal(world):
    """isatty() as docs/prompt.md says: output like sonde's own, input /dev/null; with -t all three, of sonde's size."""
    asks = world.path("asks", f"#!/bin/sh\n{ASKS}\n")
    os.chmod(asks, 0o755)
    screen = Screen(world, [str(world.binary), "-q", "--repl"], columns=90, rows=40)
    try:
        screen.expect("sonde>")
        screen.line(f":target {asks}")
        screen.expect("exited with 0")
        check(all(line in screen.lines() for line in ("0 is none", "1 is a terminal", "2 is a terminal", "no size")), f"{screen.lines()}")
        screen.line(f":target -t own: {asks}")
        screen.expect("(own) exited with 0")
        check(all(line in screen.lines() for line in ("0 is a terminal", "has one", "40 90")), f"-t: {screen.lines()}")
    finally:
        screen.close()
    screen = Screen(world, ["sh", "-c", f"{world.binary} -q --repl 2>{world.path('err')}"])
    try:
        screen.expect("sonde>")
        screen.line(f":target {asks}")
        wait_until(lambda: "exited with 0" in open(world.path("err"), encoding="utf-8").read(), what="the end")
        check("2 is none" in screen.lines() and "1 is a terminal" in screen.lines(), f"standard error is a file: {screen.lines()}")
    finally:
        screen.close()
    for option, lines in (("", ["0 is none", "1 is none", "2 is none"]), ("-t ", ["0 is a terminal", "1 is a terminal", "2 is a terminal", "has one"])):
        result = world.run([world.binary, "-q", "--repl"], stdin=open(world.path("commands", f":target {option}{asks}\n"), encoding="utf-8"))
        equal(result.stdout.replace("\r\n", "\n").splitlines()[:len(lines)], lines, f"from a pipe, {option or 'plain'}: {result.stderr}")


@scenario()
def target_reads_from_its_terminal(world):
    """:input types a line, from a pipe, too; whom it means; what has no terminal says so; :run repeats with one."""
    prompt = Piped(world)
    check("no target has a terminal of its own" in prompt.say(":input hello"), "none yet")
    reads = "sh -c 'read -r a; echo \"<$a>\"; read -r a; exit \"$a\"'"
    prompt.say(f":target plain: {reads}")
    prompt.say(f":target -t first: {reads}")
    prompt.say(f":target -t second: {reads}")
    check("no target of the name plain has a terminal" in prompt.say(":input plain: x"), "without -t")
    prompt.say(":input first: one: two")
    wait_until(lambda: "<one: two>" in prompt.text(), what="what first read")
    prompt.say(":input to the last")
    wait_until(lambda: "<to the last>" in prompt.text(), what="what second read")
    check(":fg needs a terminal" in prompt.say(":fg"), ":fg from a pipe")
    prompt.say(":input first: 3")
    wait_until(lambda: "(first) exited with 3" in prompt.text(), what="the end of first")
    prompt.say(":run second")
    prompt.say(":input second-2: again")
    wait_until(lambda: "<again>" in prompt.text(), what="what the second run read")
    check("start which program" in prompt.say(":target -t"), ":target -t of nothing")
    check("failed to execute nosuch" in prompt.say(":target -t nosuch"), ":target -t of no program")
    for name in ("second", "second-2"):
        prompt.say(f":input {name}: 0")
    wait_until(lambda: prompt.text().count("exited with 0") >= 2, what="the ends")
    prompt.end()


@scenario()
def target_in_front(world):
    """:fg gives screen and keyboard away; Ctrl-], or its end, gives them back; what is traced meanwhile is counted."""
    screen = Screen(world, [str(world.binary), "-q", "--repl"])
    try:
        screen.expect("sonde>")
        screen.line(":fg")
        screen.expect("no target has a terminal of its own")
        screen.line(":target -t shell: sh -i")
        screen.expect("started shell, pid")
        screen.line('tick-100ms { printf("traced\\n"); }')
        screen.expect("traced")
        screen.line(":fg shell")
        screen.expect("has screen and keyboard; Ctrl-] gives them back")
        screen.line("echo in $((40 + 2)) front; sleep 1000; echo after $?")
        screen.expect("in 42 front")
        screen.key("C-c")
        screen.line("sleep 0.5; echo and $((40 + 3))")  # some ticks later
        screen.expect("and 43")
        check("traced" not in screen.lines()[screen.lines().index("in 42 front"):], f"output over its screen: {screen.lines()}")
        screen.key("C-]")
        screen.expect(lambda lines: lines[-1].startswith("sonde>") and any(map(told, lines)))
        screen.line(":disable all")
        screen.expect("all clauses are disabled")
        screen.line(":quiet")
        screen.line(":fg")
        screen.expect("sonde (quiet)>")
        screen.line("exit 5")
        screen.expect("(shell) exited with 5")
        screen.line(":resume")
        screen.expect(lambda lines: lines[-1] == "sonde>")
        screen.type("BEGIN")
        screen.expect("sonde> BEGIN")
    finally:
        screen.close()


DRAWS = """
import signal, sys, termios
out = lambda text: (sys.stdout.write(text), sys.stdout.flush())
redraw = lambda *_: out("\\033[H\\033[2Jdrawn by the program\\r\\n")
signal.signal(signal.SIGWINCH, redraw)
out("before\\n\\033[1mbold\\033[m\\033[5;5H there\\n")
out(BEGIN)
redraw()
sys.stdin.readline()
out(END)
out("\\nafter\\n")
sys.stdin.readline()
"""


@scenario()
def target_that_draws_on_the_whole_screen(world):
    """Is not shown over the prompt; a line says so; :fg shows it, and its end gives back the screen as it was. Lines before and behind are shown."""
    for begin, end in (("\\033[?1049h", "\\033[?1049l"), ("\\033[?1h\\033=\\033[?25l", "\\033[?25h\\033[?1l")):
        program = world.path("draws.py", DRAWS.replace("BEGIN", f'"{begin}"').replace("END", f'"{end}"'))
        screen = Screen(world, [str(world.binary), "-q", "--repl"])
        try:
            screen.expect("sonde>")
            screen.line(f":target -t painter: /usr/bin/python3 -S -E -B {program}")
            screen.expect("painter draws on the whole screen, which is not shown; :fg painter shows it")
            screen.expect("bold there")
            check("drawn by the program" not in "\n".join(screen.lines()), f"over the prompt: {screen.lines()}")
            screen.line(":fg painter")
            screen.expect("drawn by the program")
            screen.key("C-]")
            screen.expect(lambda lines: lines[-1].startswith("sonde>"))
            screen.line(":input painter: x")
            screen.expect("after")
            screen.line(":input painter: y")
            screen.expect("(painter) exited with 0")
            lines = screen.lines()
            check(lines.index("before") < lines.index("bold there") < lines.index("after"), f"lines: {lines}")
            equal(sum("draws on the whole screen" in line for line in lines), 1, f"said once: {lines}")
        finally:
            screen.close()


@scenario()
def target_flood_is_held_back(world):
    """:rate, :pause and :quiet count a target's lines as they count ours; it is not stopped by that."""
    screen = Screen(world, [str(world.binary), "-q", "--repl"])
    try:
        screen.expect("sonde>")
        screen.line(":target flood: sh -c 'while :; do echo flooding; done'")
        wait_until(lambda: any(map(told, whole_screen(screen))), what="a notice", pause=0.2)
        screen.key("C-c")
        screen.expect("sonde (paused)>")
        screen.line("syscall::write:entry /execname == \"sh\"/ { @writes = count(); }")
        screen.expect("clause 1 matched 1 probe")
        counted = lambda: (screen.line(":print @writes"), [int(line) for line in screen.lines() if re.match(r" +\d+$", line)])[1]  # noqa: E731
        wait_until(lambda: len(set(counted())) >= 2, what="the target going on", pause=0.2)
        screen.line(":stop")
        screen.expect("let go of 1 process")
        screen.line(":resume")
        screen.expect(lambda lines: sum(told(line) for line in lines) > 1000)
        os.kill(int(re.search(r"started flood, pid (\d+)", "\n".join(whole_screen(screen)))[1]), signal.SIGKILL)
    finally:
        screen.close()


@scenario()
def target_outlives_the_prompt(world):
    """After :quit, and after SIGKILL of sonde, its output goes on reaching the terminal; no process of ours is left when it has
    ended."""
    for how in (":quit", "SIGKILL"):
        speaker = Speaker(world, f"fifo{how[-4:]}")
        terminal = Terminal(world)
        try:
            terminal.send(f"{world.binary} -q --repl\n")
            terminal.expect("sonde> ")
            terminal.send(f":target {speaker.command}\n")
            pid = int(re.search(r"started sh, pid (\d+)", terminal.expect("\nsonde> "))[1])
            speaker.do("echo here")
            terminal.expect("here")
            sonde = int(open(f"/proc/{pid}/status", encoding="ascii").read().split("TracerPid:")[1].split()[0]) if tracer_of(pid) else 0
            if how == ":quit":
                terminal.send(":quit\n")
            else:
                parent = sonde or pid
                os.kill(int(open(f"/proc/{parent}/stat", encoding="ascii").read().rpartition(")")[2].split()[1]), signal.SIGKILL)
            terminal.expect("ready> ")
            wait_until(lambda: tracer_of(pid) == 0, what="nobody tracing it")
            speaker.do("echo still here; seq 1 2000 | tail -1")
            terminal.expect("still here")
            terminal.expect("2000")
            speaker.do("exit")
            wait_until(lambda: not relays(world), what=f"the end of sonde-relay after {how}")
        finally:
            terminal.close()


@scenario()
def target_output_beside_job_control(world):
    """Ctrl-Z while a target writes and ends: fg redraws, and tells both in their order."""
    speaker = Speaker(world, "fifo")
    terminal = Terminal(world)
    try:
        terminal.send(f"{world.binary} -q --repl\n")
        terminal.expect("sonde> ")
        terminal.send(f":target {speaker.command}\n")
        pid = int(re.search(r"started sh, pid (\d+)", terminal.expect("\nsonde> "))[1])
        terminal.send("half")
        terminal.expect("half")
        terminal.send("\x1a")
        terminal.expect("Stopped")
        speaker.do("echo while stopped; exit 3")
        wait_until(lambda: not os.path.exists(f"/proc/{pid}") or state_of(pid, pid) == "Z", what="the end of the target")
        terminal.send("fg\n")
        check("while stopped" in terminal.expect("exited with 3"), "what it wrote comes before its end")
        terminal.expect("sonde> half")
        terminal.send("\x15:nosuch\n")  # the keys are the prompt's again, not those of a shell's terminal
        terminal.expect("unknown command :nosuch")
        terminal.send(f":target -t sized: {speaker.command}\n")
        terminal.expect("started sized")
        terminal.send(":quit\n")
        terminal.expect("ready> ")
        speaker.do("exit")
    finally:
        terminal.close()
