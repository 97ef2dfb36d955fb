# SPDX-License-Identifier: GPL-3.0-or-later
"""Probes that fire in the kernel: sched, io, tcp, udp, ip, rawtp, against programs that know what they did. With the module, or without it."""

import contextlib
import json
import os
import pathlib
import platform
import re
import shutil
import sys

from stock_kernel import need_it
from support import Skip, check, equal, scenario

NAMED = """
import ctypes, os, sys, time
libc = ctypes.CDLL(None)
def name(text):
    libc.prctl(15, text.encode(), 0, 0, 0)
"""


def traced(world, program, clauses, *options):
    """Runs the python program under the clauses; what sonde printed, and what the program said: its last line, in JSON."""
    if not os.path.exists("/dev/sonde"):
        need_it(world)
    told = world.path("told")
    text = world.path("program.py", NAMED + program + f"\nopen({str(told)!r}, 'w').write(__import__('json').dumps(said))\n")
    result = world.sonde("-q", *options, "-c", f"{sys.executable} {text}", "-n", clauses)
    check("drops" not in result.stderr, result.stderr)
    return result.stdout, json.loads(pathlib.Path(told).read_text())


def rows(text):
    """The lines of an aggregation or of printf(), by their words before the last, which is a number."""
    return {tuple(words[:-1]): int(words[-1]) for words in map(str.split, text.splitlines()) if words and words[-1].lstrip("-").isdigit()}


def newer_than(major, minor):
    return tuple(map(int, platform.release().split(".")[:2])) >= (major, minor)


@scenario(short=True)
def kernel_sched_sleep(world):
    """Each sleep of a known number is a sleep; a thread that leaves its CPU sleeps or is preempted, nothing else."""
    out, said = traced(
        world, "said = 150\nname('sleeps')\nfor n in range(said):\n    time.sleep(0.002)\nname('done')\n",
        'sched:::sleep,sched:::preempt,sched:::off-cpu /pid == $target && execname == "sleeps"/ { @[probename] = count(); }')
    found = rows(out)
    check(said <= found[("sleep",)] <= said + 3, f"{said} sleeps: {out}")
    equal(found[("sleep",)] + found.get(("preempt",), 0), found[("off-cpu",)], "sleeps and preemptions")


@scenario()
def kernel_sched_wakeup(world):
    """Two processes that wait for one another: each write wakes the other one, which sleeps, and whom args[] names."""
    program = """
rounds = 100
(a, b), (c, d) = os.pipe(), os.pipe()
name("pings")
def wake(pid, pipe):
    while open(f"/proc/{pid}/stat").read().split(") ")[1][0] != "S":
        time.sleep(0.0005)
    os.write(pipe, b"x")
parent = os.getpid()
child = os.fork()
if child == 0:
    for n in range(rounds):
        os.read(a, 1), wake(parent, d)
    os._exit(0)
for n in range(rounds):
    wake(child, b), os.read(c, 1)
os.wait()
said = [rounds, parent, child]
"""
    out, (rounds, parent, child) = traced(
        world, program, 'sched:::wakeup /execname == "pings"/ { @[pid, args[1]->pr_pid, args[0]->pr_lwpid, stringof(args[1]->pr_fname)] = count(); }')
    found = rows(out)
    ends = 2  # the beginning and the end of the child wake, too
    for one, other in ((parent, child), (child, parent)):
        check(rounds <= found.get((str(one), str(other), str(other), "pings"), 0) <= rounds + ends, f"{one} wakes {other} {rounds} times: {out}")


