#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the scenarios: sonde as a command, on real programs.

A scenario is a function `name(world)` marked @scenario in a file of this folder. It fails with an exception, skips with
Skip, and has a time-out. Exit status: 0 all passed, 1 one failed, 77 all were skipped.
"""

import argparse
import importlib
import pathlib
import signal
import sys
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))

import support  # noqa: E402
from support import SCENARIOS, Skip, World  # noqa: E402


def load():
    for path in sorted(HERE.glob("*.py")):
        if path.stem not in ("run", "support", "terminal"):
            importlib.import_module(path.stem)
    return sorted(SCENARIOS, key=lambda s: s.name)


def on_alarm(_signal, _frame):
    raise TimeoutError("the scenario took too long")


def run_one(scenario, arguments):
    """'passed', 'failed' or 'skipped'."""
    started = time.monotonic()
    signal.signal(signal.SIGALRM, on_alarm)
    signal.alarm(scenario.seconds * (5 if arguments.full else 1) * arguments.patience)
    world = World(arguments.binary, arguments.programs, arguments.full, signals=scenario.signals)
    result = "failed"
    try:
        if scenario.only and scenario.only != arguments.source:
            raise Skip(f"only for the source {scenario.only}: {scenario.why}")
        scenario.function(world)
        result = "passed"
    except Skip as reason:
        print(f"  skipped: {reason}")
        result = "skipped"
    except Exception:  # pylint: disable=broad-except
        traceback.print_exc(file=sys.stdout)
        world.tell()
    finally:
        signal.alarm(0)
        world.close()
    print(f"{result}: {scenario.name} ({time.monotonic() - started:.1f} s)", flush=True)
    return result


def main():
    # A shell has jobs in the background ignore signals. Programs would inherit that; a handler they do not.
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, lambda *_: None)
    root = HERE.parents[1]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-k", metavar="TEXT", action="append", help="only scenarios whose name contains TEXT, or another one's")
    parser.add_argument("--exact", metavar="NAME", help="only this scenario")
    parser.add_argument("--list", action="store_true", help="print `name seconds alone|beside` of each that fits the source, run nothing")
    parser.add_argument("--full", action="store_true", help="the long versions: 200 random moments instead of 30, ...")
    parser.add_argument("--short", action="store_true", help="only those that show what a source does, each once")
    parser.add_argument("--compile", action="store_true", help="compile the test programs, run nothing")
    parser.add_argument("--source", default=support.source_here(), help="fail where this is not the source that sonde takes")
    parser.add_argument("--patience", type=int, default=1, help="multiplies all time-outs: for emulated machines")
    parser.add_argument("--binary", type=pathlib.Path, default=root / "build/bin/sonde")
    parser.add_argument("--programs", type=pathlib.Path, help="where compiled test programs are kept")
    arguments = parser.parse_args()
    arguments.binary = arguments.binary.resolve()
    arguments.programs = arguments.programs or arguments.binary.parents[1] / "tests/programs"
    support.patience = arguments.patience  # before the scenarios are loaded, which import it

    wanted = [s for s in load() if (not arguments.k or any(text in s.name for text in arguments.k))
              and (not arguments.exact or s.name == arguments.exact) and (s.short or not arguments.short)]
    if arguments.list:
        for s in wanted:
            if s.only in (None, arguments.source):
                print(s.name, s.seconds, "alone" if s.alone else "beside")
        return 0
    if arguments.compile:
        world = World(arguments.binary, arguments.programs)
        for source in support.PROGRAMS.glob("*.c"):
            if "main(" in source.read_text():  # the scenario that needs a library compiles it
                world.program(source.stem)
        importlib.import_module("plugins").compile_samples(world.programs, world.binary)
        world.close()
        return 0
    if not wanted or not arguments.binary.exists():
        print(f"no such scenario, or no binary {arguments.binary}")
        return 1
    if arguments.source != support.source_here():
        print(f"sonde takes the source {support.source_here()} here, not {arguments.source}")
        return 1
    results = [run_one(s, arguments) for s in wanted]
    if len(results) > 1:
        print(", ".join(f"{results.count(r)} {r}" for r in ("passed", "failed", "skipped")))
    return 1 if "failed" in results else 77 if set(results) == {"skipped"} else 0


if __name__ == "__main__":
    sys.exit(main())
