# SPDX-License-Identifier: GPL-3.0-or-later
"""Which tests reach a mutant, and which of them notice it: for mutants.py --sample and --of.

Nobody named a test for these mutants, and all tests for each of them would take a day. So every test runs once with all mutants off, and each
switch that it passes marks a byte of a file that all processes of the test have mapped (MUTANT_SEEN). A mutant then meets only tests that
reach it. Those of a kind come in random order, because what many tests reach is best asked by tests that differ.

The kinds, one after the other, each only for mutants that still live: unit tests of the mutant's folder (sanitized, a suite at a time), golden scripts (in
packs: a start costs more than a script), scenarios (with the binary that users get). A test that fails with all mutants off, too, notices nothing.

All of it ends in time: each kind has an equal part of what is left, one half of it to look for what tests reach, in random order, and the rest for the mutants in
turn, each of which meets at least one. How many it has met is said."""

import concurrent.futures
import dataclasses
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

PACK = 40  # golden scripts in one run
LONGEST = 120  # seconds for a test: it hangs, or is none for this
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
        for suite in re.findall(r"^(\S+?\.)(?:\s|$)", listed, re.M):
            yield Test("unit", f"{pathlib.Path(program).name}:{suite}*", [program, f"--gtest_filter={suite}*"])


def scripts(root, binary):
    every = sorted((root / "tests/scripts").glob("*.d"))
    for at in range(0, len(every), PACK):
        pack = every[at:at + PACK]
        yield Test("script", f"{pack[0].name} to {pack[-1].name}", [sys.executable, root / "tests/scripts/run.py", "--binary", binary, *pack])


def scenarios(root, binary):
    command = [sys.executable, root / "tests/scenarios/run.py", "--binary", binary]
    for line in subprocess.run([*command, "--list"], capture_output=True, text=True, check=True).stdout.splitlines():
        yield Test("scenario", line.split()[0], [*command, "--exact", line.split()[0]])


def run(argv, seconds, **environment):
    """The exit status; 124 if the time-out ended it."""
    environment = os.environ | {"ASAN_OPTIONS": "detect_leaks=0:detect_container_overflow=0"} | environment
    argv = ["timeout", "-k", "5", str(int(seconds)), *map(str, argv)]
    return subprocess.run(argv, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode


def with_reach(tests, most, until):
    """The tests that pass with all mutants off and reach one, with which and how long they take; the names of those that fail; and how many there was
    no time for."""
    def look(test):
        if time.monotonic() > until:
            return test, None
        with tempfile.NamedTemporaryFile(prefix="sonde-seen-") as seen:
            os.fchmod(seen.fileno(), 0o666)  # scenarios run as another user, too
            seen.write(bytes(MOST_MUTANTS))
            seen.flush()
            began = time.monotonic()
            status = run(test.argv, LONGEST, MUTANT="0", MUTANT_SEEN=seen.name)
            marks = pathlib.Path(seen.name).read_bytes()
        return dataclasses.replace(test, seconds=time.monotonic() - began, reaches=frozenset(n for n in range(1, most + 1) if marks[n])), status
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        found = list(pool.map(look, tests))
    failing = [test.name for test, status in found if status not in (0, 77, None)]
    return [test for test, status in found if status == 0 and test.reaches], failing, sum(1 for _, status in found if status is None)


def hunt(number, tests, seed, until):
    """(the test that notices the mutant or None, how many met it, how many reach it)"""
    reaching = [test for test in tests if number in test.reaches]
    random.Random(f"{seed} {number}").shuffle(reaching)
    for met, test in enumerate(reaching):
        if met and time.monotonic() > until:
            return None, met, len(reaching)
        patience = min(10 * test.seconds + 20, LONGEST)
        if run(test.argv, patience, MUTANT=str(number)) not in (0, 77) and run(test.argv, patience, MUTANT="0") == 0:
            return test, met + 1, len(reaching)
    return None, len(reaching), len(reaching)


def meet(tests, alive, seed, until, tell):
    """{mutant: what hunt() says}, with an equal share of the time for each."""
    def one(place):
        at, number = place
        share = (until - time.monotonic()) * WORKERS / max(WORKERS, len(alive) - at)
        found = hunt(number, tests, seed, time.monotonic() + share)
        tell(number, found)
        return number, found
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        return dict(pool.map(one, enumerate(alive)))


def fates(kinds, numbers, seed, seconds, say):
    """{mutant: (name of the test that noticed it or None, tests that met it, tests that reach it)}. `kinds`: functions that make tests."""
    fate, end = {number: (None, 0, 0) for number in numbers}, time.monotonic() + seconds
    for at, make in enumerate(kinds):
        alive = [number for number, (killer, *_) in fate.items() if not killer]
        if not alive:
            break
        began = time.monotonic()
        part = (end - began) / (len(kinds) - at)
        every = list(make(alive))
        random.Random(seed).shuffle(every)
        tests, failing, unseen = with_reach(every, max(numbers), began + part / 2)
        say(f"{len(tests)} of {len(every)} {make.__name__} reach a mutant ({time.monotonic() - began:.0f} s)"
            + (f"; no time for {unseen}" if unseen else "") + (f"; fail without one: {', '.join(failing)}" if failing else ""))

        def tell(number, found):
            killer, met, reach = found
            fate[number] = (f"{killer.kind}:{killer.name}" if killer else None, fate[number][1] + met, fate[number][2] + reach)
            say(f"{number} {'killed by ' + fate[number][0] if killer else f'lives behind {met} of {reach}'} {make.__name__}")
        meet(tests, alive, seed, began + part, tell)
        say(f"{sum(1 for killer, *_ in fate.values() if not killer)} of {len(fate)} live behind the {make.__name__} ({time.monotonic() - began:.0f} s)")
    return fate
