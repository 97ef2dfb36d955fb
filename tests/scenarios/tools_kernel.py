# SPDX-License-Identifier: GPL-3.0-or-later
"""Tools on the scheduler, disks, the network and the page cache: scripts of tools/ that are run by their name, against programs that know what
they did. They need programs in a stock kernel, or the module."""

import json
import os
import pathlib
import re
import subprocess
import sys

from in_use import distribution, rows
from kernel_functions import need_on_cpu
from kernel_probes import DIRECT, NAMED, TALK, Disk, mounted_disk
from stock_kernel import stop_tracing
from support import Skip, check, equal, scenario, wait_until
from tools_functions import TOOLS, Deeds, need_machine, stacks


def write_program(world, text):
    """The path of a python program, which waits for a line if it has a pipe as standard input, and of what it will say, in JSON."""
    told = world.path("told", "")
    begin = "\nimport stat\nif stat.S_ISFIFO(os.fstat(0).st_mode):\n    sys.stdin.readline()\n"
    end = f"\nopen({str(told)!r}, 'w').write(__import__('json').dumps(said))\n"
    return world.path("program.py", NAMED + begin + text + end), told


def start_whole(world, tool, *words):
    said = world.path("said", "")
    sonde = world.start_sonde("-b", "16m", "-o", said, tool, *words, "-n", 'BEGIN { printf("armed\\n"); }', env=TOOLS)
    wait_until(lambda: "armed\n" in pathlib.Path(said).read_text() or sonde.poll() is not None, what="sonde's start")
    return sonde


def stop_whole(world, sonde):
    stop_tracing(world, sonde)
    return pathlib.Path(world.path("said")).read_text().replace("armed\n", "", 1)


def each_way(world, tool, *words, program):
    """(how, what the tool printed, what the program said), for PROGRAM, -p and the whole machine."""
    need_machine(world)
    path, told = write_program(world, program)
    rows_of = world.path("rows")

    def said():
        return json.loads(pathlib.Path(told).read_text())
    world.sonde("-o", rows_of, tool, *words, sys.executable, path, env=TOOLS)
    yield "PROGRAM", pathlib.Path(rows_of).read_text(), said()

    running = world.start([sys.executable, path], stdin=subprocess.PIPE)
    wait_until(lambda: pathlib.Path(f"/proc/{running.pid}/wchan").read_text().endswith("pipe_read"), what="the program waits")
    ready = world.path("ready", "")
    sonde = world.start_sonde("-o", ready, tool, *words, "-p", running.pid, "-n", 'BEGIN { printf("armed\\n"); }', env=TOOLS)
    wait_until(lambda: "armed\n" in pathlib.Path(ready).read_text() or sonde.poll() is not None, what="sonde's start")
    running.communicate("\n")
    result = world.finish(sonde)
    equal(result.status, 0, f"-p: {result.stderr}")
    yield "-p", pathlib.Path(ready).read_text().replace("armed\n", "", 1), said()

    sonde = start_whole(world, tool, *words)
    equal(world.run([sys.executable, path]).status, 0, "the program")
    yield "machine", stop_whole(world, sonde), said()


NAPS = """
import resource
def switches():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_nvcsw + usage.ru_nivcsw
before = switches()
name("naps")
for n in range(100):
    time.sleep(0.002)
name("done")
said = [os.getpid(), switches() - before]
"""


@scenario()
def tool_runqlat(world):
    """Each time that a thread has left its CPU, to sleep or for another thread, it waits for one again."""
    need_on_cpu(world)
    for how, text, (pid, left) in each_way(world, "runqlat", "--by=process", "--name=naps", program=NAPS):
        check(f"waits for a CPU, naps {pid}, in ns" in text, f"{how}: {text}")
        waits = sum(distribution(text).values())
        check(100 <= left and left - 5 <= waits <= left, f"{how}: {waits} waits, {left} times off the CPU: {text}")
    check("it is all or process" in world.sonde("runqlat", "--by=cpu", "true", env=TOOLS, status=1).stdout, "--by")


# A thread leaves its CPU when its timer runs already: in an emulator that takes it the time of 0.4 ms.
LEAVES = 2_000  # microseconds, at most


