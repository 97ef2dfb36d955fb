# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions of programs without the module and without ptrace: probes of a stock kernel (uprobes), of the whole machine or
of targets. As root, where the kernel takes programs."""

import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys

from stock_kernel import SOURCE, bpf_ids, is_loaded, need_it, stop_tracing
from support import Skip, check, counts, equal, patience, scenario, wait_until


def links(sonde):
    """How many links to places in files this sonde has."""
    found = 0
    try:
        for info in pathlib.Path(f"/proc/{sonde.pid}/fdinfo").iterdir():
            found += "uprobe_multi" in info.read_text()
    except OSError:
        pass
    return found


def own_copy(world, path):
    """A copy that no other process of the machine runs: what is armed in it is armed for nobody else."""
    name = f"{pathlib.Path(path).name[:12]}-{world.marker[:8]}"
    return str(shutil.copy(path, world.path(name)))


def start_armed(world, clauses, *more, **how):
    """Starts sonde for the whole machine; returns when all is armed: BEGIN comes after that."""
    ready = world.path("ready", "")
    sonde = world.start_sonde("-q", *SOURCE, "-b", "16m", "-o", ready, *more, "-n", 'BEGIN { printf("armed\\n"); } ' + clauses, **how)
    wait_until(lambda: "armed" in pathlib.Path(ready).read_text() or sonde.poll() is not None, what="sonde's start")
    if sonde.poll() is not None:
        raise AssertionError(f"sonde ended: {world.finish(sonde).stderr}")
    return sonde, ready


def stop(world, sonde, ready):
    """What sonde has printed behind the word, and its messages."""
    result = stop_tracing(world, sonde)
    return pathlib.Path(ready).read_text().split("armed\n", 1)[1], result.stderr


def numbers(text):
    return [int(n) for n in re.findall(r"^ +(\d+)$", text, re.M)]


@scenario()
def stock_functions_of_every_process(world):
    """By the path of a file: in processes that run, and in those that begin later, with their arguments."""
    need_it(world)
    program = own_copy(world, world.program("many_forks"))
    clauses = f"pid*:{program}:f:entry {{ @ = count(); @a = sum(arg0); }}"
    sonde, ready = start_armed(world, clauses)
    for _ in range(2):
        plain = world.run([program, 100])
        equal(plain.status, 0, "the program's status")
    text, _messages = stop(world, sonde, ready)
    # f(1), and of each of a hundred children f(0) to f(4)
    equal(numbers(text), [2 * 501, 2 * (1 + 100 * 10)], "calls, and the sum of their arguments")


@scenario()
def stock_functions_of_a_file_that_is_lost(world):
    """A file may be reached through a process that ends before its probes are set: the others are traced, a line says which is not."""
    need_it(world)
    program = world.program("many_forks")
    kept, lost = own_copy(world, program), str(shutil.copy(program, world.path("lost")))
    environment = {"LD_PRELOAD": world.program("lose_file", "-shared", "-fPIC"), "LOSE": lost}
    clauses = f"pid*:{kept}:f:entry, pid*:{lost}:f:entry {{ @ = count(); }}"
    sonde, ready = start_armed(world, clauses, env=environment)
    equal(world.run([kept, 100]).status, 0, "the program's status")
    text, messages = stop(world, sonde, ready)
    equal(numbers(text), [501], "calls in the file that is there")
    check("not traced, 1 of 2 places: the file cannot be opened any more (No such file or directory)" in messages, messages)


@scenario()
def stock_functions_of_a_library_by_its_name(world):
    """A library that processes of the machine have mapped is found by its name, in a process that begins later, too."""
    need_it(world)
    if not (libz := next(iter(sorted(pathlib.Path("/usr/lib/x86_64-linux-gnu").glob("libz.so.1.*"))), None)):
        raise Skip("no libz.so.1 in the usual folder")
    library = own_copy(world, libz)
    code = (f"import ctypes, sys; z = ctypes.CDLL({library!r}); print('there', flush=True); sys.stdin.read(1);\n"
            "print(sum(z.crc32(0, b'abc', n) & 0xff for n in (0, 1, 2, 3)))")
    programs = [world.start([sys.executable, "-c", code], stdin=subprocess.PIPE)]
    equal(programs[0].stdout.readline(), "there\n", "the first program")
    sonde, ready = start_armed(world, f"pid*:{os.path.basename(library)}:crc32:entry {{ @[pid] = count(); @n = sum(arg2); }}")
    programs.append(world.start([sys.executable, "-c", code], stdin=subprocess.PIPE))
    equal(programs[1].stdout.readline(), "there\n", "the second program")
    results = {one.communicate("x", timeout=60 * patience)[0] for one in programs}
    equal(len(results), 1, f"what they print: {results}")
    text, _messages = stop(world, sonde, ready)
    equal(sorted(re.findall(r"^ +(\d+) +(\d+)$", text, re.M)), sorted((str(one.pid), "4") for one in programs), "calls")
    equal(numbers(text), [12], "the sum of an argument")


def check_returns(world, command, function, entries, returns):
    """As returns.py does it on ptrace."""
    plain = world.run(command)
    out = world.path("counts.out", "")
    result = world.sonde("-q", *SOURCE, "-b", "32m", "-o", out, "-n",
                         f"pid$target:a.out:{function}:entry {{ @e = count(); }} pid$target:a.out:{function}:return {{ @r[arg0] = count(); }}",
                         "-c", " ".join(map(str, command)))
    equal((result.status, result.stdout), (plain.status, plain.stdout), f"what {command} does")
    text = pathlib.Path(out).read_text()
    by_offset = {int(at): int(n) for at, n in re.findall(r"^ +(\d+) +(\d+)$", text, re.M)}
    equal((sum(numbers(text)), sum(by_offset.values())), (entries, returns), f"entries and returns of {function}: {result.stderr}")
    return by_offset


@scenario()
def stock_functions_return(world):
    """At their own instructions, never by the return address: frames that are left otherwise do not return."""
    need_it(world)
    program = world.program("returns")
    equal(check_returns(world, [program, "three"], "three", 3, 3), {9: 1, 20: 1, 26: 1}, "offsets of the three instructions")
    check_returns(world, [program, "deep"], "deep", 20102, 20102)
    check_returns(world, [program, "longjmp"], "inner", 10, 0)
    check_returns(world, [program, "coroutines"], "turn", 100, 100)
    check_returns(world, [program, "jump"], "jumped", 1, 1)
    throws = world.program("exceptions", "-O2", "-fno-inline")
    for function, returns in (("leaf", 0), ("mid", 0), ("top", 10)):
        check_returns(world, [throws], function, 10, returns)


@scenario()
def stock_functions_of_go_return(world):
    """Stacks that move: the result is right, and the returns are exact."""
    need_it(world)
    program = world.program("preempted")
    calls = {"main.add": 100, "main.fib": 1416, "main.grow": 1608}
    clause = (",".join(f"pid$target:a.out:{n}:entry" for n in calls) + ' { @e[probefunc, "entry"] = count(); } ' +
              ",".join(f"pid$target:a.out:{n}:return" for n in calls) + ' { @r[probefunc, "return"] = count(); }')
    result = world.sonde("-q", *SOURCE, "-b", "32m", "-n", clause, "-c", program, env={"GODEBUG": "asyncpreemptoff=1"})
    check(result.stdout.startswith("166190\n"), f"the program's result: {result.stdout!r}, {result.stderr}")
    found = counts(result.stdout)
    equal({name: (found[name, "entry"], found[name, "return"]) for name in calls}, {name: (n, n) for name, n in calls.items()}, "calls")


@scenario()
def stock_functions_of_targets_and_their_children(world):
    """Only the target and what it forks: the same program beside it is not counted. -p finds a program that runs."""
    need_it(world)
    for name, calls in (("fork_tree 3 3", 200), ("many_forks 100", 501)):
        name, *arguments = name.split()
        program = world.program(name)
        beside = world.run([program, *arguments])
        result = world.sonde("-q", *SOURCE, "-n", "pid$target:a.out:f:entry { @ = count(); }", "-c", " ".join([program, *arguments]))
        equal(result.status, beside.status, "exit status")
        equal(numbers(result.stdout)[-1:], [calls], f"calls of {name}: {result.stdout} {result.stderr}")
    slow = world.start([world.program("returns"), "slow"], marked=False, stdin=subprocess.PIPE)
    ready = world.path("attached", "")
    sonde = world.start_sonde("-q", *SOURCE, "-o", ready, "-n",
                              'BEGIN { printf("armed\\n"); } pid$target:a.out:slow:return { printf("%d\\n", arg1); }', "-p", slow.pid)
    wait_until(lambda: "armed" in pathlib.Path(ready).read_text() or sonde.poll() is not None, what="attach")
    wait_until(lambda: open(f"/proc/{slow.pid}/syscall", encoding="ascii").read().startswith("0 0x0 "), what="read() in slow()")
    equal(slow.communicate("x\n", timeout=60 * patience)[0], "43\n", "the program's result")
    equal(world.finish(sonde).status, 0, "sonde ends with its target")
    equal(pathlib.Path(ready).read_text().split(), ["armed", "43"], "arg1 of the return")


@scenario()
def stock_functions_on_nops_are_right_or_refused(world):
    """A kernel may write over the red zone for a uprobe on a 5-byte nop, and take one on a nop with a segment prefix that
    never fires: each place counts all calls, or is refused by name; the program is right in any case."""
    need_it(world)
    program = own_copy(world, world.program("red_zone"))
    equal(world.run([program, 500]).stdout, "0 wrong\n", "untraced")
    for function, place in [(f"nop{n}", "5") for n in ("1", "2", "5", "5_narrow", "7", "10")] + [("patched", "entry")]:
        out = world.path("counts.out", "")
        result = world.sonde("-q", *SOURCE, "-o", out, "-n", f"pid$target:a.out:{function}:{place} {{ @ = count(); }}",
                             "-c", f"{program} 500", status=None)
        if result.status == 0:
            equal((result.stdout, numbers(pathlib.Path(out).read_text())), ("0 wrong\n", [500]), f"{function}: {result.stderr}")
        else:
            check("not traced, 1 of 1 places" in result.stderr and "-x source=" in result.stderr, f"{function}: {result.stderr}")
        equal(world.run([program, 500]).stdout, "0 wrong\n", f"after {function}")


@scenario()
def stock_functions_harm_no_run_time(world):
    """All entries of python3's own code, or those of a library that it uses: it does what it does untraced."""
    need_it(world)
    python = os.path.realpath(sys.executable)
    maps = world.run([python, "-S", "-c", "print(open('/proc/self/maps').read())"]).stdout
    shared = re.findall(r" r-xp .* (/\S*/libpython\S*)$", maps, re.M)
    traced_file = own_copy(world, shared[0] if shared else python)
    environment = {"LD_PRELOAD": traced_file} if shared else {}  # by its soname it stands for the library
    python = python if shared else traced_file
    work = 50 if world.full else 2  # to start it are half a million calls already
    code = ("import _thread, sys\n"
            "def work(n):\n"
            "    try:\n        raise ValueError(n)\n    except ValueError as e:\n        return e.args[0]\n"
            "lock = _thread.allocate_lock(); lock.acquire()\n"
            f"_thread.start_new_thread(lambda: ([work(n) for n in range({work})], lock.release()), ())\n"
            f"lock.acquire(); print(sum(work(n) for n in range({work})), sorted(str(n) for n in range({work})), sys.version)")
    plain = world.run([python, "-I", "-S", "-c", code], env=environment)
    equal(plain.status, 0, f"untraced: {plain.stderr}")
    sonde, ready = start_armed(world, f"pid*:{traced_file}::entry {{ @ = count(); }}")
    traced = world.run([python, "-I", "-S", "-c", code], seconds=300, env=environment)
    text, messages = stop(world, sonde, ready)
    equal((traced.status, traced.stdout), (plain.status, plain.stdout), f"what it prints: {traced.stderr}")
    check(numbers(text)[-1] > 10_000, f"calls: {text} {messages}")


