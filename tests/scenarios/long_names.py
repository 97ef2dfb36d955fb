# SPDX-License-Identifier: GPL-3.0-or-later
"""Long names in the columns of -l: cut on a terminal, whole with -v and in a pipe."""

import re

from support import check, equal, scenario
from terminal import Terminal


@scenario()
def long_names_are_cut_on_a_terminal_only(world):
    program = world.program("long_names")
    command = ["-l", "-n", "pid$target:a.out:*rehash*:entry", "-c", program]
    whole = world.sonde(*command).stdout.splitlines()
    name = whole[1].split(maxsplit=3)[3].rsplit(" ", 1)[0]
    check(len(name) > 60, f"the name {name!r} is not long")
    terminal = Terminal(world)
    try:
        for extra, cut in (("", True), ("-v", False)):
            terminal.send(f"'{world.binary}' {extra} {' '.join(repr(word) for word in command)}\n")
            terminal.expect("NAME\n")
            line = terminal.expect("entry")
            equal(name in line, not cut, f"the whole name is shown with {extra!r}: {line!r}")
            if cut:
                equal(len(line), 5 + 1 + 10 + 1 + 17 + 1 + 33 + 1 + len("entry"), f"width of {line!r}")
                check(re.search(r"\w\.\.\w", line), f"no mark of the cut in {line!r}")
            terminal.expect("ready> ")
    finally:
        terminal.close()
