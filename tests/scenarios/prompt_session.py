# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole sessions at the prompt: on a terminal, on one without cursor movement, and from a pipe."""

import os
import re
import signal
import subprocess

from commands import last_tick
from prompt import Piped, ticker_pid
from prompt_screen import told, whole_screen
from support import Skip, check, equal, patience, scenario, source_here, tracer_of, wait_until
from terminal import Screen, Terminal


def going_on(ticks):
    tick = last_tick(ticks)
    wait_until(lambda: last_tick(ticks) > tick + 2, what="the target going on")


@scenario()
def prompt_session_on_a_terminal(world):
    """Start, a stray word, a target, a clause line by line with three completions, live output above a half-typed line, an
    error that is mended, a flood that is held back and paused, a watched aggregation, :stop, save, load, quit."""
    ticks, saved, script = world.path("ticks"), world.path("saved.d"), None
    other = world.start([world.program("ticker"), world.path("others"), 0])
    screen = Screen(world, [str(world.binary), "-q", "--repl"])
    try:
        screen.expect("Type a clause, or :help")
        screen.line("version")
        screen.expect("no command has that name either; :help lists them")
        screen.line(f":target clock: sh -c '{world.program('ticker')} {ticks} 0 & wait'")
        screen.expect("started clock, pid")
        wait_until(lambda: last_tick(ticks) > 2, what="the target's ticks")
        started = int(re.search(r"started clock, pid (\d+)", "\n".join(screen.lines()))[1])
        screen.line(f":target {other.pid}")
        screen.expect("attached to pid")
        traced = [started, ticker_pid(ticks), other.pid]  # started, forked, attached to
        check(all(tracer_of(pid) for pid in traced) or source_here() != "ptrace", "who is traced")
        for typed in ("sysc", "vml", "getppi"):
            screen.type(typed)
            screen.key("Tab")
        screen.expect("sonde> syscall:vmlinux:getppid:")
        screen.line("entry")
        screen.expect(lambda lines: lines[-1].startswith("     |"))
        screen.line("{")
        screen.line('  printf("live %d\\n", ++i); @calls[execname] = count();')
        screen.line("}")
        screen.expect("clause 1 matched 1 probe")
        screen.expect(lambda lines: any(line.startswith("live") for line in lines))
        half = "syscall::getuid:entry { @user["
        screen.type(half)
        shown = screen.expect(lambda lines: lines[-1].endswith(half) and lines[-2].startswith("live"))
        equal(sum(half in line for line in shown), 1, "half-typed lines")
        screen.line("execnam] = count(); }")
        screen.expect("did you mean 'execname'?")
        screen.key("Up")
        for _ in "] = count(); }":
            screen.key("Left")
        screen.type("e")
        screen.key("Enter")
        screen.expect("clause 2 matched 1 probe")
        screen.line('tick-2000hz { printf("flood %d\\n", ++n); }')
        wait_until(lambda: any(map(told, whole_screen(screen))),
                   what="a notice", pause=0.2)
        screen.key("C-c")
        screen.expect("sonde (paused)>")
        screen.line(":disable 3")
        screen.line(":resume")
        screen.expect("sonde>")
        screen.line(":quiet")
        screen.line(":watch @calls 100ms")
        counts = lambda: [int(found[1]) for line in screen.lines()[-4:] if (found := re.match(r"  ticker +(\d+)$", line))]  # noqa: E731
        wait_until(lambda: counts(), what="the watched aggregation")
        first = counts()[-1]
        wait_until(lambda: counts() and counts()[-1] > first, what="a greater count in its place")
        equal(sum(bool(re.match(r"  ticker +\d+$", line)) for line in screen.lines()), 1, "tables on the screen")
        for _ in range(3):  # Enter leaves no copy of it above the line
            screen.key("Enter")
            screen.line(":help quit")
        screen.expect("sonde: :quit: ")
        wait_until(lambda: counts(), what="the aggregation below the answers")
        equal(sum(bool(re.match(r"  ticker +\d+$", line)) for line in whole_screen(screen)), 1, "tables after Enter")
        screen.line(":watch off")
        screen.line(f":save {saved}")
        screen.expect("without the disabled clauses")
        screen.line(":stop")
        wait_until(lambda: all(tracer_of(pid) == 0 for pid in traced), what="nobody tracing any of them")
        screen.line(":disable all")
        screen.line(f":load {saved}")
        screen.expect("clause 5 matched 1 probe")
        screen.line(":quit")
        wait_until(screen.dead, what="the end of sonde")
        script = open(saved, encoding="utf-8").read()
        check("flood" not in script and script.count("syscall") == 2, f"the saved script: {script}")
        pid = ticker_pid(ticks)
        going_on(ticks)
        result = world.sonde("-e", "-s", saved)
        equal(result.status, 0, f"sonde -s on the saved script: {result}")
        os.kill(pid, signal.SIGKILL)
    finally:
        screen.close()


