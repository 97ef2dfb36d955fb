# SPDX-License-Identifier: GPL-3.0-or-later
"""Samples of programs on the whole machine without the module: the stack of each, beside gdb's of the same moment."""

import json
import os
import pathlib
import re
import signal
import subprocess

from stock_kernel import SOURCE, need_it, stop_tracing
from stock_stacks import Place
from support import Skip, check, patience, scenario, wait_until

# Debian's, which have no frame pointers. Each computes without end, without starting another process.
PROGRAMS = {
    "bash": ["-c", 'f() { local x="$1$1"; if [ "$1" -gt 0 ]; then x=${x//1/22}; f $(($1 - 1)); fi; }; '
                   'while :; do f 6; [[ "abc $RANDOM" =~ ^a.*([0-9]+)$ ]]; case $RANDOM in 1*) x=1 ;; esac; done'],
    "perl": ["-e", 'sub f { my $n = shift; my @x = sort { $n ? f($n - 1) : 0; $a <=> $b } (2, 1); 1 } my %h; '
                   'for (my $i = 0; ; $i++) { f(5); my $t = sprintf("%d %s", $i, "x" x 20); $t =~ s/(\\d)x*/<$1>/g; $h{$i % 100} = [split / /, $t]; }'],
    "python3": ["-c", "import json, re\ndef f(n):\n    return n and list(map(f, [n - 1]))\nwhile True:\n    f(6)\n"
                      "    t = json.dumps(sorted(({'a': [i, str(i)]} for i in range(30)), key=lambda d: -d['a'][0]))\n    json.loads(t)\n    re.sub(r'([0-9]+)', lambda m: m[1] * 2, t)\n"],
    "sqlite3": [":memory:", "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "
                            "SELECT max(length(printf('%08d %s', x, hex(randomblob(8))))), count(DISTINCT substr(hex(x), 1, 3)), sum(x LIKE '%1_2%') FROM c"],
}
SAMPLE = 'profile-97 /pid == $1/ { ustack(200); stop(); } syscall::getppid:entry /pid == $2/ { printf("mark"); }'


def is_stopped(pid):
    return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


# In gdb: address and name of each frame that lies on the stack, not of inlined functions, nor of those that have jumped to their last call.
FRAMES = """
frame = gdb.newest_frame()
while frame is not None:
    if frame.type() in (gdb.NORMAL_FRAME, gdb.SIGTRAMP_FRAME):
        inside = frame.pc() if frame.level() == 0 else frame.pc() - 1
        print("frame", hex(frame.pc()), gdb.execute(f"info symbol {inside}", to_string=True).split()[0])
    frame = frame.older()
"""


def frames_of_gdb(world, pid):
    """(address, name) of each; without a name: "No", as gdb has it. The file has none for the stubs of its PLT, either."""
    text = subprocess.run(["gdb", "-nx", "-batch", "-iex", "set auto-load off", "-iex", "set debuginfod enabled off", "-iex", "set print demangle off",
                           "-p", str(pid), "-ex", "set backtrace past-main on", "-ex", "set backtrace past-entry on", "-x", world.path("frames.py", FRAMES)],
                          capture_output=True, text=True, timeout=120 * patience, check=False).stdout
    return [(int(at, 16), "No" if name.endswith("@plt") else name.partition("@")[0]) for at, name in re.findall(r"^frame (\S+) (\S+)$", text, re.M)]


def places_of(path, known={}):
    """Where the file, and the debug file that belongs to it, has functions of a name: {name: addresses}."""
    if path not in known:
        known[path] = {}
        note = re.search(r"Build ID: (\w\w)(\w+)", subprocess.run(["readelf", "-n", path], capture_output=True, text=True, check=False).stdout)
        debug = [f"/usr/lib/debug/.build-id/{note[1]}/{note[2]}.debug"] if note else []
        for command in (["nm", path], ["nm", "-D", path], *(["nm", file] for file in debug)):
            text = subprocess.run(command, capture_output=True, text=True, check=False).stdout
            for at, name in re.findall(r"^(\w+) [a-zA-Z] ([^@\s]+)", text, re.M):
                known[path].setdefault(name, set()).add(int(at, 16))
    return known[path]


