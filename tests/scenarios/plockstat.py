# SPDX-License-Identifier: GPL-3.0-or-later
"""Locks of programs (plockstat): a program knows how often each of its locks was taken, waited for and let go, and sonde must find the same."""

import collections
import os
import pathlib

from in_use import IN_USE
from stock_kernel import SOURCE as BPF, need_it
from support import at_rest, attached_to, check, equal, scenario, wait_until

COUNTED = r"""
%(p)s:::mutex-acquire, %(p)s:::mutex-release, %(p)s:::mutex-block, %(p)s:::mutex-blocked, %(p)s:::mutex-error { @m[probename, arg0] = count(); }
%(p)s:::rw-acquire, %(p)s:::rw-release, %(p)s:::rw-block, %(p)s:::rw-blocked, %(p)s:::rw-error { @r[probename, arg1, arg0] = count(); }
%(p)s:::cond-wait, %(p)s:::cond-waited, %(p)s:::cond-signal, %(p)s:::cond-broadcast { @c[probename, arg0] = count(); }
%(p)s:::mutex-error { @errors[arg0, args[1]] = count(); }
%(p)s:::mutex-acquire /arg1 != 0/ { @again[arg0] = count(); }
%(p)s:::mutex-block { @owners[arg0, args[1] == pid] = count(); }
%(p)s:::mutex-blocked { @got[arg0, args[1]] = count(); }
%(p)s:::rw-block { @rwowners[args[1], args[2] == pid] = count(); }
%(p)s:::rw-error { @rwerrors[args[1], args[2]] = count(); }
%(p)s:::mutex-acquire { self->hold[arg0] = timestamp; }
%(p)s:::mutex-release /self->hold[arg0] != 0/ { @held[arg0, tid == pid] = sum(timestamp - self->hold[arg0]); self->hold[arg0] = 0; }
%(p)s:::mutex-block { self->block[arg0] = timestamp; }
%(p)s:::mutex-blocked /self->block[arg0] != 0/ { @waited[arg0] = sum(timestamp - self->block[arg0]); self->block[arg0] = 0; }
END {
  printa("%%s %%x %%@d\n", @m); printa("%%s %%d %%x %%@d\n", @r); printa("%%s %%x %%@d\n", @c);
  printa("mutex errno %%x %%d %%@d\n", @errors); printa("mutex again %%x %%@d\n", @again); printa("mutex owner %%x %%d %%@d\n", @owners);
  printa("mutex got %%x %%d %%@d\n", @got); printa("rw owner %%d %%d %%@d\n", @rwowners); printa("rw errno %%d %%d %%@d\n", @rwerrors);
  printa("held %%x %%d %%@d\n", @held); printa("waited %%x %%@d\n", @waited);
}
"""


def printed(text):
    """What the program says: {(event, address): count}, and its times of the contended mutex."""
    known, times = {}, None
    for words in (line.split() for line in text.splitlines()):
        if words[0] == "contended":
            times = int(words[1], 16), int(words[2]), int(words[3])
        else:
            known[(words[0] + "-" + words[1], int(words[2], 16))] = int(words[3])
    return known, times


def counted(text, addresses):
    """What sonde says of these locks."""
    found = {}
    for words in (line.split() for line in text.splitlines()):
        if words and words[0].startswith(("mutex-", "cond-", "rw-")):
            event, address = words[0], int(words[-2], 16)
            if event.startswith("rw-"):
                event = f"rw{words[1]}-{event[3:]}"
            if address in addresses:
                found[(event, address)] = int(words[-1])
    return found


def of(text, begin, address=None):
    """The rows that begin with these words, as numbers: [[..], ..]."""
    rows = []
    for line in text.splitlines():
        if line.startswith(begin + " "):
            words = line.removeprefix(begin + " ").split()
            if address is None or int(words[0], 16) == address:
                rows.append([int(word) for word in words[0 if address is None else 1:]])
    return sorted(rows)


def split(text):
    """The program's lines, and sonde's."""
    lines = text.splitlines()
    own = [line for line in lines if line.split()[:1] and line.split()[0] in ("mutex", "rw0", "rw1", "cond", "contended") and "0x" in line]
    return "\n".join(own), "\n".join(line for line in lines if line not in own)


