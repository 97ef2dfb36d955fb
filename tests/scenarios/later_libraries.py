# SPDX-License-Identifier: GPL-3.0-or-later
"""Function probes in libraries that come while the probes are armed: another file of a name that has probes already,
in its place, beside it, or behind it."""

import os
import pathlib
import resource
import shutil

from support import check, equal, scenario

BUILDS = {"first_one": "1", "other_one": "3"}  # name of the inner function -> SIZE
HOWS = ["replace", "folders", "kept", "memory", "forks"]


def files(world, order):
    """Fresh copies of the libraries, all with the base name plugged.so, in this order."""
    paths = []
    for n, name in enumerate(order):
        built = world.program("later_library", "-shared", "-fPIC", "-O1", "-g", f"-DFUNC={name}", f"-DSIZE={BUILDS[name]}")
        folder = pathlib.Path(world.path(f"later{n}"))
        folder.mkdir(exist_ok=True)
        path = folder / "plugged.so"
        shutil.copy(built, path)
        if world.user is not None:
            os.chown(folder, world.user, world.user)
            os.chown(path, world.user, world.user)
        paths.append(str(path))
    return paths


def one_folder(world, paths):
    """The same files in one folder, from which each is moved to one place."""
    folder = os.path.dirname(paths[0])
    moved = [os.path.join(folder, f"waiting{n}") for n in range(len(paths))]
    for path, to in zip(paths, moved):
        os.rename(path, to)
    return moved


def run(world, how, order, *sonde):
    program, paths = world.program("later"), files(world, order)
    if how == "replace":
        paths = one_folder(world, paths)
    words = [program, how, *paths]
    if not sonde:
        return world.run(words)
    return world.sonde("-q", *sonde, "-c", " ".join(words), status=None)


def counts(text):
    return {line.split()[0]: int(line.split()[-1]) for line in text.splitlines() if len(line.split()) == 2 and line[0] == " "}


@scenario()
def every_library_of_a_name_is_probed(world):
    """Libraries of different layout, A B A B: each call of each of them is counted, and the program computes what it
    computes untraced. A breakpoint of one at the same offset in the other would break an instruction there."""
    order = ["first_one", "other_one", "first_one", "other_one"]
    wanted = {"go": 12, "first_one": 6, "other_one": 6}
    for how in HOWS:
        untraced = run(world, how, order)
        equal(untraced.status, 0, f"{how}: {untraced.stderr}")
        for names in ("entry", "return") if how == "replace" or world.full else ("entry",):
            for function in ("*", "go") if names == "entry" else ("*",):
                traced = run(world, how, order, "-Z", "-n",
                             f"pid$target:*plugged.so:{function}:{names} {{ @[probefunc] = count(); }}")
                what = f"{how}, {function}:{names}"
                equal(traced.status, 0, f"{what}: {traced.stderr}")
                check(all(line in traced.stdout for line in untraced.stdout.splitlines()), f"{what}: {traced.stdout}")
                found = {name: count for name, count in counts(traced.stdout).items() if name in wanted}
                equal(found, wanted if function == "*" else {"go": 12}, f"{what}: {traced.stderr}")


@scenario()
def a_later_library_with_other_arguments(world):
    """args[] were compiled by the library that was there. Another one of that name whose go() takes something else has
    no probe, and a line says so; one that takes the same has."""
    library, like, unlike = (
        world.program("later_library", "-shared", "-fPIC", "-O1", "-g", f"-DTAKES={takes}", *more, "-Wl,-soname,plugged.so")
        for takes, more in (("int", ()), ("int", ("-DSIZE=3",)), ("long", ())))
    folder = pathlib.Path(world.path("first"))
    folder.mkdir()
    first = folder / "plugged.so"
    shutil.copy(library, first)
    program = world.program("later", "-Wl,--no-as-needed", library)
    for later, calls in ((like, 3), (unlike, 0)):
        second = pathlib.Path(world.path("plugged.so"))
        shutil.copy(later, second)
        result = world.sonde("-q", "-n", "pid$target:plugged.so:go:entry { @[args[0]] = count(); }",
                             "-c", f"{program} folders {second}", env={"LD_LIBRARY_PATH": str(folder)})
        counted = sum(int(line.split()[1]) for line in result.stdout.splitlines() if len(line.split()) == 2)
        equal(counted, calls, f"calls of {later}: {result.stdout} {result.stderr}")
        equal(result.stderr.count("has other arguments than the one before"), 0 if calls else 1, f"lines in {result.stderr!r}")


@scenario()
def libraries_that_lack_descriptors_are_told(world):
    """sonde reads each library, and keeps it open. What it cannot open is said, once; without that limit all is counted."""
    built = world.program("later_library", "-shared", "-fPIC", "-O1", "-g", "-DFUNC=first_one", "-DSIZE=1")
    paths = [world.path(f"many{n}.so") for n in range(60)]
    for path in paths:
        shutil.copy(built, path)
    for most in (40, 1024):
        def limited(most=most):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        result = world.sonde("-q", "-Z", "-n", "pid$target:many*.so:go:entry { @[probefunc] = count(); }",
                             "-c", " ".join([world.program("later"), "folders", *paths]), preexec_fn=limited)
        told = result.stderr.count("too many files are open")
        equal((counts(result.stdout)["go"] == 180, told), (most == 1024, 0 if most == 1024 else 1), f"limit {most}: {result}")
