# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/coming-from.md: each command for sonde there runs, on a program and on a process that is there, or compiles, if it is about the
whole machine; each clause compiles."""

import pathlib
import re
import shlex

from support import check, equal, scenario
from tools import TOOLS, environment

PAGE = TOOLS.parent / "docs" / "coming-from.md"


def here():
    """What stands in the second column, between back quotes."""
    for line in PAGE.read_text().splitlines():
        cells = re.split(r"(?<!\\) \| ", line.strip("| "))
        if line.startswith("|") and len(cells) == 2:
            yield from re.findall(r"`([^`]+)`", cells[1])


@scenario(seconds=600)
def coming_from_commands(world):
    sleeper = world.start(["sleep", "600"])
    commands = [text for text in here() if text.startswith("sonde ")]
    check(len(commands) >= 25, f"commands of the page: {commands}")
    for text in commands:
        words = shlex.split(text.replace("PROGRAM", "true").replace("4711", str(sleeper.pid)).replace("FILE", world.path("out")))[1:]
        if "-p" in words:
            sonde = world.start_sonde("--duration=300ms", *words, env=environment())
            equal(world.finish(sonde).status, 0, text)
        elif "true" in words:
            world.sonde(*words, env=environment())
        else:
            world.sonde(*([] if words[0].startswith("--help") else ["-Z", "-e"]), *words, env=environment())


@scenario()
def coming_from_clauses(world):
    sleeper = world.start(["sleep", "600"])
    clauses = [text for text in here() if re.fullmatch(r"[^ ]*:[^ ]*(:[^ ]*){1,2} \{.*\}|tick-\S+ \{.*\}|[a-z]+(\$target)?:[^ ]*:[^ ]*:[^ ]*", text)]
    check(len(clauses) >= 7, f"clauses of the page: {clauses}")
    for text in clauses:
        world.sonde("-Z", "-e", "-n", "syscall:::entry { @ = count(); } " + text.replace("...", ""), "-p", sleeper.pid)
