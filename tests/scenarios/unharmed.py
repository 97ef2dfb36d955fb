# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs with probed functions behave as untraced: under signals, with traps of their own, at each instruction."""

import re
import shutil
import time

from support import Skip, check, counts, equal, scenario

F = "pid$target:a.out:f:entry { @e = count(); } pid$target:a.out:f:return { @r = count(); }"


def totals(text):
    return [int(n) for n in re.findall(r"^ +(\d+)$", text, re.M)]


def times(world, sample, full):
    return range(full if world.full else sample)


@scenario(seconds=600)
def signals_while_an_instruction_is_stepped(world):
    """A handler that returns, with each mask; one that changes the context it returns to; queued signals, which all
    come."""
    for how in ("plain", "full", "trap", "moved", "queued"):
        for _ in times(world, 2, 50):
            result = world.sonde("-q", "-n", F, "-c", f"{world.program('stepped')} {how} 5000", seconds=30)
            check(result.stdout.startswith("right\n"), f"{how}: {result.stdout}")
            equal(totals(result.stdout), [int(result.stderr.split()[1])] * 2, f"{how}: entries and returns")


@scenario()
def traps_of_the_program_itself(world):
    """int3, single-stepping, SIGTRAP blocked and ignored: the program's traps, its mask and its action are as untraced."""
    for how, calls in (("int3", 18), ("stepping", 24), ("blocked", 48), ("partly", 48), ("once", 63),
                       ("late", 148), ("ignored", 18), ("executed", 53), ("default", 18)):
        plain = world.run([world.program("traps"), how])
        equal(plain.status, 0, f"{how}: exit status untraced")
        out = world.path("counts.out", "")
        result = world.sonde("-q", "-o", out, "-n", F, "-c", f"{world.program('traps')} {how}")
        equal(result.stdout, plain.stdout, how)
        equal(totals(open(out, encoding="utf-8").read()), [calls] * 2, f"{how}: entries and returns")
        if how != "stepping":  # it would step through our breakpoints of its other functions, too
            result = world.sonde("-q", "-o", out, "-n", "pid$target:a.out::entry { @ = count(); }", "-c", f"{world.program('traps')} {how}")
            equal(result.stdout, plain.stdout, f"{how}, with probes on its handler")


# The handler sets the next alarm: perl gives up, even untraced, if 120 alarms come before it runs the handler of the first.
ALARM = ("use Time::HiRes qw(setitimer ITIMER_REAL); $SIG{ALRM} = sub { setitimer(ITIMER_REAL, 0.001) if ++$n }; setitimer(ITIMER_REAL, 0.001); "
         "my $s = 0; for my $i (1..%d) { $s += length('a' x ($i % 300)); } $SIG{ALRM} = 'IGNORE'; print \"$s\\n\";")
TRAP = "trap 'n=$((n + 1))' USR1; i=0; while [ $i -lt %d ]; do i=$((i + 1)); [ $((i %% 10)) = 0 ] && kill -USR1 $$; done; echo $i $n"
TIMER = ("import signal\nsignal.signal(signal.SIGALRM, lambda s, f: None)\nsignal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)\n"
         "print(sum(len(str(i) * (i % 7)) for i in range(%d)))\nsignal.setitimer(signal.ITIMER_REAL, 0)\n")


@scenario(seconds=900)
def interpreters_with_signals(world):
    """perl with an alarm, bash with a trap, python3 with a timer: all functions of the program, or of libc, are probed."""
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
    """{(function, entries or returns): count}, as reported by the program of kinds.py."""
    own = {}
    for name, entered, left in re.findall(r"^(\w+) (\d+) (\d+)$", text, re.M):
        own[f"kind_{name}", "entries"], own[f"kind_{name}", "returns"] = int(entered), int(entered) - int(left)
    return {key: n for key, n in own.items() if n}


