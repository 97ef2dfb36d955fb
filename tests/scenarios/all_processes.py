# SPDX-License-Identifier: GPL-3.0-or-later
"""pid*: every traced process that maps a module: how the process came × when it maps the module × by what it is named."""

import itertools
import os
import re

from support import check, equal, scenario

COMES = [[], ["fork"], ["vfork"], ["exec"], ["fork", "exec"], ["fork", "vfork"], ["vfork", "fork"]]
MAPS = [("open", lambda comes: [*comes, "open"]), ("before, too", lambda comes: ["open", *comes, "open"]),
        ("in turn", lambda comes: [step for one in comes for step in (one, "open")])]


def names_of(library):
    folder, base = os.path.split(library)
    return {"a name": base, "a glob": base[:4] + "*", "a path": library,
            "a glob of paths": f"{folder[:-1]}?/{base[:-1]}?"}


def script_of(module):
    return f"pid*:{module}:twice:entry {{ @[pid == $target ? 0 : 1, probeprov == strjoin(\"pid\", lltostr(pid))] = count(); @all = count(); }}" \
           'END { printa("%@d\\n", @all); printa("%d %d %@d\\n", @); }'


@scenario()
def each_process_that_maps_a_module_is_counted(world):
    """Every call of twice(), in each process; the program ends as untraced. 7 ways to come × 3 moments, by each name."""
    program, library = world.program("opener"), world.program("opened", "-shared", "-fPIC", "-O1")
    for (comes, (when, steps)), name in zip(itertools.product(COMES, MAPS), itertools.cycle(names_of(library).items())):
        words = [program, library, *steps(comes)]
        calls = words.count("open")
        run = world.sonde("-q", "-Z", "-n", script_of(name[1]), "-c", " ".join(words))
        found = [line for line in run.stdout.splitlines() if line]
        what = f"{name[0]}, {when}: {' '.join(words[2:])}"
        equal(int(found[0]) if found else 0, calls, what)
        check(all(line.split()[1] == "1" for line in found[1:]), f"{what}: probeprov: {run.stdout!r}")


@scenario()
def a_program_that_is_not_there_yet_is_named_by_its_path(world):
    """A shell starts it: its first instruction counts, and no description waits (-Z) for it. Beside it `pid$target`, whose
    probes pid* does not match again; and typed arguments, ustack and a predicate."""
    program, library = world.program("opener", "-g"), world.program("opened", "-shared", "-fPIC", "-O1", "-g")
    script = f"""pid*:{program}:main:entry /execname == basename("{program}")/ {{ @main[args[0]] = count(); }}
pid*:{library}:twice:return {{ @value[args[1]] = count(); @depth[stackdepth > 0] = count(); }}
pid*:{library}:twice:entry {{ @argument[args[0]] = count(); ustack(1); }}
pid$target::main:entry {{ @shell = count(); }}
END {{ printa("main %d %@d\\n", @main); printa("argument %d %@d\\n", @argument); printa("value %d %@d\\n", @value);
printa("shell %@d\\n", @shell); }}"""
    run = world.sonde("-q", "-Z", "-n", script, "-c", f"sh -c '{program} {library} open fork open; {program} {library}'")
    for line in ("main 5 1", "main 2 1", "argument 21 2", "value 42 2"):
        check(line in run.stdout, f"{line!r} in {run.stdout!r}, {run.stderr!r}")
    check(re.search(r"`twice", run.stdout), f"no stack: {run.stdout!r}")


@scenario()
def a_program_that_is_built_anew_at_its_path_is_probed_where_it_is_now(world):
    """As configure does: the file is deleted, and another one with other code gets its path, perhaps its number."""
    program = world.path("built")
    build = "; ".join(
        f"rm -f {program}; printf \"int pad(int a) {{ return a {'* 3 + a / 7 ' * n}; }} int f(int a) {{ return a + {n}; }} "
        f"int main(void) {{ return f({n}) != {2 * n}; }}\" | gcc -x c - -o {program} && {program} || exit {n + 1}"
        for n in range(3))
    script = world.path("build.sh")
    with open(script, "w", encoding="utf-8") as file:
        file.write(build + "\n")
    run = world.sonde("-q", "-Z", "-n", "pid*:built:f:entry { @ = count(); } END { printa(\"%@d\\n\", @); }", "-c", f"sh {script}")
    equal(run.stdout.split(), ["3"], f"calls of f; {run.stderr!r}")
