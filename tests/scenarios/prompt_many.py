# SPDX-License-Identifier: GPL-3.0-or-later
"""A prompt that holds 100,000 probes. The plug-in is programs/plugins/many.cpp."""

import os
import signal

from bad_plugins import plugin
from support import check, scenario
from terminal import Terminal, processor_nanoseconds

MANY = 100_000
# What is typed before Tab, and what then comes: each field, patterns, all functions at once.
TABS = (("man", "y:"), ("many:mod", "ule_"), ("many:module_99:func", "tion_"), ("many::func", "tion_"), ("many::*_99999", "function_99999:"),
        ("many:::e", "ntry"), ("many::function_0:en", "try"), ("BEGIN { execn", "ame"))


def prompt_with(world, count):
    return Terminal(world, [world.binary, "--repl", f"--provider={plugin(world, 'many')}"], {"MANY": str(count), "HOME": str(world.home)})


def close(terminal):
    """Without its end: to destroy the probes one by one takes longer than all that is measured here."""
    os.kill(terminal.pid, signal.SIGKILL)
    terminal.close()


def start_of(world, count):
    """Seconds of processor time that a prompt with so many probes uses until it has answered a line."""
    terminal = prompt_with(world, count)
    try:
        terminal.send(":nosuch\n")
        terminal.expect("unknown command")
        return processor_nanoseconds(terminal.pid) / 1e9
    finally:
        close(terminal)


@scenario()
def prompt_completes_among_many_probes(world):
    """Tab uses less than a third of the processor time that it takes to create the probes, on this machine and now; the
    first Tab as well. (./dev bench tab has the milliseconds.)"""
    creating = min(start_of(world, MANY) - start_of(world, 1) for _ in range(2))
    terminal = prompt_with(world, MANY)
    try:
        for typed, wanted in TABS:
            took = min(terminal.tab(typed, wanted)[1] for _ in range(1 if typed == TABS[0][0] else 3))
            print(f"  {typed}: {took * 1000:.1f} ms of processor time; creating the probes {creating * 1000:.0f} ms")
            check(took < creating / 3, f"{typed} Tab: {took * 1000:.1f} ms, creating the probes {creating * 1000:.0f} ms")
        terminal.send("many::\t\t\t")  # what all begin with; then the list
        terminal.expect("... and 99,960 more")
    finally:
        close(terminal)
