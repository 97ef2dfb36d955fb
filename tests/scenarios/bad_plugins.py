# SPDX-License-Identifier: GPL-3.0-or-later
"""Plug-ins that do wrong, each in its own way: programs/plugins/bad.cpp has one for each row of the tables below."""

import fcntl
import os
import pathlib
import shutil
import signal

from plugins import is_guests, run, the_prefix
from support import PROGRAMS, Skip, check, equal, scenario, wait_until

LOST = "; what sonde has not printed yet is lost\n"

# How a script ends that enables both probes: in BEGIN, when probe a has fired 20 times, or by what the plug-in does.
AT_ONCE, WHEN_FIRED, BY_ITSELF = "BEGIN { exit(0); }", "bad:::a /++n == 20/ { exit(0); }", ""

OF = "sonde: provider bad (bad.so) "
SAYS = "sonde: provider bad: "

# case: (how the script ends, status, what standard error has)
RUNS = {
    # crashes and ends, by op
    "crash_enable": (BY_ITSELF, -signal.SIGSEGV, OF + "has crashed by SIGSEGV in dtps_enable" + LOST),
    "bus_enable": (BY_ITSELF, -signal.SIGBUS, OF + "has crashed by SIGBUS in dtps_enable" + LOST),
    "divide_enable": (BY_ITSELF, -signal.SIGFPE, OF + "has crashed by SIGFPE in dtps_enable" + LOST),
    "trap_enable": (BY_ITSELF, -signal.SIGILL, OF + "has crashed by SIGILL in dtps_enable" + LOST),
    "abort_enable": (BY_ITSELF, -signal.SIGABRT, OF + "has crashed by SIGABRT in dtps_enable" + LOST),
    "recurse_enable": (BY_ITSELF, -signal.SIGSEGV, OF + "has crashed by SIGSEGV in dtps_enable" + LOST),
    "crash_disable": (AT_ONCE, -signal.SIGSEGV, OF + "has crashed by SIGSEGV in dtps_disable" + LOST),
    "crash_getargval": (BY_ITSELF, -signal.SIGSEGV, OF + "has crashed by SIGSEGV in dtps_getargval" + LOST),
    "crash_usermode": (BY_ITSELF, -signal.SIGSEGV, OF + "has crashed by SIGSEGV in dtps_usermode" + LOST),
    "crash_second_start": (BY_ITSELF, -signal.SIGSEGV, "sonde: plug-in bad.so has crashed by SIGSEGV in start()" + LOST),
    "crash_thread": (BY_ITSELF, -signal.SIGSEGV, "sonde: plug-in bad.so has crashed by SIGSEGV in a thread of its own" + LOST),
    "abort_thread": (BY_ITSELF, -signal.SIGABRT, "sonde: plug-in bad.so has crashed by SIGABRT in a thread of its own" + LOST),
    "throw_thread": (BY_ITSELF, -signal.SIGABRT, "sonde: plug-in bad.so has crashed by SIGABRT in a thread of its own" + LOST),
    "crash_destructor": (AT_ONCE, -signal.SIGSEGV, "sonde: plug-in bad.so has crashed by SIGSEGV in a destructor\n"),
    "exit_enable": (BY_ITSELF, 7, OF + "has called exit(7) in dtps_enable" + LOST),
    "exit_0_enable": (BY_ITSELF, 1, OF + "has called exit(0) in dtps_enable" + LOST),
    "exit_disable": (AT_ONCE, 1, OF + "has called exit(0) in dtps_disable" + LOST),
    "exit_getargval": (BY_ITSELF, 1, OF + "has called exit(0) in dtps_getargval" + LOST),
    "exit_thread": (BY_ITSELF, 1, "sonde: plug-in bad.so has called exit(0) in a thread of its own" + LOST),
    # exceptions and calls from wrong contexts: told, and tracing goes on
    "throw_enable": (AT_ONCE, 0, SAYS + "dtps_enable throws: thrown in enable\n"),
    "throw_disable": (AT_ONCE, 0, SAYS + "dtps_disable throws: thrown in disable\n"),
    "throw_getargval": (WHEN_FIRED, 0, SAYS + "dtps_getargval throws: something that is no std::exception\n"),
    "context_enable": (AT_ONCE, 0, SAYS + "dtrace_register may not be called from dtps_enable\n"),
    "context_usermode": (WHEN_FIRED, 0, SAYS + "dtrace_probe_lookup may not be called from dtps_usermode\n"),
    "tap_enable": (AT_ONCE, 0, "bad: kind 9999 = 22\nbad: no path = 22\nbad: another probe = 22\nbad: size 3 = 22\nbad: no request = 22\n"),
    "unregister_enabled": (WHEN_FIRED, 0, "bad: condense = 0\nbad: register the same name = 17\n"),
    "invalidate_enabled": (BY_ITSELF, 0, "bad: register again = 0\n"),
    "names": (AT_ONCE, 0, SAYS + 'dtrace_probe_create makes no probe: the name "esc\\x1b[31mred" has more than letters, digits, _, - and .\n'),
    "double": (AT_ONCE, 0, "bad: second register = 17\n"),
    "double_unregister": (AT_ONCE, 0, "bad: second unregister = 22\n"),
    # odd, and harmless
    "signals_enable": (AT_ONCE, 0, SAYS + "dtps_enable has changed the handlers of SIGINT, SIGTERM or SIGHUP, which end sonde\n"),
    "descriptors_enable": (AT_ONCE, 0, SAYS + "dtps_enable has closed what sonde had open: descriptor 3"),
    "fires": (WHEN_FIRED, 0, ""),
    "fires_late": (WHEN_FIRED, 0, None),  # how much is dropped depends on the machine
    "stop_nothing": (AT_ONCE, 0, ""),
    "thread_left": (AT_ONCE, 0, ""),
    "environment_start": (AT_ONCE, 0, "bad: moved = 0\n"),
    "fork_provide": (AT_ONCE, 0, ""),
}

