# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs whose functions are probed do what they do untraced: under signals, with traps of their own, in each instruction."""

import re
import shutil

from support import Skip, check, counts, equal, scenario

F = "pid$target:a.out:f:entry { @e = count(); } pid$target:a.out:f:return { @r = count(); }"


def totals(text):
    return [int(n) for n in re.findall(r"^ +(\d+)$", text, re.M)]


def times(world, sample, full):
    return range(full if world.full else sample)


@scenario(seconds=600)
def signals_while_an_instruction_is_stepped(world):
    """A handler that returns, with each mask; and one that changes the context it returns to."""
    for how in ("plain", "full", "trap", "moved"):
        for _ in times(world, 2, 50):
            result = world.sonde("-q", "-n", F, "-c", f"{world.program('stepped')} {how} 5000")
            check(result.stdout.startswith("right\n"), f"{how}: {result.stdout}")
            equal(totals(result.stdout), [int(result.stderr.split()[1])] * 2, f"{how}: entries and returns")


@scenario()
def traps_of_the_program_itself(world):
    """int3, single-stepping, SIGTRAP blocked and ignored: what the program sees of its traps, its mask and its action is as untraced."""
    for how, calls in (("int3", 18), ("stepping", 24), ("blocked", 48), ("ignored", 18), ("default", 18)):
        plain = world.run([world.program("traps"), how])
        equal(plain.status, 0, f"{how}: exit status untraced")
        out = world.path("counts.out", "")
        result = world.sonde("-q", "-o", out, "-n", F, "-c", f"{world.program('traps')} {how}")
        equal(result.stdout, plain.stdout, how)
        equal(totals(open(out, encoding="utf-8").read()), [calls] * 2, f"{how}: entries and returns")


ALARM = ("$SIG{ALRM} = sub { $n++ }; use Time::HiRes qw(setitimer ITIMER_REAL); setitimer(ITIMER_REAL, 0.001, 0.001); "
         "my $s = 0; for my $i (1..%d) { $s += length('a' x ($i % 300)); } setitimer(ITIMER_REAL, 0, 0); print \"$s\\n\";")
TRAP = "trap 'n=$((n + 1))' USR1; i=0; while [ $i -lt %d ]; do i=$((i + 1)); [ $((i %% 10)) = 0 ] && kill -USR1 $$; done; echo $i $n"
TIMER = ("import signal\nsignal.signal(signal.SIGALRM, lambda s, f: None)\nsignal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)\n"
         "print(sum(len(str(i) * (i % 7)) for i in range(%d)))\nsignal.setitimer(signal.ITIMER_REAL, 0)\n")


@scenario(seconds=900)
def interpreters_with_signals(world):
    """perl with an alarm, bash with a trap, python3 with a timer: all functions of the program, or of libc, under probes."""
    def script(name, text, rounds):
        return world.path(name, text.replace("%d", str(rounds)).replace("%%", "%"))
    for command in (f"perl {script('alarm.pl', ALARM, 300)}", f"bash {script('trap.sh', TRAP, 50)}",
                    f"/usr/bin/python3 -S -I {script('timer.py', TIMER, 300)}"):
        if not shutil.which(command.split()[0]):
            raise Skip(f"no {command}")
        plain = world.run(command.split())
        for where in ("a.out::entry", "libc*::entry"):
            for _ in times(world, 1, 50):
                out = world.path("counts.out", "")
                result = world.sonde("-q", "-b", "16m", "-o", out, "-n", f"pid$target:{where} {{ @ = count(); }}", "-c", command)
                equal((result.stdout, plain.status), (plain.stdout, 0), f"{command}, {where}")
                check(totals(open(out, encoding="utf-8").read()) > [0], f"{command}, {where}: nothing counted")


def kinds_of(text):
    """{(function, entries or returns): count}, of what kinds.py's program says of itself."""
    own = {}
    for name, entered, left in re.findall(r"^(\w+) (\d+) (\d+)$", text, re.M):
        own[f"kind_{name}", "entries"], own[f"kind_{name}", "returns"] = int(entered), int(entered) - int(left)
    return {key: n for key, n in own.items() if n}


@scenario(seconds=900)
def each_kind_of_first_instruction(world):
    """Entered by call and by jump, in 1 to 8 threads that are born and die, under a 2 kHz timer whose handler calls probed functions and then
    returns, leaves by siglongjmp(), swaps contexts or goes elsewhere: the results are right, and each entry and return is counted."""
    program = world.program("kinds")
    clause = ('pid$target:a.out:kind_*:entry { @e[probefunc, "entries"] = count(); } '
              'pid$target:a.out:kind_*:return { @r[probefunc, "returns"] = count(); }')
    for i, mode in enumerate(("quiet", "return", "full", "longjmp", "swap", "moved")):
        for threads in (1, 4, 8) if world.full else ((1, 2, 4, 8)[i % 4],):
            numbers = f"{threads} {20 if world.full else 2} {4 if world.full else 2}"
            plain = world.run([program, "quiet", *numbers.split()])
            out = world.path("counts.out", "")
            result = world.sonde("-q", "-b", "32m", "-o", out, "-n", clause, "-c", f"{program} {mode} {numbers}")
            equal(result.stdout, plain.stdout, f"{mode}, {threads} threads: the sum of the results")
            found, own = counts(open(out, encoding="utf-8").read()), kinds_of(result.stderr)
            check(len(own) > 200, f"{mode}: hardly anything ran")
            equal({key: found.get(key) for key in own if found.get(key) != own[key]},
                  {key: n for key, n in own.items() if found.get(key) != n}, f"{mode}, {threads} threads: counts")
            if mode != "quiet":
                check(int(re.search(r"^signals (\d+)$", result.stderr, re.M).group(1)) > 20, f"{mode}: hardly a signal came")