@scenario()
def stock_functions_end_with_sonde(world):
    """After SIGKILL nothing is left: no program, no link, and the code of a process that runs is what it was."""
    need_it(world)
    program = own_copy(world, world.program("busy"))
    running = world.start([program])
    sonde, _ready = start_armed(world, f"pid*:{program}::entry {{ @ = count(); }}")
    ids, _attached = bpf_ids(sonde)
    check(links(sonde) > 0, "nothing is armed")
    sonde.kill()
    sonde.wait()
    wait_until(lambda: not any(is_loaded(one) for one in ids), what="the end of the programs")
    text = pathlib.Path(program).read_bytes()

    def is_as_in_the_file():
        for line in pathlib.Path(f"/proc/{running.pid}/maps").read_text().splitlines():
            span, rights, offset, *_more, path = line.split(maxsplit=5)
            if path != program or "x" not in rights:
                continue
            begin, end = (int(one, 16) for one in span.split("-"))
            with open(f"/proc/{running.pid}/mem", "rb") as memory:
                memory.seek(begin)
                here = memory.read(end - begin)
            at = int(offset, 16)
            wanted = text[at:at + len(here)]
            if here[:len(wanted)] != wanted:
                return False
        return True

    wait_until(is_as_in_the_file, what="the code as it was")
    running.send_signal(signal.SIGKILL)
    world.finish(running)


@scenario()
def stock_functions_fifty_thousand(world):
    """Each of 50,000 functions is armed, and counts; what that takes of the processor, with the end, is bounded."""
    need_it(world)
    program = own_copy(world, world.program("many_functions"))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    sonde, ready = start_armed(world, f"pid*:{program}:fn*:entry {{ @ = count(); }}")
    equal(world.run([program]).status, 0, "the program's status")
    text, _messages = stop(world, sonde, ready)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    equal(numbers(text), [50_000], "calls")
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    check(used < 3, f"{used:.1f} s of processor time")


@scenario()
def stock_functions_refuse_what_they_cannot(world):
    """By name, with who can."""
    need_it(world)
    program = world.program("many_forks")
    for clause, said in (("pid$target:a.out:f:entry { chill(1000); }", "would have to wait"),
                         ("pid$target:a.out:f:entry, syscall:::entry { }", "functions and the kernel only")):
        result = world.sonde("-w", *SOURCE, "-n", clause, "-c", f"{program} 1", status=1)
        check(said in result.stderr, f"{clause}: {result.stderr}")