def as_linked(place, address):
    """(file, address in it). A program at a fixed address is not moved."""
    file, offset = place.of_address(address)
    with open(place.files[file][1] if file else os.devnull, "rb") as elf:
        return file, address if elf.read(18)[16:] == b"\2\0" else offset


def is_same(place, ours, theirs):
    """Whether a frame as ustack() gives it is gdb's: the same function by name, or the same address in one without a name."""
    address, name = theirs
    file, linked = as_linked(place, address)
    if "`" not in ours:
        return name == "No" and ours == (f"{file}+{linked:#x}" if file else f"{address:#x}")
    function = re.sub(r"\+0x[0-9a-f]+$", "", ours.partition("`")[2])
    if function == name or not file:
        return function == name
    known = places_of(place.files[file][1])
    return bool(known.get(function, set()) & known.get(name, set()))  # two names of one function


def different_frames(place, ours, theirs):
    """What differs first, or None."""
    for number, (one, other) in enumerate(zip(ours, theirs, strict=False)):
        if not is_same(place, one, other):
            return number, one, other
    return None if len(ours) == len(theirs) else (min(len(ours), len(theirs)), len(ours), len(theirs))


def samples(path):
    """The stacks of the samples before each mark."""
    before = [[]]
    for line in pathlib.Path(path).read_text().splitlines():
        record = json.loads(line)
        if record.get("action") == "ustack":
            before[-1].append(record["frames"])
        elif record.get("action") == "printf":
            before.append([])
    return before[:-1]


def compare(world, name, command):
    """Stops the program by samples, and compares the stack of each with gdb's."""
    program = world.start(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    out = world.path(f"samples-{name}")
    sonde = world.start_sonde("-w", *SOURCE, "-x", "format=json", "-x", "demangle=0", "-o", out, "-n", SAMPLE, str(program.pid), str(os.getpid()))
    different, wanted = [], 100 if world.full else 10
    for number in range(1, wanted + 1):
        wait_until(lambda: is_stopped(program.pid), what=f"{name}'s sample")
        os.getppid()
        wait_until(lambda: len(samples(out)) == 2 * number - 1, what=f"{name}'s stack")
        ours, theirs = samples(out)[-1], frames_of_gdb(world, program.pid)
        check(ours and ours.count(ours[0]) == len(ours), f"{name} went on in user code before it stood: {ours}")
        ours = ours[0]
        if found := different_frames(Place(program.pid), ours, theirs):
            different.append((found, ours, theirs))
        wait_until(lambda: is_stopped(program.pid), what="a sample, if gdb has let it go")
        os.getppid()
        os.kill(program.pid, signal.SIGCONT)
    stop_tracing(world, sonde)
    program.kill()
    print(f"  {name}: {wanted - len(different)} of {wanted} stacks equal")
    check(len(different) * 100 <= wanted, f"{name}: {len(different)} of {wanted} stacks differ: {different[:3]}")


def compare_each(world, name, command):
    need_it(world)
    if not os.path.exists("/usr/bin/gdb"):
        raise Skip("no gdb: gdb")
    if not os.path.exists(command[0]):
        raise Skip(f"no {name}: {name}")
    compare(world, name, command)


@scenario(seconds=600)
def stock_samples_of_cpp_equal_gdbs(world):
    compare_each(world, "computes", [world.program("computes", "-O2", "-g0")])


def of_program(name):
    """Each stack of one of Debian's programs where a sample has stopped it: frame by frame, by name."""
    def samples_equal_gdbs(world):
        compare_each(world, name, [f"/usr/bin/{name}", *PROGRAMS[name]])
    samples_equal_gdbs.__name__ = f"stock_samples_of_{name}_equal_gdbs"
    scenario(seconds=600)(samples_equal_gdbs)


for each in PROGRAMS:
    of_program(each)
