# SPDX-License-Identifier: GPL-3.0-or-later
"""What fires nothing says so: clauses without a firing, at the end of a run."""

import pathlib
import re

from support import Skip, check, equal, scenario, source_here

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROW = re.compile(r'\{"(\w+)", CallInstead::How::(\w+),\s*"([^"]*)"\}')


def rows():
    """The table's rows: call, how, the calls instead."""
    text = (ROOT / "cli/calls_instead.h").read_text(encoding="utf-8")
    found = [(call, how, instead.split(", ") if instead else []) for call, how, instead in ROW.findall(text)]
    check(len(found) > 40, f"only {len(found)} rows were read")
    return found


def said(result):
    """The messages of a run, without those on what matched."""
    return [line for line in result.stderr.splitlines() if " matched " not in line]


@scenario()
def calls_that_the_c_library_makes_instead(world):
    """Each row of cli/calls_instead.h, by what a program does that calls the function of that name: Other: the other call and not its own; Beside:
    its own (exec and vfork may differ), or one of the others; Vdso: none."""
    program = world.program("libc_calls")
    for call, how, instead in rows():
        calls = world.sonde("-q", "-n", 'syscall:::entry { printf("%s\\n", probefunc); }', "-c", f"{program} {call}").stdout.split()
        behind = calls[calls.index("sched_yield") + 1:]
        made = set(behind[:behind.index("sched_yield")] if "sched_yield" in behind else behind)
        if how == "Other":
            check(set(instead) & made and call not in made, f"{call}: {made}")
        elif how == "Beside":
            check((set(instead) | {call}) & made, f"{call}: {made}")
        else:
            check(call not in made, f"{call}: {made}")


@scenario()
def a_call_that_nobody_makes_says_which_one_to_trace(world):
    """Also with -q, because it is a mistake; standard output has nothing of it."""
    program = world.program("libc_calls")
    for call, how, instead in rows():
        if how == "Beside":
            continue
        result = world.sonde("-q", "-n", f"syscall::{call}:entry {{ @ = count(); }}", "-c", f"{program} open")
        if call == "open" or how == "Other" or how == "Vdso":
            lines = said(result)
            equal(lines[0], f"sonde: syscall::{call}:entry did not fire", "the message")
            hint = f"syscall::{instead[0]}:entry" if instead else "without a system call"
            check(hint in lines[1], f"{lines}")
        equal(result.stdout.strip(), "", "standard output")


@scenario()
def a_call_that_is_traced_as_well_is_no_hint(world):
    """By the same pattern, or by another clause. And that programs make other calls beside says nothing where only a predicate was false."""
    for clauses in ("syscall::*nanosleep:entry { @ = count(); }", "syscall::open:entry { } syscall::openat:entry { @ = count(); }"):
        result = world.sonde("-n", clauses, "-c", "/bin/true")
        check("the C library" not in result.stderr, f"{clauses}: {result.stderr}")
    result = world.sonde("-n", "syscall::read:entry /arg0 == 99/ { @ = count(); } syscall::write:entry /arg0 == 99/ { self->t = 1; }", "-c", "cat /etc/passwd")
    check("instead" not in result.stderr, result.stderr)
    check("openat" in world.sonde("-n", "syscall::close:entry /arg0 == 99/ { } syscall::open:entry /arg0 == 99/ { @ = count(); }", "-c", "/bin/true").stderr, "a sure hint stays")


@scenario()
def a_call_of_32_bit_programs_says_so(world):
    result = world.sonde("-q", "-n", "syscall::stat64:entry { }", "-c", "/bin/true")
    equal(said(result), ["sonde: syscall::stat64:entry did not fire", "    only 32-bit programs make this call"], "messages")


@scenario()
def a_clause_without_a_firing_is_named(world):
    """Each once, with its place; those that need no word have none."""
    script = world.path("some.d", 'BEGIN { }\nsyscall::sethostname:entry { }\nsyscall::openat:entry { @ = count(); }\n'
                                  'tick-1h { }\nERROR { }\nEND { }\n')
    result = world.sonde("-s", script, "-c", "/bin/true")
    equal(said(result), [f"sonde: {script}:2: syscall::sethostname:entry did not fire"], "messages")
    equal(said(world.sonde("-q", "-s", script, "-c", "/bin/true")), [], "messages of a quiet run without a likely reason")


@scenario()
def nothing_is_said_of_a_run_that_begin_ends(world):
    result = world.sonde("-n", "BEGIN { exit(0); } syscall::open:entry { }", "-c", "/bin/true")
    equal(said(result), [], "messages")