@scenario()
def prompt_session_on_a_dumb_terminal(world):
    """The same words where no cursor moves; a watched aggregation is printed again and again."""
    ticks, saved = world.path("ticks"), world.path("saved.d")
    terminal = Terminal(world)
    try:
        terminal.send(f"{world.binary} -q --repl\n")
        terminal.expect("sonde> ")
        terminal.send("nosuch\n")
        terminal.expect(":help lists them")
        terminal.send(f":target {world.program('ticker')} {ticks} 0\n")
        terminal.expect("started ticker, pid")
        for typed, added in (("sysc", "all:"), ("vml", "inux:"), ("getppi", "d:")):
            terminal.send(typed)
            terminal.expect(typed)
            terminal.send("\t")
            terminal.expect(added)
        terminal.send("entry\n{ printf(\"live %d\\n\", ++i); @calls[execname] = count(); }\n")
        terminal.expect("clause 1 matched 1 probe")
        half = "syscall::getuid:entry { @user[execnam"
        terminal.send(half)
        terminal.expect(half)
        terminal.expect("\nlive ")
        terminal.expect("\nsonde> " + half)  # it is typed on below what was printed
        terminal.send("] = count(); }\n")
        terminal.expect("did you mean 'execname'?")
        terminal.send("\x10" + "\x02" * len("] = count(); }") + "e\n")  # the line before, and there
        terminal.expect("clause 2 matched 1 probe")
        terminal.send(f":quiet\n:save {saved}\n")
        terminal.expect("saved to")
        terminal.send(f":disable all\n:load {saved}\n")
        terminal.expect("clause 4 matched 1 probe")
        terminal.send(":watch @calls 100ms\n")
        for _ in range(3):
            terminal.expect("  ticker   ")
        terminal.send(":watch off\n:resume\n")
        terminal.send("tick-2000hz { printf(\"flood\\n\"); }\n")
        terminal.expect("clause 5 matched 1 probe")
        terminal.expect("\nflood\n")
        terminal.expect("more lines; :pause, :quiet, :rate N")
        terminal.send("\x03")
        terminal.expect("sonde (paused)> ")
        terminal.send(":disable all\n:resume\n:stop\n")
        terminal.expect("let go of 1 process")
        wait_until(lambda: tracer_of(ticker_pid(ticks)) == 0, what="nobody tracing the target")
        terminal.send("tick-1s\n{ one;\n")
        terminal.expect("| { one;\n     | ")
        terminal.send("\x04")  # inside of a clause
        terminal.expect("sonde> ")
        terminal.send("\n:clauses\n")
        terminal.expect("5  (disabled) tick-2000hz")
        terminal.send("\x1a")  # Ctrl-Z
        terminal.expect("Stopped")
        terminal.send("fg\n")
        terminal.expect("sonde> ")
        terminal.send("\x04")
        terminal.expect("ready> ")
        check("\x1b[" not in terminal.text, "an escape sequence")
        going_on(ticks)
        os.kill(ticker_pid(ticks), signal.SIGKILL)
    finally:
        terminal.close()