@scenario()
def tool_offcpu(world):
    """Naps of a known length are under the function that sleeps; a loop is not there."""
    need_on_cpu(world)
    program = "said = 0\nname('half')\nfor n in range(4):\n    time.sleep(0.1)\nend = time.time() + 0.2\nwhile time.time() < end:\n    pass\ntime.sleep(0.1)\nname('done')\ntime.sleep(0.5)  # the names of a stack are read from the process\n"
    for how, text, _ in each_way(world, "offcpu", "--name=half", "--min=50ms", program=program):
        found = stacks(text.replace(" us\n", "\n"))
        naps = sum(us for stack, us in found.items() if any("nanosleep" in one or "select" in one for one in stack))
        check(5 * (100_000 - LEAVES) <= naps <= 900_000 and naps == sum(found.values()), f"{how}: {found}")
    deeds = Deeds(world, "sleep:100:2")
    folded = deeds.as_program("offcpu", "--kernel", "--min=50ms", "--format=folded", "-o", "/dev/stdout").stdout
    found = re.findall(r"^(\S+) (\d+)$", folded, re.M)
    check(len(found) == 1 and "`main;" in found[0][0] and "vmlinux`" in found[0][0].split(";")[-1] and 2e3 * (100_000 - LEAVES) <= int(found[0][1]) < 400e6, folded)
    check("--off-cpu" in world.sonde("offcpu", "--help", env=TOOLS).stdout, "what works without root")


@scenario()
def tool_cpuwalk(world):
    """A program that may use one CPU only has all samples there."""
    last = max(os.sched_getaffinity(0))
    program = f"os.sched_setaffinity(0, {{{last}}})\nsaid = os.getpid()\nname('walks')\nend = time.process_time() + 0.3\nwhile time.process_time() < end:\n    pass\nname('done')\n"
    for how, text, pid in each_way(world, "cpuwalk", "--name=walks", "--rate=487", program=program):
        check(f"walks {pid}, samples by CPU" in text, f"{how}: {text}")
        found = distribution(text)
        check(set(found) == {last} and 70 <= found[last] <= 300, f"{how}: {text}")


@scenario()
def tool_biosnoop(world):
    wanted = [["W", str(n * 128), "65536"] for n in range(16)] + [["R", str(n * 256), "65536"] for n in range(8)]
    with Disk(world) as disk:
        name = os.path.basename(disk.path)
        for how, text, pid in each_way(world, "biosnoop", f"--disk={name}", program="name('asks')\n" + DIRECT.format(path=disk.path)):
            equal(rows(text)[0][:6], ["TIME", "ms", "PID", "PROGRAM", "DISK", "D"], "the title")
            equal([row[4:7] for row in rows(text)[1:] if row[1:4] == [str(pid), "asks", name]], wanted, how)
        path, _ = write_program(world, DIRECT.format(path=disk.path))
        lines = world.sonde("--format=jsonl", "-o", "/dev/stdout", "biosnoop", f"--disk={name}", sys.executable, path, env=TOOLS).stdout.splitlines()
        records = [one["args"] for one in map(json.loads, lines) if one["type"] == "record" and one["probe"].startswith("io:")]
        equal([[one[5], str(one[6]), str(one[7])] for one in records], wanted, "as JSON")
        equal(len(rows(world.sonde("biosnoop", f"--disk={name}", "--min=100s", sys.executable, path, env=TOOLS).stdout)), 1, "--min")
        equal(len(rows(world.sonde("biosnoop", "--disk=none", sys.executable, path, env=TOOLS).stdout)), 1, "--disk of another one")


@scenario()
def tool_biolatency(world):
    with Disk(world) as disk:
        name = os.path.basename(disk.path)
        for how, text, _ in each_way(world, "biolatency", f"--disk={name}", program=DIRECT.format(path=disk.path)):
            for what, times in (("reads", 8), ("writes", 16)):
                equal(sum(distribution(text.split(f"{name}, {what}, in us\n")[1].split(", in us\n")[0]).values()), times, f"{how}: {what}")


