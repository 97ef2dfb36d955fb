# SPDX-License-Identifier: GPL-3.0-or-later
"""What tracing costs, beside the tools that people would use instead. The numbers are in `./dev bench`, too."""

import re
import shutil

from support import Skip, check, median, scenario


def interleaved(runs, times):
    """{name: median seconds} of functions run in turn, `times` rounds."""
    seconds = {name: [] for name in runs}
    for _ in range(times):
        for name, run in runs.items():
            seconds[name].append(run().seconds)
    return {name: median(values) for name, values in seconds.items()}


@scenario(serial=True)
def begin_exit_starts_fast(world):
    """sonde -n 'BEGIN { exit(0); }': at most 50 ms, and less than bpftrace's equivalent."""
    runs = {"sonde": lambda: world.sonde("-q", "-n", "BEGIN { exit(0); }")}
    bpftrace = shutil.which("bpftrace")
    if bpftrace and world.run([bpftrace, "-e", "BEGIN { exit(); }"]).status == 0:
        runs["bpftrace"] = lambda: world.run([bpftrace, "-e", "BEGIN { exit(); }"])
    for attempt in range(3):  # another process may be in the way
        taken = interleaved(runs, 11)
        print("  " + ", ".join(f"{name} {s * 1000:.1f} ms" for name, s in taken.items()))
        if taken["sonde"] <= 0.050 and taken["sonde"] < taken.get("bpftrace", 1):
            return
    raise AssertionError("too slow")


@scenario(seconds=120, serial=True)
def entry_only_costs_one_stop(world):
    """One frequent call among others, entry only: half of strace's stops, and not slower than its --seccomp-bpf."""
    strace = shutil.which("strace")
    if not strace:
        raise Skip("strace is not installed")
    calls = 100000
    program = world.program("mixed")
    clause = "syscall::getppid:entry { @ = count(); }"

    result = world.sonde("-q", "-n", clause, "-c", f"{program} {calls}", env={"SONDE_STATISTICS": "1"})
    found = re.search(r"stops=(\d+) records=(\d+) drops=(\d+)", result.stderr)
    check(found, "no statistics")
    stops, records, drops = map(int, found.groups())
    check((records >= calls, drops) == (True, 0), f"{records} records, {drops} drops")
    check(stops <= calls + 100, f"{stops} stops for {calls} calls; strace --seccomp-bpf makes {2 * calls}")
    print(f"  {stops} stops for {calls} calls")

    trace = [strace, "--seccomp-bpf", "-f", "-o", "/dev/null", "-e", "trace=getppid", program, str(calls)]
    runs = {"sonde": lambda: world.sonde("-q", "-n", clause, "-c", f"{program} {calls}"),
            "strace --seccomp-bpf": lambda: world.run(trace)}
    for attempt in range(3):
        taken = interleaved(runs, 3)
        print("  " + ", ".join(f"{name} {s:.2f} s" for name, s in taken.items()))
        if taken["sonde"] <= taken["strace --seccomp-bpf"]:
            return
    raise AssertionError("slower than strace --seccomp-bpf")