@scenario()
def prompt_session_from_a_pipe(world):
    """Each command, with its mistakes."""
    ticks, saved, logged = world.path("ticks"), world.path("saved.d"), world.path("logged")
    prompt = Piped(world)
    check("no program was started yet" in prompt.say(":run"), ":run before anything")
    check("no command has that name either" in prompt.say("version"), "a stray word")
    check("BEGIN { trace(X); }" in prompt.say("p execname"), "a word of gdb's")
    check(":stop lets the targets go" in prompt.say(":detach"), "a command of gdb's")
    check("no aggregation @missing yet" in prompt.say(":watch @missing"), ":watch of what is not there")
    check("no aggregation yet" not in prompt.say(":watch off"), ":watch off")
    check("did you mean 'execname'?" in prompt.say("BEGIN { trace(execnam); }"), "an error")
    prompt.say(f":target clock: {world.program('ticker')} {ticks} 0")
    check(re.search(r"pid \d+  clock  \S*ticker", prompt.say(":target")), ":target lists the name")
    prompt.say('syscall::getppid:entry { @parent["parent"] = count(); }')
    wait_until(lambda: prompt.value("parent") > 0, what="the target's calls", pause=0.05)
    check("is disabled" in prompt.say(":disable 1") and "disabled already" in prompt.say("disable 1"), "twice")
    stood = prompt.value("parent")
    check("is enabled" in prompt.say(":enable 1"), ":enable")
    wait_until(lambda: prompt.value("parent") > stood, what="calls after :enable", pause=0.05)
    check("enable which clause?" in prompt.say(":enable 9"), "a clause that is not there")
    prompt.process.stdin.write(":edit 1\n")
    check("clause 1 matched 1 probe" in prompt.say('syscall::getuid:entry { @user["user"] = count(); }'), ":edit")
    check("getppid" not in prompt.say(":clauses"), "the clause that was edited")
    wait_until(lambda: prompt.value("user") > 0, what="calls of the edited clause", pause=0.05)
    stood = prompt.value("parent")
    going_on(ticks)
    equal(prompt.value("parent"), stood, "count of the clause that was replaced")
    prompt.process.stdin.write(":edit 1\n")
    check("failed to resolve nosuch" in prompt.say("BEGIN { trace(nosuch); }") and "getuid" in prompt.say(":clauses"), "a wrong edit changes nothing")
    prompt.say(":disable all")
    check("@user is empty" in prompt.say(":clear @user") and prompt.value("user") == 0, ":clear")
    check("no aggregation @nosuch" in prompt.say(":clear @nosuch"), ":clear of none")
    check("all aggregations are empty" in prompt.say("clear") and prompt.value("parent") == 0, "clear of all")
    prompt.say(":enable all")
    check("without" not in prompt.say(f":save {saved}"), ":save")
    check("is there already" in prompt.say(f":save {ticks}"), "a file of somebody else")
    check("is there already" not in prompt.say(f":save {saved}"), "our own once more")
    check("failed to write" in prompt.say(":save /nosuch/file"), "no folder")
    check("clause 2 matched 1 probe" in prompt.say(f":load {saved}"), ":load")
    check("failed to read" in prompt.say(":load /nosuch/file"), "no file")
    check("strsize is settled when sonde starts: sonde -x strsize=1k --repl" in prompt.say(":set strsize=1k"), "an option of the start")
    check("did you mean 'quiet'" in prompt.say(":set quite"), "no option")
    check("yes or no" in prompt.say(":set quiet=maybe"), "no value")
    check("quiet=yes is set" in prompt.say(":set quiet=yes"), ":set")
    prompt.say(f":log {logged}")
    check("logged 1" in prompt.say('BEGIN { printf("logged 1\\n"); }'), "what is traced")
    prompt.say(":log off")
    prompt.say('BEGIN { printf("logged 2\\n"); }')
    equal([line for line in open(logged, encoding="utf-8").read().splitlines() if "logged" in line and "BEGIN" not in line], ["logged 1"], "the log")
    check("event source is" in prompt.say(":source") and "one of auto" in prompt.say(":source nosuch"), ":source")
    check("left out" in (said := prompt.say(f":provider {saved}")) or "nosuch" in said or "ELF" in said, f":provider of no provider: {said}")
    check("neither @NAME nor a time" in prompt.say(":watch calls"), ":watch of no name")
    prompt.say(":watch @user 100ms")
    wait_until(lambda: len(re.findall(r"^  user +\d+$", prompt.text(), re.M)) >= 3, what="a watched aggregation from a pipe")
    prompt.say(":watch off")
    check("may be :" in prompt.say(":s"), "a prefix of several commands")
    open(f"{ticks}.end", "w", encoding="ascii").close()
    wait_until(lambda: re.search(r"process \d+ \(clock\) exited with 0", prompt.text()), what="the end of the target")
    os.unlink(f"{ticks}.end")
    check("started clock" in prompt.say("run clock"), ":run")
    open(f"{ticks}.end", "w", encoding="ascii").close()
    wait_until(lambda: len(re.findall(r"process \d+ \(clock\) exited with 0", prompt.text())) == 2, what="the second end")
    prompt.say(":target sh -c 'kill -9 $$'")
    wait_until(lambda: re.search(r"process \d+ \(sh\) (was )?killed by|\(sh\).*SIGKILL", prompt.text()), what="the signal of a target")
    prompt.say(":pause")
    prompt.say('tick-2000hz { printf("flood\\n"); @floods["floods"] = count(); }')
    wait_until(lambda: prompt.value("floods") > 100, what="a flood that is held back", pause=0.05)
    check("flood\n" not in prompt.text(), "the flood while paused")
    prompt.say(":disable all")
    check(re.search(r"^(?:…|\.\.\.) [0-9,]+ more lines; :pause, :quiet, :rate N$", prompt.say(":resume"), re.M), "how much was held back")
    os.unlink(f"{ticks}.end")
    prompt.say(":run clock")
    prompt.say(":stop")
    wait_until(lambda: tracer_of(ticker_pid(ticks)) == 0, what="nobody tracing the target")
    going_on(ticks)
    open(f"{ticks}.end", "w", encoding="ascii").close()
    prompt.end()