def compare(text, full=True):
    own, ours = split(text)
    known, times = printed(own)
    addresses = {address for _, address in known}
    check(len(known) > 7, f"the program has said what it did: {own!r}")
    # Whether those that fill a queue wait for each other depends on time.
    found = {key: count for key, count in counted(ours, addresses).items() if key[0] not in ("mutex-block", "mutex-blocked") or key in known}
    equal(found, known, "what each lock has seen")
    if not full:
        return
    contended, held, waited = times
    kinds = {address: {event: count for (event, at), count in known.items() if at == address} for address in addresses}
    timed = next(address for address, events in kinds.items() if events.get("mutex-error") == 3)
    recursive = next(address for address, events in kinds.items() if events.get("mutex-error") == 1)
    checked = next(address for address, events in kinds.items() if events.get("mutex-error") == 2)
    equal(of(ours, "mutex errno", timed), [[16, 1], [110, 2]], "EBUSY of trylock, ETIMEDOUT of timedlock and clocklock")
    equal(of(ours, "mutex errno", recursive), [[1, 1]], "EPERM of unlock")
    equal(of(ours, "mutex errno", checked), [[1, 1], [35, 1]], "EPERM and EDEADLK")
    equal(of(ours, "mutex again", recursive), [[2]], "taken again by the thread that has it")
    equal(of(ours, "mutex owner", contended), [[1, 5]], "the first thread has it")
    equal(of(ours, "mutex got", contended), [[1, 5]], "all waits end with the mutex")
    equal(of(ours, "mutex got", timed), [[0, 2]], "no wait ends with it")
    equal(of(ours, "rw owner"), [[0, 1, 1], [1, 0, 1]], "a reader waits for the first thread; a writer for readers, who have no name")
    equal(of(ours, "rw errno"), [[0, 35, 1], [1, 16, 1]], "EDEADLK of a reader, EBUSY of a writer")
    # Sonde's time of holding contains the program's, and its time of waiting is contained in it.
    seen_held = sum(row[-1] for row in of(ours, "held", contended) if row[0] == 1)
    seen_waited = of(ours, "waited", contended)[0][0]
    check(held <= seen_held <= held + 10**9, f"held {held} ns, sonde says {seen_held}")
    check(5 * 30 * 10**6 <= seen_waited <= waited, f"waited {waited} ns, sonde says {seen_waited}")


def traced(world, *options, provider="plockstat$target"):
    program = world.program("locks")
    return world.sonde("-q", *options, "-c", program, "-n", COUNTED % {"p": provider})


@scenario(short=True)
def plockstat_counts_what_the_program_knows(world):
    result = traced(world)
    compare(result.stdout)
    check("error on" not in result.stderr and "drops" not in result.stderr, result.stderr)


@scenario()
def plockstat_of_all_processes(world):
    """plockstat* counts the same."""
    compare(traced(world, provider="plockstat*").stdout)


@scenario()
def plockstat_stock(world):
    """The same by programs of a stock kernel."""
    need_it(world)
    compare(traced(world, *BPF).stdout)


@scenario()
def plockstat_attached(world):
    """The same of a process that runs already."""
    gate = world.path("gate")
    os.mkfifo(gate)
    program = world.start([world.program("locks"), gate])
    wait_until(lambda: pathlib.Path(f"/proc/{program.pid}/wchan").read_text() == "wait_for_partner", what="the program waits")
    sonde = world.start_sonde("-q", "-p", program.pid, "-n", COUNTED % {"p": f"plockstat{program.pid}"})
    wait_until(lambda: attached_to(sonde, program.pid) and at_rest(sonde), what="it is traced")
    with open(gate, "wb"):
        pass
    own = world.finish(program).stdout
    compare(own + world.finish(sonde).stdout)


@scenario()
def plockstat_static_program(world):
    """glibc's functions in the program itself."""
    program = world.program("locks", "-static")
    compare(world.sonde("-q", "-c", program, "-n", COUNTED % {"p": "plockstat$target"}).stdout)


@scenario()
def plockstat_of_cpp(world):
    """Mutexes of the C++ library, of a program and of a library that python3 opens later."""
    result = world.sonde("-q", "-c", world.program("std_locks"), "-n", COUNTED % {"p": "plockstat$target"})
    compare(result.stdout, full=False)
    library = world.program("std_locks", "-DLIBRARY", "-shared", "-fPIC")
    job = world.path("job.py", f"import ctypes\nctypes.CDLL('{library}').use_locks()\n")
    result = world.sonde("-q", "-c", f"/usr/bin/python3 {job}", "-n", COUNTED % {"p": "plockstat$target"})
    compare(result.stdout, full=False)