# case: why the plug-in is left out
LEFT_OUT = {
    "throw_provide": "dtps_provide throws: thrown in provide",
    "throw_number": "dtps_provide throws: something that is no std::exception",
    "crash_provide": "dies of SIGSEGV in dtps_provide",
    "recurse_provide": "dies of SIGSEGV in dtps_provide",
    "exit_provide": "exits with status 5 in dtps_provide",
    "context_provide": "provider bad: dtrace_unregister may not be called from dtps_provide",
    "crash_getargdesc": "dies of SIGSEGV in dtps_getargdesc of bad:m:f:a",
    "crash_destroy": "dies of SIGSEGV in stop()",
    "context_destroy": "provider bad: dtrace_probe_create may not be called from dtps_destroy",
    "no_destroy": "start() returns 22, Invalid argument: provider bad has no dtps_destroy",
    "half_suspend": "start() returns 22, Invalid argument: provider bad has no dtps_resume",
    "garbage_ops": "dies of SIGSEGV in dtps_provide",
    "attributes": "start() returns 22, Invalid argument: provider bad: its attributes dtpa_provider are not DTRACE_STABILITY_...",
    "priv": "start() returns 22, Invalid argument: provider bad: its priv has bits that are no DTRACE_PRIV_...",
    "odd_provider": 'start() returns 22, Invalid argument: the name "with space" does not begin with a letter or _, or has more than letters, digits, _, - and .',
    "registers_nothing": "start() registers no provider",
    "strange_errno": "start() returns -12345, which is no errno",
    "crash_start": "dies of SIGSEGV in start()",
    "exit_start": "exits with status 3 in start()",
    "throw_start": "start() throws: in start",
    "crash_stop": "dies of SIGSEGV in stop()",
    "exit_stop": "exits with status 0 in stop()",
    "crash_constructor": "dies of SIGSEGV in its constructors",
    "exit_constructor": "exits with status 0 in its constructors",
    "text_null": "its D text bad.d is NULL",
    "taken": "start() returns 17, File exists: there is a provider syscall already",
}

