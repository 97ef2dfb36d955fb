# SPDX-License-Identifier: GPL-3.0-or-later
"""What each start costs, in figures that do not depend on load: page faults, instructions, system calls, relocations, initializers before main().
`./dev bench start` has the times."""

import os
import pathlib
import re
import shutil
import struct
import subprocess

from support import Skip, check, equal, patience, scenario

DYNAMIC_TYPE = 3  # of an ELF file: position-independent


def page_faults(argv):
    """Page faults of a run, without those of the fork before it."""
    silent = [(os.POSIX_SPAWN_OPEN, fd, "/dev/null", os.O_RDWR, 0) for fd in range(3)]
    pid = os.posix_spawn(argv[0], argv, {"LC_ALL": "C", "PATH": os.environ["PATH"]}, file_actions=silent)
    _pid, status, usage = os.wait4(pid, 0)
    equal(os.waitstatus_to_exitcode(status), 0, f"status of {argv}")
    return usage.ru_minflt


def skip_unless_quick(world):
    with open(world.binary, "rb") as file:
        kind = struct.unpack_from("<H", file.read(64), 16)[0]
    if kind == DYNAMIC_TYPE:
        raise Skip("this sonde was built with SONDE_QUICK_START=OFF")


def check_faults(world, limits):
    """`limits`: {arguments: page faults, in those of a C++ program that prints a line}."""
    skip_unless_quick(world)
    hello = page_faults([world.program("hello")])
    found = {words: page_faults([str(world.binary), *words]) / hello for words in limits}
    print(f"  a C++ program {hello}; " + ", ".join(f"{' '.join(words)} x{ratio:.2f}" for words, ratio in found.items()))
    for words, ratio in found.items():
        check(ratio <= limits[words], f"{' '.join(words)}: {ratio:.2f} times the page faults of a C++ program, over {limits[words]}")


@scenario()
def a_text_costs_what_a_small_program_costs(world):
    """Who asks for a version or a completion does not pay for LLVM and ANTLR: at most 1.6 times the page faults of a C++ program that prints a line."""
    check_faults(world, {(option,): 1.6 for option in ("-V", "--help", "--help=settings", "--completion=bash")})


@scenario(only="ptrace", why="the module's source is opened where nothing is traced, too")
def a_clause_costs_few_pages(world):
    """The parser is paid for by who has a script, LLVM by nobody whose bodies run a few times; a traced program costs no symbols that nobody asked for."""
    check_faults(world, {("-l",): 2.6, ("-qn", "BEGIN { exit(0); }"): 2.8, ("-o", "/dev/null", "/bin/true"): 7.4})


def need(tool):
    if not shutil.which(tool):
        raise Skip(f"no {tool}: {tool}")


def instructions(argv):
    """Those of a run, as valgrind counts them."""
    result = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *argv], check=True, text=True,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=60 * patience)
    return int(re.search(r"Collected : (\d+)", result.stderr).group(1))


@scenario(only="ptrace", why="the module's source is opened where nothing is traced, too")
def a_clause_takes_few_instructions(world):
    """ANTLR makes its tables, which take as many as a C++ program that prints a line, only for a text that it must predict in."""
    skip_unless_quick(world)
    need("valgrind")
    hello = instructions([world.program("hello")])
    ratio = instructions([str(world.binary), "-qn", "BEGIN { exit(0); }"]) / hello
    print(f"  a C++ program {hello}; x{ratio:.2f}")
    check(ratio <= 2.3, f"{ratio:.2f} times the instructions of a C++ program")


@scenario(only="ptrace", why="the module's source is opened where nothing is traced, too")
def a_kernel_is_listed_in_few_instructions(world):
    """All functions of the kernel, 100,000 probes: at most 8,000 instructions each. A copy of each name, or another sort of all of them, is a thousand."""
    skip_unless_quick(world)
    need("valgrind")
    listing = [str(world.binary), "-l", "-P", "fbt"]
    result = world.sonde(*listing[1:], status=None)
    probes = len(re.findall(r" fbt +\S+ +\S+ (?:entry|return)$", result.stdout, re.M))
    if probes < 10000:
        raise Skip(f"no functions of the kernel: {result.stderr}")
    each = instructions(listing) / probes
    print(f"  {probes} probes, {each:.0f} instructions each")
    check(each <= 8000, f"{each:.0f} instructions a probe")


@scenario(only="ptrace", why="the module's source is opened where nothing is traced, too")
def a_clause_makes_few_calls(world):
    """The buffers of sonde's own probes are memory, not files."""
    need("strace")
    listing = world.path("calls")
    subprocess.run(["strace", "-f", "-o", listing, world.binary, "-qn", "BEGIN { exit(0); }"], check=True, stdout=subprocess.DEVNULL, timeout=60 * patience)
    count = len(re.findall(r"^\d+ +\w+\(", pathlib.Path(listing).read_text(encoding="utf-8"), re.M))
    print(f"  {count} system calls")
    check(count <= 230, f"{count} system calls")


@scenario()
def little_runs_before_main(world):
    """The dynamic linker relocates words only where they name the C++ library, and runs a few dozen initializers: none of LLVM or ANTLR."""
    skip_unless_quick(world)
    relocations = subprocess.run(["readelf", "-rW", world.binary], check=True, text=True, stdout=subprocess.PIPE, timeout=60 * patience).stdout
    sections = subprocess.run(["readelf", "-SW", world.binary], check=True, text=True, stdout=subprocess.PIPE, timeout=60 * patience).stdout
    entries = int(re.search(r" \.init_array +INIT_ARRAY +\w+ \w+ (\w+)", sections).group(1), 16) // 8
    count = len(re.findall(r" R_X86_64_\w+", relocations))
    print(f"  {count} relocations, {entries} initializers")
    check(count <= 4000, f"{count} relocations")
    check(entries <= 40, f"{entries} initializers before main()")


@scenario(only="ptrace", why="it is the same binary")
def no_unwind_entry_hides_another(world):
    """A part of a function without an instruction begins where the next one does. The linker keeps one entry for that address; if it is the
    empty one, an exception that passes the other part aborts. LLVM's own code throws nothing."""
    data = world.binary.read_bytes()
    sections = subprocess.run(["readelf", "-SW", world.binary], check=True, text=True, stdout=subprocess.PIPE, timeout=60 * patience).stdout

    def place(name):
        return [int(word, 16) for word in re.search(rf" {re.escape(name)} +\w+ +(\w+) (\w+) ", sections).groups()]
    (table, at), (frames, first) = place(".eh_frame_hdr"), place(".eh_frame")
    empty = set()
    for begin, entry in struct.iter_unpack("<ii", data[at + 12:at + 12 + 8 * struct.unpack_from("<I", data, at + 8)[0]]):
        if struct.unpack_from("<I", data, first + table + entry - frames + 12)[0] == 0:
            empty.add(f"{table + begin:016x}")
    names = subprocess.run(["nm", "-C", world.binary], check=True, text=True, stdout=subprocess.PIPE, timeout=60 * patience).stdout
    ours = [line for line in names.splitlines() if line.split(" ", 1)[0] in empty and "sonde::" in line]
    check(not ours, f"hidden: {ours[:5]}")