@scenario(short=True)
def a_clause_that_leaves_no_record_has_fired(world):
    """What the fire part does whole is not seen by sonde. Nothing is said of such a clause, unless all firings are known from others."""
    timed = "syscall::read:entry { self->t = timestamp; } syscall::read:return /self->t/ { @ = count(); self->t = 0; } "
    equal(said(world.sonde("-n", timed, "-c", "cat /etc/passwd")), [], "messages")
    for silent in ("{ self->t = 1; }", "{ this->a = arg0; }", "/arg0 == 1/ { self->a = 1; self->b = arg0; }"):
        equal(said(world.sonde("-n", "syscall::read:entry " + silent, "-c", "cat /etc/passwd")), [], f"messages of {silent}")
    if source_here() == "ptrace":  # it counts firings
        result = world.sonde("-n", "syscall::sethostname:entry { self->t = 1; } syscall::read:entry { @ = count(); }", "-c", "cat /etc/passwd")
        equal(said(result), ["sonde: syscall::sethostname:entry did not fire"], "messages")


@scenario()
def a_predicate_that_was_never_true_is_no_firing_that_is_missing(world):
    """openat fires, and its predicate keeps all records back: that is known, so nothing is said. Of open it is not known."""
    false = "syscall::openat:entry /arg0 == 99/ { @ = count(); } "
    equal(said(world.sonde("-n", false, "-c", "/bin/true")), [], "messages")
    result = world.sonde("-n", "syscall::close:entry /arg0 == 99/ { } syscall::open:entry /arg0 == 99/ { @ = count(); }", "-c", "/bin/true")
    equal(said(result)[0], "sonde: syscall::open:entry did not fire, or the predicate was never true", "messages")


@scenario()
def functions_that_nobody_calls(world):
    """Inlined, with the place; a library that was never loaded; a function that is there and was not called."""
    program = world.program("silent")
    result = world.sonde("-q", "-n", "pid$target:a.out:both:entry { }", "-c", program)
    check(re.search(r"both:entry did not fire\n +the compiler has inlined it, as at .*silent\.c:\d+", result.stderr), result.stderr)
    result = world.sonde("-q", "-Z", "-n", "pid$target:libnowhere:f:entry { }", "-c", program)
    check(re.search(r"did not fire\n +process \d+ has no module libnowhere", result.stderr), result.stderr)
    result = world.sonde("-n", "pid$target:a.out:never:entry { }", "-c", program)
    check(re.search(r"never:entry did not fire$", result.stderr, re.M), result.stderr)


@scenario()
def the_exec_of_the_program_itself_is_over(world):
    if source_here() != "ptrace":
        raise Skip("the other source sees it")
    result = world.sonde("-q", "-n", "proc:::exec-success { }", "-c", "/bin/true")
    check("tracing begins after the exec" in result.stderr, result.stderr)


@scenario()
def a_flood_of_silent_clauses_is_held_back(world):
    clauses = " ".join(f"syscall::{call}:entry {{ }}" for call in
                       "sethostname setdomainname swapon swapoff reboot acct chroot pivot_root mount umount2 quotactl settimeofday".split())
    lines = said(world.sonde("-n", clauses, "-c", "/bin/true"))
    equal(len(lines), 9, "lines")
    equal(lines[-1], "sonde: 4 more clauses were not fired", "the last one")


@scenario()
def calls_that_nobody_made_are_named(world):
    """The list of calls, with a choice that matches nothing."""
    said = world.sonde("--trace=open", "cat", "/dev/null").stderr
    check("sonde: nobody made the call open\n    programs may call openat instead: --trace=open,openat\n" in said, said)
    said = world.sonde("--trace=gettimeofday,ptrace", "true").stderr
    check("nobody made the call gettimeofday or ptrace\n    gettimeofday() is answered in the process" in said, said)
    check("nobody made any of these calls" in world.sonde("--trace=%network", "true").stderr, "a class")
    for words in (["--trace=openat,open"], ["--trace=%file"], [], ["--trace=none"], ["--failed-only", "--trace=read"], ["--failed-only", "-P", "/nonexistent"], ["-P", "/dev/null"]):
        check("nobody made" not in world.sonde(*words, "cat", "/dev/null").stderr, f"with {words}")
    said = world.sonde("-P", "/nonexistent", "-P", "/dev", "--trace=openat", "cat", "/dev/null").stderr
    check("sonde: nobody made a call that names /nonexistent or /dev\n    there is no file /nonexistent now\n" in said, said)
    said = world.sonde("-P", "/nonexistent", "cat", "/nonexistent", status=1).stderr
    check("nobody made" not in said, f"a path that is named and not there: {said}")


@scenario()
def the_prompt_lists_clauses_that_nothing_has_fired(world):
    lines = "syscall::open:entry {}\nEND {}\n:target cat /dev/null\n:clauses\n:quit\n"
    result = world.sonde("--repl", stdin=open(world.path("lines", lines), encoding="utf-8"), status=None)
    listed = result.stdout[result.stdout.index("1  syscall::open"):]
    check(listed.startswith("1  syscall::open:entry {}\n     nothing has fired it: the C library's open() makes the call openat: syscall::openat:entry\n2  END {}\n"),
          result.stdout + result.stderr)
    check("END {}\n     nothing" not in listed, listed)