@scenario()
def plockstat_of_python(world):
    """The lock of python3's interpreter is a mutex and a condition: what threads take they let go, and all waits end."""
    job = world.path("job.py", "import threading\ndef work():\n  for n in range(30000): pass\nthreads = [threading.Thread(target=work) for n in range(4)]\n"
                     "for t in threads: t.start()\nfor t in threads: t.join()\n")
    result = world.sonde("-q", "-c", f"/usr/bin/python3 {job}", "-n", COUNTED % {"p": "plockstat$target"})
    found = collections.defaultdict(int)
    for words in (line.split() for line in result.stdout.splitlines()):
        if words and words[0].startswith(("mutex-", "cond-")):
            found[words[0]] += int(words[-1])
    check(found["mutex-acquire"] > 50, f"the interpreter takes its mutex: {dict(found)}")
    equal(found["mutex-acquire"], found["mutex-release"], "what is taken is let go")
    equal(found["cond-wait"], found["cond-waited"], "waits on conditions")
    equal(found["mutex-error"], 0, "errors")
    check("error on" not in result.stderr, result.stderr)


@scenario()
def plockstat_says_what_it_has(world):
    """Types and names of arguments; what glibc does not tell; whose provider it is."""
    listed = world.sonde("-l", "-v", "-n", "plockstat$target:::mutex-acquire, plockstat$target:::rw-blocked", "-c", "/bin/true").stdout
    for text in ("args[0]: void * mutex", "args[1]: int recursive", "args[2]: int spins", "args[0]: void * rwlock", "args[1]: int writer", "args[2]: int acquired"):
        check(text in listed, f"{text}: {listed}")
    for description, why in (("plockstat$target:::mutex-spin", "plockstat:::mutex-spin is not available: glibc counts no spins"),
                             ("plockstat:::mutex-acquire", "each process has a plockstat of its own"),
                             ("plockstat0:::mutex-acquire", "'plockstat0' does not contain a valid pid"),
                             ("plockstat1:::mutex-acquire", "process 1 is not traced: add -p 1")):
        result = world.sonde("-n", description + " {}", "-c", "/bin/true", status=1)
        check(why in result.stderr, f"{description}: {result.stderr}")
    result = world.sonde("-n", "plockstat$target:::mutex-acquire { trace(arg0); } pid$target:libc:malloc:entry, plockstat$target:::mutex-block { trace(arg0); }",
                         "-c", "/bin/true", status=1)
    check("it is computed for some probes of the clause, and passed to others" in result.stderr, result.stderr)


@scenario()
def script_plockstat(world):
    """A script as the command plockstat had it: holds and waits of each lock, by count and time."""
    result = world.sonde("-s", IN_USE / "plockstat.d", "-c", world.program("locks"))
    own, ours = split(result.stdout)
    known, (contended, held, waited) = printed(own)
    rows = {tuple(words[:-2]): [int(word) for word in words[-2:]] for words in (line.split() for line in ours.splitlines()) if words and words[0] != "error"}
    recursive = next(address for (event, address), count in known.items() if event == "mutex-error" and count == 1)
    for (event, address), count in known.items():
        if event == "mutex-release":
            equal(rows["hold", f"{address:x}"][0], count if address != recursive else 1, f"holds of {address:x}")
    equal(rows["block", f"{contended:x}"][0], 5, "waits")
    check(5 * 30 * 10**6 <= rows["block", f"{contended:x}"][1] <= waited, f"waited {waited} ns, the script says {rows}")
    check(held <= rows["hold", f"{contended:x}"][1] <= held + 10**9, f"held {held} ns, the script says {rows}")
    lock = next(address for event, address in known if event == "rw0-acquire")
    equal([rows["rwhold", f"{lock:x}", how][0] for how in "RW"], [12, 6], "holds to read, of which one thread has two at once, and to write")
    equal([rows["rwblock", f"{lock:x}", how][0] for how in "RW"], [1, 1], "waits to read and to write")