@scenario()
def kernel_sched_time_on_cpu(world):
    """Two busy threads on one CPU: the time between on-cpu and off-cpu is the time that they have used."""
    if not newer_than(6, 16):
        raise Skip("sched:::on-cpu needs Linux 6.16 here")
    program = """
import resource
os.sched_setaffinity(0, {0})
said = {}
def burn(tag):
    name(tag)
    end = time.process_time() + 0.4
    while time.process_time() < end:
        pass
    name("done")
    return time.process_time()
child = os.fork()
if child == 0:
    burn("burn-a")
    os._exit(0)
burn("burn-b")
os.wait()
"""
    out, _ = traced(
        world, program,
        'sched:::on-cpu /execname == "burn-a" || execname == "burn-b"/ { self->on = timestamp; } '  # not what it used before it had that name
        'sched:::off-cpu /self->on && (execname == "burn-a" || execname == "burn-b")/ { @used[execname] = sum(timestamp - self->on); self->on = 0; } sched:::preempt /execname == "burn-a" || execname == "burn-b"/ { @preempted[execname] = count(); }')
    lines = [line.split() for line in out.splitlines() if line.split()]
    used = {words[0]: int(words[1]) for words in lines if int(words[1]) > 10_000}
    equal(sorted(used), ["burn-a", "burn-b"], f"who used the CPU: {out}")
    for tag, time in used.items():
        check(0.36e9 < time < 0.44e9, f"{tag} used 0.4 s of its CPU: {out}")
    check(sum(int(words[1]) for words in lines if int(words[1]) <= 10_000) > 20, f"they take turns: {out}")


class Disk:
    """A loop device over a file of 4 MiB."""

    def __init__(self, world):
        self.world = world

    def __enter__(self):
        if os.geteuid() != 0 or shutil.which("losetup") is None:
            raise Skip("no loop device: it takes root and losetup")
        file = self.world.path("disk")
        with open(file, "wb") as made:
            made.truncate(4 << 20)
        result = self.world.run(["losetup", "--find", "--show", file])
        if result.status != 0:
            raise Skip(f"no loop device: {result.stderr.strip()}")
        self.path = result.stdout.strip()
        return self

    def __exit__(self, *what):
        equal(self.world.run(["losetup", "--detach", self.path]).status, 0, "losetup --detach")


@contextlib.contextmanager
def mounted_disk(world):
    """A disk with an ext4 of its own: the disk, and the folder that it is mounted on."""
    if shutil.which("mkfs.ext4") is None:
        raise Skip("no mkfs.ext4: e2fsprogs")
    with Disk(world) as disk:
        equal(world.run(["mkfs.ext4", "-q", "-O", "^has_journal", disk.path]).status, 0, "mkfs.ext4")
        folder = world.path("mounted")
        os.mkdir(folder)
        if (mounted := world.run(["mount", disk.path, folder])).status != 0:
            raise Skip(f"cannot mount ext4: {mounted.stderr.strip()}")
        try:
            yield disk, folder
        finally:
            world.run(["umount", folder])


DIRECT = """
import mmap
disk = os.open({path!r}, os.O_RDWR | os.O_DIRECT)
buffer = mmap.mmap(-1, 65536, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
for n in range(16):
    os.pwritev(disk, [buffer], n * 65536)
for n in range(8):
    os.preadv(disk, [buffer], n * 2 * 65536)
said = os.getpid()
"""


@scenario()
def kernel_io_of_a_disk(world):
    """16 blocks written and 8 read, each 64 KiB, past the cache: each is a start and a done of the same request, with its place and size."""
    with Disk(world) as disk:
        disk_name = os.path.basename(disk.path)
        out, _ = traced(
            world, DIRECT.format(path=disk.path),
            f'io:::start /args[1]->dev_statname == "{disk_name}"/ {{ begun[arg0] = timestamp; printf("start %d %d %d %s %s %d\\n", args[0]->b_flags & (B_READ | B_WRITE), '
            'args[0]->b_blkno, args[0]->b_bcount, args[1]->dev_pathname, args[2]->fi_name, args[1]->dev_major); } '
            f'io:::done /args[1]->dev_statname == "{disk_name}" && begun[arg0]/ {{ printf("done %d %d %d %d\\n", args[0]->b_flags & (B_READ | B_WRITE), '
            'args[0]->b_blkno, args[0]->b_bcount, args[0]->b_error); @slow = count(); begun[arg0] = 0; }')
    read, write, loop = 0x40, 0x100, 7
    wanted = [(write, n * 128) for n in range(16)] + [(read, n * 256) for n in range(8)]
    lines = [line.split() for line in out.splitlines()]
    starts = [words for words in lines if words[:1] == ["start"]]
    equal([(int(words[1]), int(words[2])) for words in starts], wanted, "starts")
    equal({tuple(words[3:]) for words in starts}, {("65536", disk.path, "<none>", str(loop))}, "sizes, device")
    equal([(int(words[1]), int(words[2]), *words[3:]) for words in lines if words[:1] == ["done"]], [(*one, "65536", "0") for one in wanted], "dones")


