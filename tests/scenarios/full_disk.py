# SPDX-License-Identifier: GPL-3.0-or-later
"""The disk fills in the middle of a line: the file ends with a whole line, the run with a message, and the next run appends."""

import csv
import json
import os
import pathlib
import re
import resource

from support import Skip, check, equal, scenario, wait_until

SCRIPT = 'BEGIN { printf("begun\\n"); } tick-1ms { printf("%6d a text of which a line has more than a disk has room for\\n", ++i); }'


def text_lines(text):
    return [line for line in text.split("\n")[:-1] if re.fullmatch(r"(begun)?|\s*\d+ a text of which a line has more than a disk has room for", line)]


def whole_lines(form, path):
    """How many lines the file has. All of them are whole."""
    text = pathlib.Path(path).read_text(encoding="utf-8")
    check(text.endswith("\n"), f"{form}: it ends with {text[-100:]!r}")
    if form == "jsonl":
        return len([json.loads(line) for line in text.splitlines()])
    if form == "csv":
        rows = list(csv.reader(text.splitlines(True), strict=True))
        equal({len(row) for row in rows}, {len(rows[0])}, "columns")
        return len(rows)
    lines = text_lines(text)
    equal(len(lines), text.count("\n"), f"whole lines, of {text[-200:]!r}")
    return len(lines)


def fill(world, form, path, take_room, give_room):
    # csv quotes a text with a newline, whose rows would have two lines
    script = SCRIPT if form != "csv" else SCRIPT.replace("\\n", "")
    sonde = world.start_sonde("-q", "-x", "switchrate=10ms", "-x", f"format={form}", "-o", path, "-n", script)
    wait_until(lambda: os.path.exists(path) and os.path.getsize(path) > 3000, what=f"{form}: lines")
    take_room(sonde)
    result = world.finish(sonde)
    equal((result.status, result.stderr.count(f"failed to write to {path}: ")), (1, 1), f"{form}: {result.stderr}")
    before = whole_lines(form, path)
    check(before > 10, f"{form}: {before} lines")
    give_room()
    world.sonde("-q", "-x", f"format={form}", "-o", path, "-n", 'BEGIN { printf("begun"); exit(0); }')
    return before


@scenario(only="ptrace", why="it is about the output")
def a_file_that_may_not_grow_ends_with_a_whole_line(world):
    for form in ("text", "jsonl", "csv"):
        path = world.path(f"limited.{form}")

        def limit(sonde, path=path):
            most = os.path.getsize(path) + 1003
            resource.prlimit(sonde.pid, resource.RLIMIT_FSIZE, (most, most))
        before = fill(world, form, path, limit, lambda: None)
        if form == "jsonl":
            check(whole_lines(form, path) > before, "the next run appends")


@scenario(only="ptrace", why="it is about the output")
def a_full_file_system_ends_with_a_whole_line(world):
    if os.geteuid() != 0:
        raise Skip("only root may mount a small file system")
    folder = pathlib.Path(world.path("small"))
    folder.mkdir()
    mounted = world.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder])
    if mounted.status != 0:
        raise Skip(f"mount does not work here: {mounted.stderr.strip()}")
    try:
        for form in ("text", "jsonl", "csv"):
            ballast = folder / "ballast"
            ballast.write_bytes(b"x" * 20000)
            fill(world, form, str(folder / f"out.{form}"), lambda sonde: None, ballast.unlink)
            if form == "jsonl":
                whole_lines(form, folder / f"out.{form}")
            (folder / f"out.{form}").unlink()
    finally:
        world.run(["umount", folder])
