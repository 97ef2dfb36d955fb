# SPDX-License-Identifier: GPL-3.0-or-later
"""Three providers that were written from the pages alone, as their authors would: watch has events of its own and makes its probes on demand, gz taps a
library, lives has a provider for each target. Built, checked and used from an installed copy."""

import fcntl
import os
import pathlib
import shutil

from plugins import is_guests, run, the_prefix
from support import PROGRAMS, Skip, check, equal, scenario

ZLIB = pathlib.Path("/lib/x86_64-linux-gnu/libz.so.1")


def built(world, name):
    """The option that loads it. Its own test, sonde --check-provider, has passed."""
    if is_guests(world.programs) or not shutil.which("cmake"):
        raise Skip("there is no installed copy here, or no cmake: cmake")
    prefix = the_prefix(world)
    source, folder = PROGRAMS / "providers" / name, world.programs / "sdk/providers" / name
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder.parent / f"{name}.lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        run(["cmake", "-S", source, "-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}"])
        run(["cmake", "--build", folder])
        environment = {k: v for k, v in os.environ.items() if not k.startswith("SONDE_")}
        run(["ctest", "--test-dir", folder, "--output-on-failure", "--timeout", 120], env=environment)
    return f"--provider={folder / name}.so"


@scenario(only="ptrace", why="the plug-in fires by itself")
def a_provider_by_the_page_makes_its_probes_on_demand(world):
    watch, folder = built(world, "watch"), pathlib.Path(world.path("spool"))
    folder.mkdir()
    named = str(folder).replace("/", "?")
    changes = ["sh", "-c", f"cd {folder}; while :; do echo one >one; rm one; sleep 0.01; done"]
    script = (f'watch:{named}::create, watch:{named}::delete {{ @[probename, args[1]] = count(); }} watch:{named}::modify {{ @m[args[1]] = count(); }} '
              f'watch:{named}::delete /args[0]->w_number == 3/ {{ exit(0); }} END {{ printa("%s %s\\n", @); printa("%s\\n", @m); }}')
    world.start(changes)
    said = world.sonde(watch, "-qn", script).stdout.split("\n")
    check({"create one", "delete one", "one"} <= set(said), f"events with the file's name: {said}")
    equal(world.sonde(watch, "-l", "-n", f"watch:{named}::modify").stdout.split()[-3:], ["watch", str(folder), "modify"], "listed")
    for module, why in (("?none?here", "cannot watch /none/here: No such file or directory"), ("tmp", "a watch probe's module is a path: watch:?tmp::create")):
        result = world.sonde(watch, "-qn", f"watch:{module}::create {{ }}", status=1)
        check(why in result.stderr, f"{module}: {result.stderr}")


@scenario(only="ptrace", why="samples/sqlite taps functions on every source")
def a_provider_by_the_page_taps_what_is_loaded_later(world):
    """python3 maps libz by dlopen(), when it imports zlib; its types are known before."""
    if not ZLIB.exists():
        raise Skip("there is no libz here")
    work = "import zlib; data = b'x' * 1000\nfor _ in range(7): assert zlib.decompress(zlib.compress(data)) == data"
    program = world.path("work.py")
    pathlib.Path(program).write_text(work, encoding="ascii")
    script = ('gz:::start { @n[probefunc, "start"] = count(); } gz:::done { @n[probefunc, "done"] = count(); } '
              'gz::deflate:start { @in = sum(args[0]->gz_avail_in); @before = sum(args[0]->gz_total_in); } gz::deflate:done /args[0] == 1/ { @ends = count(); }'
              'END { printa("%s %s %@d\\n", @n); printa("in %@d\\n", @in); printa("before %@d\\n", @before); printa("ends %@d\\n", @ends); }')
    said = world.sonde(built(world, "gz"), "-qn", script, "-c", f"/usr/bin/python3 {program}").stdout.split("\n")
    counts = {tuple(line.split()[:2]): line.split()[-1] for line in said if line.startswith(("deflate", "inflate"))}
    equal(counts[("deflate", "start")], counts[("deflate", "done")], "begun and ended")
    equal(counts[("inflate", "start")], counts[("inflate", "done")], "begun and ended")
    check({"in 7000", "before 0", "ends 7"} <= set(said), f"what is compressed: {said}")


@scenario(only="ptrace", why="the plug-in fires by itself")
def a_provider_by_the_page_for_each_target(world):
    lives = built(world, "lives")
    targets = [world.start(["sleep", "1000"]) for _ in range(2)]
    pids = sorted(target.pid for target in targets)
    named = [word for pid in pids for word in ("-p", pid)]
    listed = world.sonde(lives, "-l", "-P", "lives*", *named).stdout
    equal(sorted(line.split()[1] for line in listed.split("\n")[1:] if line), sorted(["lives", *(f"lives{pid}" for pid in pids)]), "providers")
    script = (f'BEGIN {{ system("kill {pids[0]}"); }} lives:::gone {{ printf("%d\\n", args[0]); n++; }} lives{pids[0]}:::gone {{ printf("own %d\\n", args[0]); '
              f'system("kill {pids[1]}"); }} lives:::gone /n == 2/ {{ exit(0); }}')
    said = world.sonde("-w", lives, "-qn", script, *named).stdout.split("\n")
    equal(sorted(line for line in said if line), sorted([str(pids[0]), f"own {pids[0]}", str(pids[1])]), "who is gone")