@scenario()
def prompt_saves_its_settings(world):
    """What :set changed is in the script, once each; :load and sonde -s set it again; :edit keeps it."""
    saved = world.path("saved.d")
    prompt = Piped(world)
    for setting in ("quiet", "aggsortrev", "argstr=plain", "quiet=no", "quiet=yes"):
        check("is set" in prompt.say(f":set {setting}"), setting)
    prompt.say('BEGIN { @a["low"] = sum(1); @a["high"] = sum(2); }')
    prompt.process.stdin.write(":edit 1\n")
    prompt.say('BEGIN { @b["low"] = sum(1); @b["high"] = sum(2); printf("quiet\\n"); }')
    prompt.say(f":save {saved}")
    text = open(saved, encoding="utf-8").read()
    equal([line for line in text.splitlines() if line.startswith("#pragma")], ["#pragma D option aggsortrev", "#pragma D option argstr=plain", "#pragma D option quiet=yes"], text)
    prompt.end()
    result = world.sonde("--duration=300ms", "-s", saved)
    check(re.search(r"^quiet\n(?s:.*)high +2\n +low +1$", result.stdout, re.M) and "ID" not in result.stdout, f"the script: {result}")
    prompt = Piped(world)
    prompt.say(f":load {saved}")
    prompt.say(":print @b")
    prompt.end()
    check("quiet\n" in prompt.text() and "ID" not in prompt.text() and prompt.text().index("high") < prompt.text().index("low"), f":load sets them: {prompt.text()}")