@scenario()
def kernel_io_of_a_file(world):
    """A file's pages that fsync() writes have its name and file system."""
    with mounted_disk(world) as (disk, folder):
        out, _ = traced(
            world, f"file = os.open({str(folder)!r} + '/poem.txt', os.O_CREAT | os.O_WRONLY)\nos.write(file, b'x' * 40960)\nos.fsync(file)\nsaid = 0\n",
            f'io:::start /args[1]->dev_statname == "{os.path.basename(disk.path)}"/ {{ @[args[2]->fi_name, args[2]->fi_fs] = sum(args[0]->b_bcount); }}')
        equal(rows(out).get(("poem.txt", "ext4")), 40960, f"bytes of the file: {out}")


TALK = """
import socket
name("talks")
def talk(family, host):
    listener = socket.socket(family)
    listener.bind((host, 0)), listener.listen()
    client = socket.create_connection(listener.getsockname()[:2])
    server, peer = listener.accept()
    for n in range(5):
        client.sendall(b"x" * 1000)
        assert len(server.recv(1000, socket.MSG_WAITALL)) == 1000
    client.close()
    server.recv(1)
    server.close()
    free = listener.getsockname()[1]
    listener.close()
    try:
        socket.create_connection((host, free))
    except ConnectionRefusedError:
        pass
    return free, peer[1]
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.bind(("127.0.0.1", 0))
for n in range(7):
    udp.sendto(b"y" * 1234, udp.getsockname())
said = [talk(socket.AF_INET, "127.0.0.1"), talk(socket.AF_INET6, "::1"), udp.getsockname()[1]]
"""


def talked(world, clauses):
    out, ((port, from_port), (port6, from6), datagrams) = traced(world, TALK, clauses)
    return out, {"127.0.0.1": (port, from_port), "::1": (port6, from6)}, datagrams


# The segment's port is the third and fourth byte of its header.
REFUSED = '''tcp:::accept-refused {
    this->segment = (struct sk_buff *)arg1;
    printf("%d accept-refused\\n", ntohs(*(uint16_t *)(this->segment->head + this->segment->transport_header + 2)));
}'''


# A packet is received, and a connection accepted, by the kernel's soft interrupt, in whichever thread that finds. So the tests know
# what is theirs by ports and lengths, never by execname.
@scenario(short=True)
def kernel_tcp_connections(world):
    """Each connection is asked for, made at both ends and refused where nobody listens, with the addresses and ports of its ends."""
    out, ends, _ = talked(
        world, 'tcp:::connect-request,tcp:::connect-established,tcp:::connect-refused,tcp:::accept-established '
        '{ printf("%d %s %s %d %s %d\\n", args[3]->tcps_lport, probename, args[3]->tcps_raddr, args[3]->tcps_rport, args[2]->ip_saddr, args[2]->ip_ver); } '
        + (REFUSED if newer_than(6, 10) else ""))
    wanted = []
    for address, (port, from_port) in ends.items():
        version = "6" if ":" in address else "4"
        wanted += [f"connect-request {address} {port} {address} {version}", f"connect-established {address} {port} {address} {version}",
                   f"accept-established {address} {from_port} {address} {version}", f"connect-request {address} {port} {address} {version}",
                   *["accept-refused"] * newer_than(6, 10), f"connect-refused {address} {port} {address} {version}"]
    listened = {str(port) for port, _ in ends.values()}
    lines = [line.split(" ") for line in out.splitlines() if line]
    equal([" ".join(words[1:]) for words in lines if listened & {words[0], *words[3:4]}], wanted, "connections")


@scenario()
def kernel_tcp_states(world):
    """The states of both ends, from the connection's first to its last."""
    out, ends, _ = talked(
        world, 'tcp:::state-change { printf("%d %s %s\\n", args[3]->tcps_lport, tcp_state_string[args[5]->tcps_state], tcp_state_string[arg2]); }')
    lines = [line.split() for line in out.splitlines() if line]
    client = [words[1:] for words in lines if words[0] == str(ends["127.0.0.1"][1])]
    equal(client, [["state-syn-sent", "state-established"], ["state-established", "state-fin-wait-1"], ["state-fin-wait-1", "state-fin-wait-2"]], f"the client, while it has a port: {out}")
    for port, _ in ends.values():
        equal([words for words in lines if words[0] == str(port)].count([str(port), "state-syn-received", "state-established"]), 1, f"accepted: {out}")


