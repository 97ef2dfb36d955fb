# SPDX-License-Identifier: GPL-3.0-or-later
"""The cost of tracing, compared with other tools. `./dev bench` prints the numbers, too."""

import pathlib
import re
import resource
import shutil
import subprocess

from support import Skip, check, check_wall_times, equal, scenario, skip_where_time_means_nothing


def processor_seconds(run):
    """Processor time of a run and of the processes that it waited for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


BEGIN_EXIT = ("-q", "-n", "BEGIN { exit(0); }")


@scenario()
def begin_exit_uses_little(world):
    """sonde -n 'BEGIN { exit(0); }': at most 50 ms of processor time, independent of other load.

    If page faults are slow, all programs start slowly: then the limit is five times the time of an empty Python."""
    skip_where_time_means_nothing()
    runs = {"sonde": lambda: world.sonde(*BEGIN_EXIT),
            "python": lambda: world.run(["/usr/bin/python3", "-S", "-E", "-c", "pass"])}
    taken = {name: min(processor_seconds(run) for _ in range(11)) for name, run in runs.items()}
    print("  " + ", ".join(f"{name} {s * 1000:.1f} ms" for name, s in taken.items()))
    check(taken["sonde"] <= max(0.050, 5 * taken["python"]), "over 50 ms, and over five times an empty Python")


@scenario(alone=True)
def begin_exit_starts_fast(world):
    """The same from the start of the process to its end: at most 50 ms."""
    check_wall_times(world, {"sonde": lambda: world.sonde(*BEGIN_EXIT).seconds}, lambda taken: taken["sonde"] <= 0.050, "over 50 ms")


@scenario(alone=True)
def begin_exit_starts_faster_than_bpftrace(world):
    """The same compared with bpftrace -e 'BEGIN { exit(); }'."""
    bpftrace = shutil.which("bpftrace")
    if not bpftrace:
        raise Skip("no bpftrace: bpftrace")
    if world.run([bpftrace, "-e", "BEGIN { exit(); }"]).status != 0:
        raise Skip("bpftrace cannot trace here")
    check_wall_times(world, {"sonde": lambda: world.sonde(*BEGIN_EXIT).seconds,
                             "bpftrace": lambda: world.run([bpftrace, "-e", "BEGIN { exit(); }"]).seconds},
                     lambda taken: taken["sonde"] < taken["bpftrace"], "bpftrace starts faster")


ONE_CALL = "syscall::getppid:entry { @ = count(); }"


@scenario(only="ptrace", why="the module stops nobody", alone=True)
def not_slower_than_strace_with_a_filter(world):
    """One frequent call among others, from start to end, compared with strace --seccomp-bpf."""
    strace = shutil.which("strace")
    if not strace:
        raise Skip("no strace: strace")
    program, calls = world.program("mixed"), 20000
    trace = [strace, "--seccomp-bpf", "-f", "-o", "/dev/null", "-e", "trace=getppid", program, calls]
    check_wall_times(world, {"sonde": lambda: world.sonde("-q", "-n", ONE_CALL, "-c", f"{program} {calls}").seconds,
                             "strace": lambda: world.run(trace).seconds},
                     lambda taken: taken["sonde"] <= taken["strace"], "slower than strace --seccomp-bpf", rounds=5)


@scenario(only="ptrace", why="it counts stops, and the module stops nobody")
def entry_only_costs_one_stop(world):
    """One frequent call among others, entry only: half as many stops as strace --seccomp-bpf, and each call is
    recorded."""
    calls = 100000
    result = world.sonde("-q", "-b", "16m", "-n", ONE_CALL, "-c", f"{world.program('mixed')} {calls}", env={"SONDE_STATISTICS": "1"})
    found = re.search(r"stops=(\d+) records=(\d+) drops=(\d+)", result.stderr)
    check(found, "no statistics")
    stops, records, drops = map(int, found.groups())
    check(records >= calls and drops == 0, f"{records} records, {drops} drops")
    check(stops <= calls + 100, f"{stops} stops for {calls} calls; strace --seccomp-bpf makes {2 * calls}")
    print(f"  {stops} stops for {calls} calls")


FUNCTIONS = 50_000
ENTRIES = "pid$target:a.out:fn*:entry"
RETURNS = "pid$target:a.out:fn*:return"


def own_memory(world, program, probes):
    """Private memory of sonde and its guard while the probes are armed in a waiting program."""
    sonde = world.start_sonde("-x", "source=ptrace", "-q", "-n", f'BEGIN {{ printf("armed\\n"); }} {probes} {{ }}', "-p", program.pid)
    equal(sonde.stdout.readline(), "armed\n", "the first line")
    guards = pathlib.Path(f"/proc/{sonde.pid}/task/{sonde.pid}/children").read_text().split()
    equal(len(guards), 1, "guards")
    found = [re.search(r"RssAnon:\s+(\d+) kB", pathlib.Path(f"/proc/{pid}/status").read_text()) for pid in (sonde.pid, *guards)]
    sonde.terminate()
    world.finish(sonde)
    return sum(int(one.group(1)) * 1024 for one in found)


@scenario(only="ptrace", why="the module keeps its taps in the kernel")
def a_site_costs_less_than_a_kibibyte(world):
    """Memory of sonde and its guard while armed: the entries of 50,000 functions, and their returns as well."""
    program = world.start([world.program("functions")], stdin=subprocess.PIPE)
    one = own_memory(world, program, "pid$target:a.out:main:entry")
    for probes, sites in ((ENTRIES, FUNCTIONS), (f"{ENTRIES},{RETURNS}", 2 * FUNCTIONS)):
        each = (own_memory(world, program, probes) - one) / sites
        print(f"  {sites} sites: {each:.0f} bytes each, beside {one / 2**20:.1f} MiB")
        check(each < 1024, f"{each:.0f} bytes a site")
    equal(world.finish(program).stdout, world.run([world.program("functions")]).stdout, "the program's output")


@scenario(only="ptrace", why="the kernel registers uprobes one by one")
def fifty_thousand_functions_are_armed_and_let_go_in_time(world):
    """Processor time of sonde and its guard, so that other load does not count: attach, arm, detach. It is proportional
    to the number."""
    skip_where_time_means_nothing()
    program = world.start([world.program("functions")], stdin=subprocess.PIPE)

    def seconds(*probes):
        clause = f"{','.join(probes)} {{ }} BEGIN {{ exit(0); }}"
        return processor_seconds(lambda: world.sonde("-x", "source=ptrace", "-q", "-n", clause, "-p", program.pid))

    tenth = [f"pid$target:a.out:fn{'?' * digits}:entry" for digits in (1, 2, 3, 4)]
    few, entries, both = seconds(*tenth), seconds(ENTRIES), seconds(ENTRIES, RETURNS)
    print(f"  10,000 entries {few:.2f} s, 50,000 {entries:.2f} s, and their returns {both:.2f} s")
    check(entries <= 2, "the entries of 50,000 functions take over 2 s")
    check(both <= 4, "entries and returns take over 4 s")
    check(entries <= 6 * few, "it grows faster than the number of functions")
    equal(world.finish(program).stdout, world.run([world.program("functions")]).stdout, "the program's output")


@scenario(only="ptrace", why="the kernel registers uprobes one by one", seconds=600)
def fifty_thousand_functions_are_counted(world):
    """Each entry and each return counts once; the result of the program is that without sonde."""
    program = world.program("functions")
    untraced = world.run([program]).stdout
    clause = f"{ENTRIES} {{ @e = count(); }} {RETURNS} {{ @r = count(); }} END {{ printa(\"%@d \", @e); printa(\"%@d\", @r); }}"
    result = world.sonde("-x", "source=ptrace", "-q", "-o", world.path("counts"), "-n", clause, "-c", program)
    equal(result.stdout, untraced, "the program's output")
    equal(pathlib.Path(world.path("counts")).read_text().split(), [str(FUNCTIONS)] * 2, "entries and returns")