NO_TYPE = 'dtps_getargdesc of bad:m:f:a: failed to resolve native type for args[2]: "{}" is not a type'
NO_TRANSLATOR = "dtps_getargdesc of bad:m:f:a: translator for args[2] from int to {} is not defined"
IN_THE_TEXT = "its D text bad.so:bad.d does not compile"

# case: (what --check-provider says is wrong with a plug-in that passes the trial, and a line before that)
CHECKED = {
    "type_unknown": (NO_TYPE.format("no such type *"), ""),
    "type_cut": (NO_TYPE.format("struct { int"), ""),
    "type_endless": (NO_TYPE.format("x" * 127), ""),
    "type_void": (NO_TYPE.format("void"), ""),
    "type_empty": (NO_TYPE.format(""), ""),
    "type_script": (NO_TYPE.format("int; } BEGIN { exit(3); }"), ""),
    "type_misspelt": (NO_TYPE.format("unsinged long"), ""),
    "translator_missing": (NO_TRANSLATOR.format("no_translator_t"), ""),
    "translator_of_text": (NO_TRANSLATOR.format("text_t *"), ""),
    "mapping_far": ("dtps_getargdesc of bad:m:f:a: args[2] is made from arg99, and the last is arg9", ""),
    "text_cut": (IN_THE_TEXT, "failed to compile script bad.so:bad.d: [D_SYNTAX] line 2: "),
    "text_semicolon": (IN_THE_TEXT, 'line 2: syntax error near "translator"\n    translator text_t < int T > { t_one = T; };\n    ^~~~~~~~~~\n'),
    "text_member": (IN_THE_TEXT, "line 2: translator member t_wto is not a member of text_t"),
    "text_name": (IN_THE_TEXT, "line 1: failed to resolve ONCE: Unknown variable name\n    inline int TWICE = 2 * ONCE;\n                       ^~~~~~~~"),
    "text_later": (IN_THE_TEXT, "line 2: failed to resolve ONCE: Unknown variable name"),
    "text_type": (IN_THE_TEXT, 'translator member t_one definition uses incompatible types: "int" = "string"'),
    "crash_enable": ("dies of SIGSEGV in dtps_enable or dtps_disable of bad:m:f:a", OF + "has crashed by SIGSEGV in dtps_enable" + LOST),
    "exit_disable": ("exits with status 1 in dtps_enable or dtps_disable of bad:m:f:a", OF + "has called exit(0) in dtps_disable" + LOST),
    "throw_enable": ("dtps_enable or dtps_disable of bad:m:f:a throws: thrown in enable", ""),
    "context_enable": ("provider bad: dtrace_register may not be called from dtps_enable", ""),
    "crash_getargval": ("dies of SIGSEGV in its threads, while probes are enabled", OF + "has crashed by SIGSEGV in dtps_getargval" + LOST),
    "throw_getargval": ("dtps_getargval throws: something that is no std::exception", ""),
    "exit_getargval": ("calls std::terminate() in dtps_getargval", ""),
    "crash_usermode": ("dies of SIGSEGV in its threads, while probes are enabled", OF + "has crashed by SIGSEGV in dtps_usermode" + LOST),
    "context_usermode": ("provider bad: dtrace_probe_lookup may not be called from dtps_usermode", ""),
    "fires_late": ("after dtps_disable", ""),
    "exit_stop": ("exits with status 1 in stop()", "sonde: plug-in bad.so has called exit(0) in stop()" + LOST),
    "thread_left": ("stop() leaves 1 threads behind", ""),
    "stop_nothing": ("stop() leaves the provider bad registered", ""),
}
# Odd, and right: a type of the traced program, an argument that is refused, texts that nothing uses, calls that are refused.
RIGHT = ("type_of_program", "type_of_go", "mapping_below", "text_unused", "names", "double", "double_unregister", "fires", "")

