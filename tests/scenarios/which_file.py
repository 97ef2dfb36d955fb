# SPDX-License-Identifier: GPL-3.0-or-later
"""Which file a plug-in's taps belong to: the one that the target has mapped, whatever its path leads to here. The sample sqlite."""

import os
import pathlib
import shutil
import subprocess

from plugins import provider
from support import Skip, check, equal, scenario, wait_until

PROGRAM = """
import os, sqlite3, sys, time
database = sqlite3.connect(":memory:")
open(sys.argv[1], "w").close()
while not os.path.exists(sys.argv[2]): time.sleep(0.01)
for n in range(20):
    database.execute("SELECT %d" % n).fetchall()
"""

CLAUSES = ('BEGIN { printf("begin\\n"); } sqlite:::step-start { @[probemod] = count(); } sqlite:::step-done { @done = count(); } '
           'END { printa("%s %@d\\n", @); printa("done %@d\\n", @done); }')


def the_library():
    found = subprocess.run(["/usr/bin/python3", "-c", "import sqlite3; print(next(l.split()[-1] for l in open('/proc/self/maps') if 'libsqlite3' in l))"],
                           check=False, capture_output=True, text=True)
    if found.returncode != 0:
        raise Skip("/usr/bin/python3 has no sqlite3: libpython3-stdlib")
    return found.stdout.strip()


def needs_root():
    if os.geteuid() != 0:
        raise Skip("only root may open what no path leads to any more (/proc/PID/map_files), and mount")


def counts(world, argv, prepare=lambda: None, environment=None):
    """What sonde counts in a program that was started before and waits: {module: count}."""
    ready, go = world.path("ready"), world.path("go")
    target = world.start([*argv, "/usr/bin/python3", world.path("program.py", PROGRAM), ready, go], env=environment or {})
    wait_until(lambda: os.path.exists(ready), what="the program")
    prepare()
    out = world.path("out", "")
    sonde = world.start_sonde("-q", "-o", out, provider(world, "sqlite"), "-n", CLAUSES, "-p", target.pid)
    wait_until(lambda: "begin" in pathlib.Path(out).read_text(), what="the beginning")
    pathlib.Path(go).touch()
    equal(world.finish(target).status, 0, "the program's status")
    result = world.finish(sonde)
    equal((result.status, result.stderr), (0, ""), "sonde")
    lines = [line.split() for line in pathlib.Path(out).read_text().splitlines()]
    return {words[0]: int(words[1]) for words in lines if len(words) == 2}


def check_counts(found, module):
    check(found.get(module, 0) >= 40, f"two steps a statement, in {module}: {found}")
    equal(found["done"], found[module], "steps that end")


@scenario(only="ptrace", why="a process that runs already, and its files")
def taps_belong_to_a_library_that_was_deleted(world):
    needs_root()
    library = the_library()
    folder = pathlib.Path(world.path("own"))
    folder.mkdir()
    copy = folder / "libsqlite3.so.0"
    shutil.copy(library, copy)
    found = counts(world, [], copy.unlink, {"LD_LIBRARY_PATH": str(folder)})
    check_counts(found, "libsqlite3.so.0")


@scenario(only="ptrace", why="a process that runs already, and its files")
def taps_belong_to_a_library_that_was_replaced(world):
    """By another file of that name, as a package manager does: the old one is mapped, the new one is there."""
    needs_root()
    library = the_library()
    folder = pathlib.Path(world.path("own"))
    folder.mkdir()
    copy, other = folder / "libsqlite3.so.0", folder / "new"
    shutil.copy(library, copy)
    shutil.copy(library, other)
    found = counts(world, [], lambda: other.rename(copy), {"LD_LIBRARY_PATH": str(folder)})
    check_counts(found, "libsqlite3.so.0")


@scenario(only="ptrace", why="a process that runs already, and its files")
def taps_belong_to_the_library_of_another_mount_namespace(world):
    """And not to the file that has its path here, whose probes the sample has, too."""
    needs_root()
    library, copy = the_library(), world.path("copy.so")
    shutil.copy(library, copy)
    probe = subprocess.run(["unshare", "-m", "mount", "--bind", copy, library], check=False, capture_output=True, text=True)
    if probe.returncode != 0:
        raise Skip(f"unshare -m does not work here: {probe.stderr.strip()}")
    found = counts(world, ["unshare", "-m", "sh", "-c", f'mount --bind {copy} {library} && exec "$@"', "sh"])
    module = os.path.basename(os.path.realpath(library)) + "~2"
    check_counts(found, module)
    equal(sorted(found), sorted([module, "done"]), "modules that fire")