@scenario()
def prompt_tells_of_failed_writes(world):
    """:save, :log and what is shown, to a full disk; a failed :save leaves the file that was there."""
    if not os.path.exists("/dev/full"):
        raise Skip("there is no /dev/full")
    saved = world.path("saved.d")
    prompt = Piped(world)
    prompt.say("BEGIN { trace(1); }")
    check("/dev/full is no regular file" in prompt.say(":save /dev/full"), ":save to a device")
    check("is no regular file" in prompt.say(":save /tmp"), ":save to a folder")
    prompt.say(f":save {saved}")
    before = open(saved, encoding="utf-8").read()
    os.mkdir(f"{saved}.new")  # where it writes first
    prompt.say("BEGIN { trace(2); }")
    check(f"failed to write {saved}: is a directory" in (said := prompt.say(f":save {saved}")), f"a write that fails: {said}")
    equal(open(saved, encoding="utf-8").read(), before, "the file that was there")
    prompt.say(":log /dev/full")
    check("failed to write to /dev/full: No space left on device; the log ends here" in prompt.say('BEGIN { printf("logged\\n"); }'), ":log")
    check("the log ends" not in prompt.say('BEGIN { printf("more\\n"); }'), "once")
    prompt.end()
    with open("/dev/full", "w", encoding="ascii") as full:
        result = world.run([world.binary, "--repl"], stdin=open(world.path("commands", ":watch\nBEGIN { @a = count(); }\n:print @a\n"), encoding="utf-8"), stdout=full)
    check(result.status == 1 and "failed to write to standard output: No space left on device" in result.stderr, f"answers: {result}")


@scenario()
def clauses_from_standard_input(world):
    """Without any argument: what a pipe or a file holds runs; an empty one, /dev/null and a closed one give the usage."""
    def run(options=(), **where):
        done = subprocess.run([world.binary, *options], env=world.environment(), capture_output=True, text=True, timeout=60 * patience, check=False, **where)
        return done.returncode, done.stdout, done.stderr

    clause = 'BEGIN { printf("ran %d\\n", 6 * 7); }\n'
    status, out, err = run(input=clause)
    check(status == 0 and "ran 42" in out, f"a pipe: {status} {out} {err}")
    status, out, err = run(stdin=open(world.path("clauses", clause), encoding="utf-8"))
    check(status == 0 and "ran 42" in out, f"a file: {status} {out} {err}")
    status, out, err = run(input='tick-20ms\n{ printf("%d\\n", ++n); }\ntick-20ms /n > 3/ { exit(5); }\n')
    check(status == 5 and re.search(r"^.*\b3$", out, re.M), f"it runs until exit(): {status} {out} {err}")
    status, out, err = run(input="nosuch\n")
    check(status == 1 and "no command has that name" in err, f"a mistake: {status} {out} {err}")
    for options, wanted in (
            (["-q"], "^ran 42$"), (["-w"], "ran 42"), (["-x", "strsize=100"], "ran 42"), (["-Fq"], "ran 42"), (["-x", "errtags"], "ran 42"), (["-S"], "(?s)^:::BEGIN.*ran 42"),
            (["-v"], "(?s)ran 42"), (["-C"], "ran 42"), (["-qx", "format=jsonl"], '"ran 42'), (["--diagnostics=json"], "ran 42"), (["-Z"], "ran 42"), (["-e"], "^$")):
        ends = "BEGIN { exit(0); }\n" if options[0] in ("-S", "-v", "-C", "-qx") else ""  # a script runs on
        status, out, err = run(options=options, input=clause + ends)
        check(status == 0 and re.search(wanted, out, re.M), f"{options}: {status} {out} {err}")
    status, out, err = run(options=["-q", "-o", world.path("out")], input=clause)
    check(status == 0 and out == "" and open(world.path("out"), encoding="utf-8").read().strip() == "ran 42", f"-o: {status} {out} {err}")
    status, out, err = run(options=["-e"], input="BEGIN { nosuch; }\n")
    check(status == 1 and "nosuch" in err, f"-e: {status} {out} {err}")
    status, out, err = run(options=["-q"], input=":target true\n")
    check(status == 0 and "exited with 0" in err, f"a command of the prompt: {status} {out} {err}")
    status, out, err = run(options=["-l", "-n", "BEGIN"], input=clause)
    check(status == 0 and "ran" not in out + err, f"something is named: {status} {out} {err}")
    for options in (["-q"], ["-w"], ["-S"]):
        status, out, err = run(options=options, input="")
        check(status == 1 and "no probes specified" in err, f"an empty pipe with {options}: {status} {out} {err}")
    for what, where in (("an empty pipe", {"input": ""}), ("/dev/null", {"stdin": subprocess.DEVNULL}),
                        ("an empty file", {"stdin": open(world.path("empty", ""), encoding="utf-8")}),
                        ("closed", {"preexec_fn": lambda: os.close(0)})):
        status, out, err = run(**where)
        check(status == 2 and err.startswith("Usage: "), f"{what}: {status} {out} {err}")