AT_A_TIME = 4


def plugin(world, name, *flags):
    """The path of programs/plugins/NAME.c or .cpp, compiled as an author would, against the installed copy."""
    source = next(s for s in (PROGRAMS / "plugins" / (name + ending) for ending in (".c", ".cpp")) if s.exists())
    folder = world.programs / "sdk" / "plugins"
    built = folder / "".join([name, *flags, ".so"])
    if is_guests(world.programs):
        raise Skip("plug-ins are compiled against an installed copy, which a guest has not")
    prefix = the_prefix(world)
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        header = prefix / "include/sonde/provider.h"
        if not built.exists() or built.stat().st_mtime < max(source.stat().st_mtime, header.stat().st_mtime):
            cflags = run(["pkg-config", "--cflags", "sonde"], env=os.environ | {"PKG_CONFIG_PATH": str(prefix / "share/pkgconfig")}).split()
            compiler = ["g++", "-std=c++20"] if source.suffix == ".cpp" else ["gcc", "-std=c11"]
            run([*compiler, "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-O1", "-shared", "-fPIC", "-pthread",
                 *flags, *cflags, "-o", built, source])
    return built


def bad(world):
    copy = pathlib.Path(world.path("bad.so"))
    shutil.copy(plugin(world, "bad"), copy)
    return copy


def start_case(world, case, *arguments):
    mark = world.path(f"{case}.mark")
    return world.start_sonde(*arguments, env={"BAD": case, "BAD_MARK": mark})


def in_batches(cases, start, finish):
    """Several at a time: most of each run is waiting."""
    cases = list(cases)
    for at in range(0, len(cases), AT_A_TIME):
        started = [(case, start(case)) for case in cases[at:at + AT_A_TIME]]
        for case, process in started:
            finish(case, process)


def script(ending):
    return ("-qn", 'BEGIN { printf("begun\\n"); } bad:::a { @ = count(); @v = max(arg5); } bad:::b { } ' + ending)


@scenario(only="ptrace", why="the plug-in fires by itself")
def what_a_plugin_does_wrong_is_told_by_op_and_file(world):
    """A crash or an end of the process in each op, with the status that it has without us; and what only one op does
    wrong, while tracing goes on."""
    file = bad(world)

    def finish(case, process):
        ending, status, wanted = RUNS[case]
        result = world.finish(process)
        equal(result.status, status, f"{case}: status; it says {result.stderr!r}")
        check((wanted or "") in result.stderr, f"{case}: {result.stderr!r} is without {wanted!r}")
        equal("Traceback" in result.stderr or result.stderr.count(" has crashed by ") > 1, False, f"{case}: said twice")
        if wanted == "":
            equal(result.stderr, "", f"{case}: standard error")
        if status == 0:
            check(result.stdout.startswith("begun\n"), f"{case}: {result.stdout!r}")

    in_batches(RUNS, lambda case: start_case(world, case, f"--provider={file}", *script(RUNS[case][0])), finish)


@scenario(only="ptrace", why="it is about loading")
def each_bad_plugin_is_left_out_with_the_reason(world):
    """And harms nobody: the traced program's output, and the script's, are there."""
    file = bad(world)
    traced = ("-qn", 'syscall::write:entry /pid == $target/ { n++; } END { printf("writes %d\\n", n); }', "-c", "echo traced")

    def finish(case, process):
        result = world.finish(process)
        equal(result.status, 0, f"{case}: status")
        equal(result.stdout, "traced\nwrites 1\n\n", f"{case}: output")
        equal(result.stderr, f"sonde: provider {file} is left out: {LEFT_OUT[case]}\n", case)

    in_batches(LEFT_OUT, lambda case: start_case(world, case, f"--provider={file}", *traced), finish)