@scenario()
def tool_tcpconnect(world):
    for how, text, ((port, _), (port6, _), _) in each_way(world, "tcpconnect", "--name=talks", program=TALK):
        wanted = [["talks", state, str(own), address] for address, own in (("127.0.0.1", port), ("::1", port6)) for state in ("open", "refused")]
        equal([[row[1], *row[3:]] for row in rows(text)[1:]], wanted, how)
        check(all(float(row[2]) < 2000 for row in rows(text)[1:]), f"{how}: {text}")
    path, told = write_program(world, TALK)
    text = world.sonde("tcpconnect", "--failed", sys.executable, path, env=TOOLS).stdout
    equal([row[3] for row in rows(text)[1:]], ["refused"] * 2, "--failed")


LIVES = """
import socket
name("lives")
listener = socket.socket()
listener.bind(("127.0.0.1", 0)), listener.listen()
client = socket.create_connection(listener.getsockname())
server, peer = listener.accept()
client.sendall(b"x" * 5000), server.recv(5000, socket.MSG_WAITALL)
server.sendall(b"y" * 70), client.recv(70, socket.MSG_WAITALL)
time.sleep(0.2)
client.close(), server.recv(1), server.close()
time.sleep(0.1)
said = [listener.getsockname()[1], peer[1], os.getpid()]
"""


@scenario()
def tool_tcplife(world):
    """Both ends of a connection, with what they have carried and how long they lived."""
    for how, text, (port, other, pid) in each_way(world, "tcplife", program=LIVES):
        found = [row for row in rows(text)[1:] if {row[2], row[3]} == {str(port), str(other)}]
        wanted = [[str(pid), "lives", str(other), str(port), "5000", "70"], [str(pid), "lives", str(port), str(other), "70", "5000"]]
        equal(sorted(row[:6] for row in found), sorted(wanted), how)
        check(all(199 <= float(row[6]) < 3000 and row[7:] == ["127.0.0.1"] * 2 for row in found), f"{how}: {text}")


@scenario()
def tool_tcpretrans(world):
    """Where a listener's queue is full, the request for a connection is sent again."""
    need_machine(world)
    path, told = write_program(world, """
import socket
listener = socket.socket()
listener.bind(("127.0.0.1", 0)), listener.listen(0)
asking = [socket.socket() for n in range(4)]
for one in asking:
    one.setblocking(False)
    one.connect_ex(listener.getsockname())
time.sleep(1.6)
said = [listener.getsockname()[1], [one.getsockname()[1] for one in asking]]
""")
    for words in ((), ("--count",)):
        sonde = start_whole(world, "tcpretrans", *words)
        equal(world.run([sys.executable, path]).status, 0, "the program")
        text = stop_whole(world, sonde)
        port, own = json.loads(pathlib.Path(told).read_text())
        if words:
            found = [row for row in rows(text)[1:] if row[1:] == [str(port), "state-syn-sent", "127.0.0.1"]]
            check(len(found) == 1 and int(found[0][0]) >= 1, f"{text}")
        else:
            found = [row for row in rows(text)[1:] if row[5:] == [str(port), "state-syn-sent", "127.0.0.1"]]
            check(found and all(int(row[4]) in own for row in found), f"{text}")


@scenario()
def tool_cachestat(world):
    """Each page of a file that is not in the cache is brought there once. Where the folder of the test is on no disk, as in a guest, it has one of its own."""
    kind = world.run(["stat", "-f", "-c", "%T", world.home]).stdout.strip()
    if kind.startswith(("ext", "xfs", "btrfs")):
        return check_cachestat(world, world.home)
    with mounted_disk(world) as (_, folder):
        return check_cachestat(world, folder)


def check_cachestat(world, folder):
    program = f"""
path = {str(folder)!r} + "/pages"
open(path, "wb").write(b"x" * (256 << 12))
file = os.open(path, os.O_RDONLY)
os.fsync(file)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
name("reads")
os.read(file, 256 << 12)
name("done")
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
said = 0
"""
    for how, text, _ in each_way(world, "cachestat", program=program):
        found = {row[1]: int(row[0]) for row in rows(text)[1:]}
        check(1 <= found["reads"] <= 256 and found.get("(out)", 0) >= found["reads"], f"{how}: {text}")
