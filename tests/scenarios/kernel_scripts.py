# SPDX-License-Identifier: GPL-3.0-or-later
"""Scripts of tests/in-use/ on the scheduler, disks and the network, of the kind that people know as tools, against programs that know what they did."""

import json
import os
import pathlib
import re
import sys

from in_use import IN_USE
from kernel_functions import need_on_cpu
from kernel_probes import DIRECT, NAMED, TALK, Disk
from stock_kernel import need_it
from support import Skip, check, equal, scenario


def run_script(world, script, program):
    """What the script printed, and what the python program said, while it ran."""
    if not os.path.exists("/dev/sonde"):
        need_it(world)
    told = world.path("told")
    text = world.path("program.py", NAMED + program + f"\nopen({str(told)!r}, 'w').write(__import__('json').dumps(said))\n")
    result = world.sonde("-s", IN_USE / f"{script}.d", "-c", f"{sys.executable} {text}")
    check("error on enabled probe" not in result.stderr and "drops" not in result.stderr, result.stderr)
    return result.stdout, json.loads(pathlib.Path(told).read_text())


def counted(out, *keys):
    """How many values the distribution with those keys has."""
    part = re.split(r"\n(?=  \w)", out)
    own = [text for text in part if text.split("\n")[0].split() == list(keys)]
    check(len(own) == 1, f"one distribution of {keys}: {out}")
    return sum(int(n) for n in re.findall(r"\|[@ ]+ (\d+) *$", own[0], re.M))


@scenario()
def kernel_script_runqlat(world):
    """Each of 200 sleeps is followed by a wait for the CPU."""
    need_on_cpu(world)
    out, _ = run_script(world, "runqlat", "said = 0\nfor n in range(200):\n    time.sleep(0.002)\n")
    check(counted(out, "ns") >= 200, out)


@scenario()
def kernel_script_offcputime(world):
    """Half a second of sleep is under the function that sleeps."""
    need_on_cpu(world)
    out, _ = run_script(world, "offcputime", "said = 0\nname('half')\ntime.sleep(0.5)\nname('done')\n")
    stacks = re.findall(r"^  half *\n((?: {10,}.*\n)+) +(\d+)$", out, re.M)
    check(any("nanosleep" in stack and 480 <= int(ms) <= 900 for stack, ms in stacks), f"{stacks}")


@scenario()
def kernel_script_biosnoop(world):
    with Disk(world) as disk:
        out, _ = run_script(world, "biosnoop", "name('asks')\n" + DIRECT.format(path=disk.path))
    rows = [line.split() for line in out.splitlines()]
    equal(rows[0], ["PROGRAM", "DISK", "D", "BLOCK", "BYTES", "US"], "the heading")
    own = [words for words in rows if len(words) == 6 and words[1] == os.path.basename(disk.path)]
    equal([(words[2], int(words[3]), words[4]) for words in own], [("W", n * 128, "65536") for n in range(16)] + [("R", n * 256, "65536") for n in range(8)], "requests")
    check(all(int(words[5]) < 10_000_000 for words in own), f"times: {own}")


@scenario()
def kernel_script_biolatency(world):
    with Disk(world) as disk:
        out, _ = run_script(world, "biolatency", DIRECT.format(path=disk.path))
    name = os.path.basename(disk.path)
    equal((counted(out, name, "write"), counted(out, name, "read")), (16, 8), "requests")


@scenario()
def kernel_script_tcpconnect(world):
    out, ((port, _), (port6, _), _) = run_script(world, "tcpconnect", TALK)
    asked = [line.split()[1:] for line in out.splitlines() if line.split()[1:2] == ["talks"]]
    equal(asked, [["talks", address, str(own)] for address, own in (("127.0.0.1", port), ("127.0.0.1", port), ("::1", port6), ("::1", port6))], "connections")


@scenario()
def kernel_script_tcplife(world):
    """Both ends of a connection live as long as the program keeps it."""
    program = """
import socket
listener = socket.socket()
listener.bind(("127.0.0.1", 0)), listener.listen()
client = socket.create_connection(listener.getsockname())
server, peer = listener.accept()
time.sleep(0.3)
client.close(), server.close()
said = [listener.getsockname()[1], peer[1]]
"""
    out, (port, other) = run_script(world, "tcplife", program)
    for one, two in ((port, other), (other, port)):
        found = re.search(rf"^{one} 127.0.0.1 {two} (\d+) ms$", out, re.M)
        check(found and 299 <= int(found[1]) < 3000, f"{one} to {two} lived 300 ms: {out}")


@scenario()
def kernel_script_tcpretrans(world):
    """Where a listener's queue is full, the request for a connection is sent again."""
    program = """
import socket
listener = socket.socket()
listener.bind(("127.0.0.1", 0)), listener.listen(0)
asking = [socket.socket() for n in range(4)]
for one in asking:
    one.setblocking(False)
    one.connect_ex(listener.getsockname())
time.sleep(1.8)
said = listener.getsockname()[1]
"""
    out, port = run_script(world, "tcpretrans", program)
    found = re.search(rf"^ +{port} +state-syn-sent +(\d+)$", out, re.M)
    check(found and int(found[1]) >= 1, f"segments to {port} that were sent again: {out}")


@scenario()
def kernel_script_cachestat(world):
    """Each page of a file that is not in the cache is brought there once."""
    program = f"""
path = {str(world.home)!r} + "/pages"
open(path, "wb").write(b"x" * (256 << 12))
file = os.open(path, os.O_RDONLY)
os.fsync(file)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
name("reads")
os.read(file, 256 << 12)
name("done")
said = 0
"""
    out, _ = run_script(world, "cachestat", program)
    found = re.search(r"^  reads +(\d+)$", out, re.M)
    kind = world.run(["stat", "-f", "-c", "%T", world.home]).stdout.strip()
    if found is None and not kind.startswith(("ext", "xfs", "btrfs")):
        raise Skip(f"no cache before the file system here: {kind}")
    check(found and 1 <= int(found[1]) <= 256, f"folios of 256 pages: {out}")