@scenario(only="ptrace", why="the plug-in fires by itself")
def check_provider_tells_the_author_what_is_wrong(world):
    """What a run would leave out for, and what a run shows only to those who use it."""
    file = bad(world)
    wrong = {case: (why, "") for case, why in LEFT_OUT.items()} | CHECKED

    def finish(case, process):
        result = world.finish(process)
        why, before = wrong.get(case, ("", ""))
        equal(result.status, 1 if why else 0, f"{case}: status; it says {result.stdout + result.stderr}")
        if not why:
            check("probes, nothing wrong\n" in result.stdout, f"{case}: {result.stdout}")
            return
        last = result.stderr.rstrip("\n").split("\n")[-1]
        check(last.startswith("bad.so: wrong: ") and last.endswith(why), f"{case}: {result.stderr}")
        check(before in result.stderr and "nothing wrong" not in result.stdout, f"{case}: {result.stderr}")

    in_batches([*wrong, *RIGHT], lambda case: start_case(world, case, f"--check-provider={file}"), finish)


@scenario(only="ptrace", why="it is about plug-ins that no script uses")
def a_bad_plugin_that_nobody_uses_disturbs_nobody(world):
    file = bad(world)
    unused = [case for case in RUNS if case.endswith(("_enable", "_disable", "_getargval", "_usermode", "_thread"))]

    def finish(case, process):
        result = world.finish(process)
        equal((result.status, result.stdout, result.stderr), (0, "42\n\n", ""), case)

    in_batches(unused if world.full else unused[::5],
               lambda case: start_case(world, case, f"--provider={file}", "-qn", 'BEGIN { printf("42\\n"); exit(0); }'), finish)


# case: the op that does not return, and what it does meanwhile
STUCK = {
    "sleep_enable": ("dtps_enable", "waits"),
    "deadlock": ("dtps_disable", "waits"),
    "spin_getargval": ("dtps_getargval", "uses the processor"),
    "spin_enable": ("dtps_enable", "uses the processor"),
    "spin_disable": ("dtps_disable", "uses the processor"),
}


@scenario(only="ptrace", why="the plug-in fires by itself")
def an_op_that_does_not_return_is_told_while_it_does_not(world):
    """Once; and SIGTERM ends sonde all the same, and lets go of what it traces."""
    file = bad(world)
    cases = [case for case in STUCK if world.full or case in ("deadlock", "spin_getargval")]
    targets = {case: world.start(["sleep", "1000"]) for case in cases}
    said = {case: pathlib.Path(world.path(f"{case}.err")) for case in cases}
    running = {}
    for case in cases:
        with open(said[case], "w", encoding="utf-8") as file_of_errors:
            ending = AT_ONCE if STUCK[case][0] == "dtps_disable" else BY_ITSELF
            running[case] = world.start_sonde(f"--provider={file}", "-p", targets[case].pid, *script(ending), env={"BAD": case}, stderr=file_of_errors)
    for case, process in running.items():
        op, does = STUCK[case]
        wait_until(lambda case=case: "has not returned for" in said[case].read_text(), what=case)
        check(f"sonde: provider bad (bad.so): {op} has not returned for 5 s; it {does}" in said[case].read_text(), said[case].read_text())
        process.send_signal(signal.SIGTERM)
    for case, process in running.items():
        result, text = world.finish(process), said[case].read_text()
        equal(result.status, -signal.SIGTERM, f"{case}: status; it said {text}")
        equal(text.count("has not returned for"), 1, f"{case}: {text}")
        check("still has not returned, so sonde ends" in text, f"{case}: {text}")
        equal(targets[case].poll(), None, "the target's status")
        wait_until(lambda case=case: "TracerPid:\t0" in pathlib.Path(f"/proc/{targets[case].pid}/status").read_text())
        targets[case].kill()
