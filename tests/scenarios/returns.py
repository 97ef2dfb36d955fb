# SPDX-License-Identifier: GPL-3.0-or-later
"""Returns: a return fires for each function that one of its own instructions leaves, at that instruction, and for no
other."""

import re
import subprocess

from support import at_rest, attached_to, check, counts, equal, patience, scenario, wait_until

ENTRIES, RETURNS = "pid$target:a.out:{0}:entry {{ @e = count(); }}", "pid$target:a.out:{0}:return {{ @r[arg0] = count(); }}"


def entries_and_returns(world, command, function):
    """(output of the program, entries, {offset: returns}) of one run; the output is the same as untraced."""
    plain = world.run(command)
    check(plain.status == 0, f"{command} fails untraced")
    out = world.path("counts.out", "")
    clauses = ENTRIES.format(function) + RETURNS.format(function)
    traced = world.sonde("-q", "-b", "32m", "-o", out, "-n", clauses, "-c", " ".join(map(str, command)))
    equal(traced.stdout, plain.stdout, f"what {command} prints")
    text = open(out, encoding="utf-8").read()
    entries = sum(int(n) for n in re.findall(r"^ +(\d+)$", text, re.M))
    return traced.stdout, entries, {int(at): int(n) for at, n in re.findall(r"^ +(\d+) +(\d+)$", text, re.M)}


def check_returns(world, how, function, entries, returns, *flags):
    """Checks the number of returns."""
    _, found, by_offset = entries_and_returns(world, [world.program("returns", *flags), how], function)
    equal((found, sum(by_offset.values())), (entries, returns), f"entries and returns of {function}")
    return by_offset


@scenario(signals=True)
def returns_of_each_instruction(world):
    equal(check_returns(world, "three", "three", 3, 3), {9: 1, 20: 1, 26: 1}, "offsets of the three instructions")


@scenario(signals=True)
def returns_of_any_depth(world):
    check_returns(world, "deep", "deep", 20102, 20102)


@scenario(signals=True)
def frames_left_by_longjmp_do_not_return(world):
    for function in ("inner", "outer"):
        check_returns(world, "longjmp", function, 10, 0)


@scenario(signals=True)
def coroutines_return_each_on_its_stack(world):
    check_returns(world, "coroutines", "turn", 100, 100)


@scenario(signals=True)
def data_on_the_stack_is_no_return_address(world):
    """A function that is entered by a jump has data at the place of the return address; so has the linker's resolver."""
    check_returns(world, "jump", "jumped", 1, 1)
    lazy = world.program("returns", "-Wl,-z,lazy")
    plain = world.run([lazy, "jump"])
    result = world.sonde("-q", "-n", "pid$target:ld*::return { @ = count(); }", "-c", f"{lazy} jump")
    check(result.stdout.startswith(plain.stdout), f"found {result.stdout!r}, wanted {plain.stdout!r}")
    check(int(result.stdout[len(plain.stdout):]) > 10, "the linker's returns are not counted")


@scenario(signals=True)
def stack_at_a_return_begins_with_the_function(world):
    result = world.sonde("-q", "-n", "pid$target:a.out:framed:entry { self->depth = ustackdepth; } pid$target:a.out:framed:return "
                         "{ ustack(2); printf(\"%d %A\\n\", ustackdepth - self->depth, ucaller); }",
                         "-c", f"{world.program('returns')} framed")
    equal(re.findall(r"(\w+)\+0x|^(\d+) ", result.stdout, re.M)[:3], [("framed", ""), ("main", ""), ("", "0")], f"stack {result.stdout}")
    check(re.search(r"^0 returns`main", result.stdout, re.M), f"ucaller: {result.stdout}")


@scenario(signals=True)
def function_that_runs_at_the_attach_returns(world):
    program = world.start([world.program("returns"), "slow"], marked=False, stdin=subprocess.PIPE)
    wait_until(lambda: open(f"/proc/{program.pid}/syscall", encoding="ascii").read().startswith("0 0x0 "), what="read() in slow()")
    sonde = world.start_sonde("-q", "-n", 'pid$target:a.out:slow:return { printf("%d\\n", arg1); }', "-p", program.pid)
    wait_until(lambda: attached_to(sonde, program.pid) and at_rest(sonde), what="attach")
    equal(program.communicate("x\n", timeout=60 * patience)[0], "43\n", "the program's result")
    equal(world.finish(sonde).stdout.strip(), "43", "arg1 of the return")


@scenario(seconds=600, signals=True)
def frames_left_by_exceptions_do_not_return(world):
    """At each level of optimisation; and -F draws the actual tree: mid() and leaf() are entered in top(), and top()
    returns."""
    for level in ("-O0", "-O1", "-O2", "-O3"):
        program = world.program("exceptions", level, "-fno-inline")
        for function, returns in (("leaf", 0), ("mid", 0), ("top", 10)):
            printed, entries, by_offset = entries_and_returns(world, [program], function)
            equal((printed, entries, sum(by_offset.values())), ("-10\n", 10, returns), f"{function} at {level}")
        result = world.sonde("-F", "-n", "pid$target:a.out:leaf:entry,pid$target:a.out:mid:entry,pid$target:a.out:top:entry,"
                             "pid$target:a.out:top:return { }", "-c", program)
        tree = re.findall(r"^ *\d+ +(->|<-) (\w+)", result.stdout, re.M)
        equal(tree, [("->", "top"), ("->", "mid"), ("->", "leaf"), ("<-", "top")] * 10, f"tree at {level}")
        columns = {}
        for blanks, what in re.findall(r"^ *\d+( +)((?:->|<-) \w+)", result.stdout, re.M):
            columns.setdefault(what, set()).add(len(blanks))
        wanted = sorted((what, {2 * depth + 2}) for what, depth in {"-> top": 0, "-> mid": 1, "-> leaf": 2, "<- top": 0}.items())
        equal(sorted(columns.items()), wanted, f"columns of the tree at {level}")


@scenario(seconds=600)
def go_is_traced_and_right(world):
    """Stacks that grow and move: entries equal returns. With preemption by signals: Go's run time restarts a function
    that is interrupted in its first instructions, which is one more entry; the result and the returns are exact in each
    run."""
    program = world.program("preempted")
    calls = {"main.add": 100, "main.fib": 1416, "main.grow": 1608}
    clause = (",".join(f"pid$target:a.out:{n}:entry" for n in calls) + ' { @e[probefunc, "entry"] = count(); } ' +
              ",".join(f"pid$target:a.out:{n}:return" for n in calls) + ' { @r[probefunc, "return"] = count(); }')
    for run in range(50 if world.full else 4):
        result = world.sonde("-q", "-b", "32m", "-n", clause, "-c", program, env={"GODEBUG": f"asyncpreemptoff={run % 2}"})
        check(result.stdout.startswith("166190\n"), f"the program's result: {result.stdout!r}")
        found = counts(result.stdout)
        equal({name: found[name, "return"] for name in calls}, calls, "returns")
        equal({name: min(found[name, "entry"], n if run % 2 == 0 else found[name, "entry"]) for name, n in calls.items()}, calls, "entries")
