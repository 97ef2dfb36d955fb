# SPDX-License-Identifier: GPL-3.0-or-later
"""What tracing costs, beside the tools that people would use instead. The numbers are in `./dev bench`, too."""

import math
import re
import resource
import shutil

from support import check, scenario, skip_where_time_means_nothing


def processor_seconds(run):
    """What a run and the processes that it waited for have used."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@scenario()
def begin_exit_starts_fast(world):
    """sonde -n 'BEGIN { exit(0); }': at most 50 ms of processor time, and less than bpftrace's equivalent.

    Where a page fault is slow, all programs start slowly: then it is five times what an empty Python takes."""
    skip_where_time_means_nothing()
    runs = {"sonde": lambda: world.sonde("-q", "-n", "BEGIN { exit(0); }"),
            "python": lambda: world.run(["/usr/bin/python3", "-S", "-E", "-c", "pass"])}
    bpftrace = shutil.which("bpftrace")
    if bpftrace and world.run([bpftrace, "-e", "BEGIN { exit(); }"]).status == 0:
        runs["bpftrace"] = lambda: world.run([bpftrace, "-e", "BEGIN { exit(); }"])
    taken = {name: min(processor_seconds(run) for _ in range(11)) for name, run in runs.items()}
    print("  " + ", ".join(f"{name} {s * 1000:.1f} ms" for name, s in taken.items()))
    check(taken["sonde"] <= max(0.050, 5 * taken["python"]), "over 50 ms, and over five times an empty Python")
    check(taken["sonde"] <= taken.get("bpftrace", math.inf), "bpftrace starts faster")


@scenario(only="ptrace", why="it counts stops, and the module stops nobody")
def entry_only_costs_one_stop(world):
    """One frequent call among others, entry only: half of the stops that strace --seccomp-bpf makes."""
    calls = 100000
    clause = "syscall::getppid:entry { @ = count(); }"
    result = world.sonde("-q", "-n", clause, "-c", f"{world.program('mixed')} {calls}", env={"SONDE_STATISTICS": "1"})
    found = re.search(r"stops=(\d+) records=(\d+) drops=(\d+)", result.stderr)
    check(found, "no statistics")
    stops, records, drops = map(int, found.groups())
    check(records + drops >= calls, f"{records} records, {drops} drops")
    check(stops <= calls + 100, f"{stops} stops for {calls} calls; strace --seccomp-bpf makes {2 * calls}")
    print(f"  {stops} stops for {calls} calls")
