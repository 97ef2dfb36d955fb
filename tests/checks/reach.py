# SPDX-License-Identifier: GPL-3.0-or-later
"""Which tests reach a mutant, and which of them notice it: for mutants.py --sample and --of.

Nobody named a test for these mutants, and all tests for each of them would take a day. So every test runs once with all mutants off, and each
switch that it passes marks a byte of a file that all processes of the test have mapped (MUTANT_SEEN). A mutant then meets only tests that
reach it. Those of a kind come in random order, because what many tests reach is best asked by tests that differ.

The kinds, one after the other, each only for mutants that still live: unit tests of the mutant's folder (sanitized), golden scripts (in packs: a start
costs more than a script), scenarios (with the binary that users get). A test that fails with all mutants off, too, notices nothing."""

import concurrent.futures
import dataclasses
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

PACK = 40  # golden scripts in one run
AT_MOST = {"unit": 600, "script": 600, "scenario": 120}  # seconds of tests of a kind for one mutant
WORKERS = 2
MOST_MUTANTS = 4096


@dataclasses.dataclass
class Test:
    kind: str
    name: str
    argv: list
    seconds: float = 0.0
    reaches: frozenset = frozenset()


def units(programs):
    for program in programs:
        listed = subprocess.run([program, "--gtest_list_tests"], capture_output=True, text=True, check=True).stdout
        suite = ""
        for line in listed.splitlines():
            word = line.split("#")[0].strip()
            if line.startswith(" "):
                yield Test("unit", f"{pathlib.Path(program).name}:{suite}{word}", [program, f"--gtest_filter={suite}{word}"])
            else:
                suite = word


def scripts(root, binary):
    for path in sorted((root / "tests/scripts").glob("*.d")):
        yield Test("script", path.name, [sys.executable, root / "tests/scripts/run.py", "--binary", binary, path])


def scenarios(root, binary):
    run = [sys.executable, root / "tests/scenarios/run.py", "--binary", binary]
    for line in subprocess.run([*run, "--list"], capture_output=True, text=True, check=True).stdout.splitlines():
        yield Test("scenario", line.split()[0], [*run, "--exact", line.split()[0]])


def run(argv, seconds, **environment):
    """The exit status; 124 if the time-out ended it."""
    environment = os.environ | {"ASAN_OPTIONS": "detect_leaks=0:detect_container_overflow=0"} | environment
    argv = ["timeout", "-k", "5", str(int(seconds)), *map(str, argv)]
    return subprocess.run(argv, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode


def with_reach(tests, most):
    """The tests that pass with all mutants off and reach one, with which and how long they take; and the names of those that fail."""
    def look(test):
        with tempfile.NamedTemporaryFile(prefix="sonde-seen-") as seen:
            os.fchmod(seen.fileno(), 0o666)  # scenarios run as another user, too
            seen.write(bytes(MOST_MUTANTS))
            seen.flush()
            began = time.monotonic()
            status = run(test.argv, 300, MUTANT="0", MUTANT_SEEN=seen.name)
            marks = pathlib.Path(seen.name).read_bytes()
        return dataclasses.replace(test, seconds=time.monotonic() - began, reaches=frozenset(n for n in range(1, most + 1) if marks[n])), status
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        found = list(pool.map(look, tests))
    return [test for test, status in found if status == 0 and test.reaches], [test.name for test, status in found if status not in (0, 77)]


def packed(tests):
    """The same tests, golden scripts in packs."""
    if not tests or tests[0].kind != "script":
        return tests
    packs = [tests[at:at + PACK] for at in range(0, len(tests), PACK)]
    return [Test("script", pack[0].name if len(pack) == 1 else f"{pack[0].name} to {pack[-1].name}", [*pack[0].argv[:-1], *(one.argv[-1] for one in pack)],
                 sum(one.seconds for one in pack)) for pack in packs]


def hunt(number, tests, seed):
    """(the test that notices the mutant or None, how many met it, how many reach it)"""
    reaching = [test for test in tests if number in test.reaches]
    random.Random(f"{seed} {number}").shuffle(reaching)
    spent = met = 0
    for test in packed(reaching):
        if spent > AT_MOST[test.kind]:
            break
        spent += test.seconds
        met += len(test.argv) - 4 if test.kind == "script" else 1
        patience = 10 * test.seconds + 20
        if run(test.argv, patience, MUTANT=str(number)) not in (0, 77) and run(test.argv, patience, MUTANT="0") == 0:
            return test, met, len(reaching)
    return None, met, len(reaching)


def fates(kinds, numbers, seed, say):
    """{mutant: (name of the test that noticed it or None, tests that met it, tests that reach it)}. `kinds`: functions that make tests."""
    fate = {number: (None, 0, 0) for number in numbers}
    for make in kinds:
        alive = [number for number, (killer, *_) in fate.items() if not killer]
        if not alive:
            break
        began = time.monotonic()
        tests, failing = with_reach(list(make(alive)), max(numbers))
        say(f"{len(tests)} {make.__name__} reach a mutant ({time.monotonic() - began:.0f} s)" + (f"; fail without one: {', '.join(failing)}" if failing else ""))
        with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
            for number, (killer, met, reach) in zip(alive, pool.map(lambda n: hunt(n, tests, seed), alive)):
                fate[number] = (f"{killer.kind}:{killer.name}" if killer else None, fate[number][1] + met, fate[number][2] + reach)
        say(f"{sum(1 for killer, *_ in fate.values() if not killer)} of {len(fate)} live behind the {make.__name__} ({time.monotonic() - began:.0f} s)")
    return fate