@scenario()
def prompt_whose_output_is_a_pipe(world):
    """sonde | tee FILE, from a terminal: what is typed is answered into the pipe."""
    ours, its = os.openpty()
    process = world.start([world.binary], stdin=its, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    os.close(its)
    os.write(ours, b'BEGIN { printf("typed %d\\n", 6 * 7); }\n:quit\n')
    said, _ = process.communicate(timeout=60 * patience)
    os.close(ours)
    check("typed 42" in said and "Usage" not in said, said)
    equal(process.returncode, 0, "exit status")


@scenario()
def prompt_whose_relay_is_gone(world):
    """Nobody can keep the terminal of a program beyond sonde's end: the prompt says so when it starts the program."""
    prompt = Piped(world)
    prompt.say("BEGIN { }")
    children = open(f"/proc/{prompt.process.pid}/task/{prompt.process.pid}/children", encoding="ascii").read().split()
    relays = [int(pid) for pid in children if open(f"/proc/{pid}/comm", encoding="ascii").read() == "sonde-relay\n"]
    equal(len(relays), 1, "sonde-relay")
    os.kill(relays[0], signal.SIGKILL)
    wait_until(lambda: open(f"/proc/{relays[0]}/stat", encoding="ascii").read().split()[2] == "Z", what="its end")
    check("cat hangs up when sonde ends: sonde-relay cannot keep its terminal: Broken pipe" in prompt.say(":target -t cat"), prompt.text())
    os.kill(prompt.process.pid, signal.SIGTERM)
    prompt.process.wait(60 * patience)


@scenario()
def watched_on_the_command_line(world):
    """--watch: on a terminal in its place, from a pipe again and again."""
    clauses = "tick-20ms { @n[\"watched\"] = count(); } tick-1s /++s == 3/ { exit(0); }"
    result = world.sonde("-q", "--watch=@n 100ms", "-n", clauses)
    check(len(re.findall(r"^  watched +\d+$", result.stdout, re.M)) >= 5, f"{result}")
    equal(result.status, 0, "status")
    result = world.sonde("--watch=nosuch", "-n", clauses, status=1)
    check("--watch: nosuch is neither @NAME nor a time" in result.stderr, f"{result}")
    screen = Screen(world, [str(world.binary), "-q", "--watch", "-n", "tick-20ms { @n[\"watched\"] = count(); } tick-100ms { printf(\"line %d\\n\", ++i); }"])
    try:
        screen.expect("line 15")
        screen.expect(lambda lines: any(line.startswith("  watched") for line in lines))
        lines = whole_screen(screen)
        equal(sum(line.startswith("  watched") for line in lines), 1, f"tables: {lines}")
        check(not any(line.startswith("line") for line in lines[max(i for i, line in enumerate(lines) if "watched" in line):]), f"lines below it: {lines}")
    finally:
        screen.close()