@scenario(seconds=900)
def each_kind_of_first_instruction(world):
    """Entered by call and by jump, in 1 to 8 threads that start and end, under a 2 kHz timer whose handler calls probed
    functions and then returns, leaves by siglongjmp(), swaps contexts or continues elsewhere: the results are right,
    and each entry and return is counted."""
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


def interrupted(world, command):
    """The command with the timer of interrupt.c."""
    return f"env LD_PRELOAD={world.program('interrupt', '-shared', '-fPIC')} {command}"


def functions_of_libc(world, program):
    result = world.sonde("-l", "-n", "pid$target:libc.so.6::entry", "-c", program)
    return sorted(set(re.findall(r"^ *\d+ +pid\d+ +libc\.so\.6 +(\w+) entry$", result.stdout, re.M)))


@scenario(seconds=900)
def all_instructions_of_libc(world):
    """In batches, in a program that uses libc, under the 2 kHz timer: each batch gives the right result. 12 batches; in
    the full version all."""
    program = world.program("uses_libc")
    right = world.run([program]).stdout
    names = functions_of_libc(world, program)
    check(len(names) > 2000, f"{len(names)} functions of libc")
    batches = [names[i::-(-len(names) // 30)] for i in range(-(-len(names) // 30))]  # each has functions of all letters
    wrong, fired, began = [], 0, time.monotonic()
    chosen = batches if world.full else batches[:: len(batches) // 12][:12]
    for number, batch in enumerate(chosen):
        out = world.path("counts.out", "")
        clause = ",".join(f"pid$target:libc.so.6:{name}:" for name in batch) + " { @ = count(); }"
        result = world.sonde("-Z", "-q", "-b", "16m", "-o", out, "-n", clause, "-c", interrupted(world, program), status=None, seconds=600)
        fired += sum(totals(open(out, encoding="utf-8").read()))
        if (result.stdout, result.status) != (right, 0):
            wrong.append((number, batch, result.stdout, result.stderr[-300:]))
    print(f"  {len(chosen)} of {len(batches)} batches, {fired} firings, {time.monotonic() - began:.0f} s")
    check(not wrong, f"{len(wrong)} wrong batches: {wrong}")
    check(fired > 1000, "hardly an instruction ran")


# The counts of the other scenarios of pid probes, with the timer: (program with its arguments, probes, number of firings of each).
COUNTED = (("mallocs 4 500", "pid$target:libc*:malloc:entry", None), ("mallocs 1 500", "pid$target:a.out:*:entry", None),
           ("worker RESULT 50", "pid$target:a.out:one_round:entry", 200), ("worker RESULT 50", "pid$target:a.out:one_round:return", 200),
           ("returns deep", "pid$target:a.out:deep:return", 20102), ("returns coroutines", "pid$target:a.out:turn:return", 100),
           ("returns longjmp", "pid$target:a.out:outer:entry", 10), ("returns three", "pid$target:a.out:three:return", 3),
           ("exceptions", "pid$target:a.out:top:return", 10), ("traps int3", "pid$target:a.out:f:return", 18),
           ("traps stepping", "pid$target:a.out:f:entry", 24), ("traps blocked", "pid$target:a.out:f:entry", 48))


@scenario(seconds=900)
def pid_probes_quietly_and_under_signals(world):
    for command, probe, wanted in COUNTED:
        name, *arguments = command.split()
        argv = [world.program(name), *(world.path("result") if a == "RESULT" else a for a in arguments)]
        plain = world.run(argv)
        found = []
        for how in (f"env QUIETLY=1 {' '.join(argv)}", interrupted(world, " ".join(argv))):
            out = world.path("counts.out", "")
            result = world.sonde("-Z", "-q", "-b", "16m", "-o", out, "-n", f"{probe} {{ @[probefunc] = count(); }}", "-c", how)
            equal(result.stdout, plain.stdout, f"{how}: what it prints")
            found.append(counts(open(out, encoding="utf-8").read()))
        equal(found[1], found[0], f"{command}, {probe}: under signals as quietly")
        if wanted is not None:
            equal(sum(found[0].values()), wanted, f"{command}, {probe}")
