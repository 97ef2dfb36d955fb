# SPDX-License-Identifier: GPL-3.0-or-later
"""Children that hide from tracers."""

import pathlib
import subprocess

from support import Skip, check, counts, equal, scenario

BY_PTRACE = {"only": "ptrace", "why": "only a tracer's breakpoints and filters can harm them"}
WORK = "pid$target:a.out:work:entry"


@scenario(**BY_PTRACE)
def hidden_children_of_a_started_program(world):
    """CLONE_UNTRACED in each way: the children live, and the program finds nothing changed. Their calls are counted as those of
    the children that do not hide."""
    program = world.program("hidden")
    untraced = world.run([program]).stdout
    for probes in (WORK, "syscall::getuid:entry", WORK + ", syscall:::entry"):
        out = world.path("counts", "")
        result = world.sonde("-q", "-o", out, "-n", probes + " { @[probefunc] = count(); }", "-c", program)
        equal(result.stdout, untraced, f"what the program saw under {probes}")
        found = counts(pathlib.Path(out).read_text(encoding="utf-8"))
        if "syscall" in probes:
            equal(found.get("getuid"), 18, f"calls of the children under {probes}")


@scenario(**BY_PTRACE)
def a_program_that_looks_for_leaks(world):
    """LeakSanitizer traces its own process: under sonde it fails as under strace, and sonde says why."""
    if "libasan" not in subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True).stdout:
        raise Skip("no AddressSanitizer: libgcc-12-dev")
    program = world.program("hidden", "-fsanitize=address")
    plain = world.run([program], env={"ASAN_OPTIONS": "detect_leaks=0"})
    for options, leaks in (("detect_leaks=0", False), ("detect_leaks=1", True)):
        result = world.sonde("-q", "-n", WORK + " { @ = count(); }", "-c", program, env={"ASAN_OPTIONS": options})
        check(result.stdout.startswith(plain.stdout), f"{options}: the program's own lines")
        equal("LeakSanitizer does not work under ptrace" in result.stderr, leaks, f"{options}: LeakSanitizer's message")
        equal("wants to trace process" in result.stderr, leaks, f"{options}: sonde's line")
        check("CHECK failed" not in result.stderr, options)
    world.expect_nothing_left()