@scenario(alone=True)  # other scenarios send packets of these lengths
def kernel_tcp_segments(world):
    """The bytes that segments carry are those that the program has sent; what is sent by loopback is received."""
    out, ends, datagrams = talked(
        world, 'tcp:::send,tcp:::receive { @[probename, args[2]->ip_daddr, args[4]->tcp_dport] = sum(args[2]->ip_plength - args[4]->tcp_offset); } '
        'udp:::send,udp:::receive { @u[probename, args[2]->ip_daddr, args[4]->udp_dport] = sum(args[4]->udp_length - 8); } '
        'ip:::send,ip:::receive /args[2]->ip_ver == 4/ { @i[probename, args[3]->if_name, args[4]->ipv4_protostr, args[2]->ip_plength] = count(); }')
    found = rows(out)
    for address, (port, from_port) in ends.items():
        for probe in ("send", "receive"):
            equal((found[(probe, address, str(port))], found[(probe, address, str(from_port))]), (5000, 0), f"bytes to {address}, and back: {out}")
    for probe in ("send", "receive"):
        equal(found[(probe, "127.0.0.1", str(datagrams))], 7 * 1234, f"datagrams: {out}")
        equal(found[(probe, "lo", "UDP", "1242")], 7, f"packets: {out}")
        equal(found[(probe, "lo", "TCP", "1032")], 5, f"packets of TCP: {out}")


def members_of(translated, native):
    """The members that a translator of the D library has for that input."""
    top = pathlib.Path(__file__).resolve().parents[2]
    texts = "".join(file.read_text(encoding="utf-8") for folder in ("providers", "compiler/library") for file in (top / folder).rglob("*.d"))
    found = re.search(rf"translator {translated} < {re.escape(native)}\s*\w+ > {{(.*?)}};", texts, re.S)
    check(found, f"a translator from {native} to {translated}")
    return re.findall(r"(?:^|;|\n)\s*(\w+) = ", found[1])


def natives():
    """The arguments of each probe whose table is in providers/: {provider:::name: [(translated, native)]}."""
    top, found = pathlib.Path(__file__).resolve().parents[2] / "providers", {}
    for provider in ("sched", "io", "ip", "tcp", "udp"):
        text = (top / provider / f"{provider}_provider.cpp").read_text(encoding="utf-8")
        names = dict(re.findall(r'(k\w+)\[\] = "([^"]+)"', text))
        lists = dict(re.findall(r"constexpr KernelArgument (k\w+)\[\] = \{(.*?)\};", text, re.S))
        alike = re.search(r"KernelProbeRow change\(.*?(k\w+Arguments)\}", text, re.S)
        for row in re.split(r"\n(?=    (?:\{|change\())", text):
            if not (head := re.match(r'    (?:\{|change\()"([\w-]+)",', row)) or "is not available" in row:
                continue
            own = alike if row.startswith("    change(") else re.search(r"(" + "|".join(lists or ["no list"]) + r")\b", row)
            probe, pairs = head[1], re.findall(r'\{\w+, (k\w+|"[^"]+")(?:, "(\w+) \*")?\}', lists[own[1]] if own else "")
            found[f"{provider}:::{probe}"] = [(translated, names.get(native, native.strip('"'))) for native, translated in pairs]
    return found


