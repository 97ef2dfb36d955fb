# SPDX-License-Identifier: GPL-3.0-or-later
"""A hundred mistakes that people make, and what is said about each: mistakes.txt.

There each mistake has a letter: how good its message is. A: place, cause and what to write. B: the cause is clear, and the reader finds the next step. C: the
place alone. D: nothing, or something misleading.."""

import pathlib
import re
import shlex

from support import check, scenario

TABLE = pathlib.Path(__file__).with_name("mistakes.txt")


def mistakes():
    """(letter, command line, message) of each."""
    for block in TABLE.read_text(encoding="utf-8").split("\n\n"):
        lines = [line for line in block.strip("\n").split("\n") if not line.startswith("#")]
        if not lines or lines == [""]:
            continue
        letter, _, command = lines[0].partition(" ")
        yield letter, command, "\n".join(line.removeprefix("  ") for line in lines[1:])


def as_written(text, world):
    """What differs from run to run has a name."""
    text = text.replace(str(world.program("silent")), "@silent@").replace(str(world.home), "@home@")
    text = re.sub(r"Usage: sonde(.|\n)*", "", text)
    text = re.sub(r"\bpid\d{2,}\b", "pidN", text)
    return re.sub(r"process \d{2,}", "process N", text).rstrip("\n")


@scenario()
def each_mistake_has_its_message(world):
    wrong = []
    for _letter, command, message in mistakes():
        words = [word.replace("@silent@", world.program("silent")) for word in shlex.split(command.replace("@newline@", "\n"))]
        said = as_written(world.sonde(*words, status=None, seconds=60).stderr, world)
        if said != message:
            wrong.append(f"{command}\n{said}\n---- instead of:\n{message}")
    check(not wrong, "\n".join(wrong))


@scenario()
def the_messages_are_good(_world):
    letters = [letter for letter, _command, _message in mistakes()]
    check(len(letters) >= 100, f"{len(letters)} mistakes")
    check(set(letters) <= set("ABC"), f"{set(letters)}: none may be D")
    check(letters.count("C") <= len(letters) / 10, f"{letters.count('C')} of {len(letters)} are the place alone")