@scenario()
def kernel_probes_read_each_member(world):
    """Each member of each argument is read where the probe fires: the kernel has it, its verifier takes it, and no read faults."""
    probes = natives()
    check(len(probes) > 12 and sum(map(len, probes.values())) > 30, f"{probes}")
    clauses = []
    by_function = "Not armed" not in world.sonde("-lv", "-n", "fbt::vfs_read:entry").stdout
    for probe, arguments in probes.items():
        if probe == "sched:::change-pri" and not by_function:
            continue
        if ("accept-refused" in probe and not newer_than(6, 10)) or (probe.endswith(("on-cpu", "remain-cpu", "surrender", "wait-done")) and not newer_than(6, 16)):
            continue
        for index, (translated, native) in enumerate(arguments):
            if not translated:
                continue
            reads = " ".join(f"trace(args[{index}]->{member});" for member in members_of(translated, native))
            clauses.append(f'{probe} /execname == "talks"/ {{ {reads} @[probeprov, probename] = count(); }}')
    if not os.path.exists("/dev/sonde"):
        need_it(world)
    program = world.path("program.py", NAMED + TALK + "\nos.sync()\n")
    result = world.sonde("-q", "-c", f"{sys.executable} {program}", *[word for clause in clauses for word in ("-n", clause)])
    check("error on enabled probe" not in result.stderr, result.stderr)
    for probe in ("tcp send", "tcp receive", "udp send", "ip receive", "tcp connect-established", "sched off-cpu"):
        check(re.search(rf"^ +{probe.split()[0]} +{probe.split()[1]} +[1-9]", result.stdout, re.M), f"{probe} has fired")


@scenario()
def kernel_rawtp(world):
    """Tracepoints by their own names, with the arguments that the kernel's types say."""
    out, children = traced(
        world, "name('forks')\nsaid = []\nfor n in range(20):\n    said.append(os.fork())\n    if said[-1] == 0:\n        os._exit(0)\n    os.waitpid(said[-1], 0)\n",
        'rawtp:::sched_process_fork /pid == $target && execname == "forks"/ { printf("%d %s\\n", args[1]->tgid, stringof(args[0]->comm)); } '
        'rawtp:::task_rename /pid == $target/ { printf("named %s\\n", stringof(args[1])); }')
    lines = [line.split() for line in out.splitlines() if line]
    equal([words for words in lines if words[1:] == ["forks"] and words[0] != "named"], [[str(child), "forks"] for child in children], "forks")
    check(["named", "forks"] in lines, out)
    listed = world.sonde("-l", "-P", "rawtp").stdout.splitlines()
    check(len(listed) > 500 and any(line.split()[-1] == "sched_switch" for line in listed), f"{len(listed)} tracepoints")


@scenario()
def kernel_sdt(world):
    """The same tracepoints by the names of DTrace for Linux, which have their subsystem: both providers count the same, by the same arguments."""
    out, children = traced(
        world, "name('forks')\nsaid = []\nfor n in range(20):\n    said.append(os.fork())\n    if said[-1] == 0:\n        os._exit(0)\n    os.waitpid(said[-1], 0)\nname('between')\n",
        'sdt:sched::sched_process_fork,rawtp:::sched_process_fork /pid == $target && execname == "forks"/ { printf("%s %s %d %s\\n", probeprov, probemod, args[1]->tgid, stringof(args[0]->comm)); } '
        'sdt:task::task_rename /pid == $target/ { printf("named %s\\n", stringof(args[1])); }')
    lines = [line.split() for line in out.splitlines() if line]
    for provider, module in (("sdt", "sched"), ("rawtp", "vmlinux")):
        equal([words for words in lines if words[0] == provider], [[provider, module, str(child), "forks"] for child in children], f"{provider}'s forks")
    check(["named", "between"] in lines, out)
    both = [[line.split()[-1] for line in world.sonde("-l", "-P", provider).stdout.splitlines()[1:]] for provider in ("sdt", "rawtp")]
    equal(sorted(both[0]), sorted(both[1]), "the tracepoints of both")
    equal({line.split()[2] for line in world.sonde("-l", "-n", "sdt:block::").stdout.splitlines()[1:]}, {"block"}, "a subsystem")


@scenario()
def kernel_probes_refuse_by_name(world):
    """What the kernel has no tracepoint for is refused with the nearest question; so is who may not look."""
    for probe, said in (("sched:::enqueue", "sched:::wakeup"), ("sched:::tick", "profile-N"), ("rawtp:::nosuch", "rawtp:::"), ("sdt:nosuch::sched_switch", "sdt:")):
        result = world.sonde("-n", probe, status=None)
        check(result.status != 0 and said in result.stderr, f"{probe}: {result.stderr}")
    result = world.sonde("-x", "source=ptrace", "-c", "true", "-n", "sched:::off-cpu", status=None)
    check("the kmod or bpf source can" in result.stderr, result.stderr)
