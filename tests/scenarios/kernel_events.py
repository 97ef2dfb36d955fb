# SPDX-License-Identifier: GPL-3.0-or-later
"""Events of a CPU (cpc), against programs that know how many they made."""

import ctypes
import os
import re
import resource

from kernel_counters import PAGES
from kernel_probes import rows, traced
from plugins import is_guests
from stock_kernel import need_it
from support import Skip, check, equal, scenario

WHERE = """
def faults():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return [usage.ru_minflt, usage.ru_majflt, usage.ru_nvcsw + usage.ru_nivcsw]
import resource
"""
SOURCE = ("-x", "source=bpf")


def counted(world, program, clauses):
    need_it(world)
    out, said = traced(world, program, clauses, *SOURCE)
    return rows(out), said


@scenario()
def kernel_cpc_page_faults(world):
    """Each page fault in user mode fires page_faults-user-1 at the instruction that has it, each in a call page_faults-kernel-1; one in ten fires ...-10."""
    found, _ = counted(
        world, PAGES + """
first, second = fresh(400), fresh(100)
touch("fresh", first)
zero = os.open("/dev/zero", os.O_RDONLY)
name("by-call")
os.readv(zero, [second])
name("between")
said = 0
""", 'cpc:::page_faults-user-1,cpc:::page_faults-kernel-1,cpc:::page_faults-all-1,cpc:::minor_faults-user-1 '
        '/execname == "fresh" || execname == "by-call"/ { @[execname, probename, arg0 != 0, arg1 != 0] = count(); }')
    fresh = found.get(("fresh", "page_faults-user-1", "0", "1"), 0)
    check(400 <= fresh <= 420, f"faults in user mode: {found}")
    equal(found.get(("fresh", "minor_faults-user-1", "0", "1")), fresh, "minor ones")
    call = found.get(("by-call", "page_faults-kernel-1", "1", "0"), 0)
    check(100 <= call <= 110, f"faults in a call: {found}")
    for tag in ("fresh", "by-call"):
        for mode, where in (("user", ("0", "1")), ("kernel", ("1", "0"))):
            equal(found.get((tag, "page_faults-all-1", *where)), found.get((tag, f"page_faults-{mode}-1", *where)), f"{tag}: all, and {mode}")
    check(not [key for key in found if ("user" in key[1] and key[2] == "1") or ("kernel" in key[1] and key[3] == "1")], f"modes: {found}")


@scenario()
def kernel_cpc_counts(world):
    """A probe with a count fires once in so many events of a CPU, of all threads together."""
    found, _ = counted(world, PAGES + "os.sched_setaffinity(0, {0})\nmemory = fresh(4000)\ntouch('fresh', memory)\nsaid = 0\n",
                       'cpc:::page_faults-all-1,cpc:::page_faults-all-10 /execname == "fresh"/ { @[probename] = count(); }')
    every, tenth = found[("page_faults-all-1",)], found[("page_faults-all-10",)]
    check(4000 <= every <= 4020 and abs(every / 10 - tenth) <= 12, f"{every} faults, {tenth} tens")


@scenario()
def kernel_cpc_switches(world):
    """context_switches fires as often as the kernel counts for the thread."""
    found, said = counted(
        world, WHERE + "before = faults()\nname('sleeps')\nfor n in range(100):\n    time.sleep(0.001)\nname('between')\nsaid = faults()[2] - before[2]\n",
        'cpc:::context_switches-all-1 /execname == "sleeps"/ { @[probename] = count(); }')
    check(said >= 95 and abs(found.get(("context_switches-all-1",), 0) - said) <= 2, f"{said} switches: {found}")


@scenario()
def kernel_cpc_clock(world):
    """cpu_clock takes a sample each millisecond of the CPU that the thread has."""
    found, _ = counted(
        world, "name('burns')\nend = time.process_time() + 0.5\nwhile time.process_time() < end:\n    pass\nname('between')\nsaid = 0\n",
        'cpc:::cpu_clock-all-1000000,cpc:::task_clock-all-1000000 /execname == "burns"/ { @[probename] = count(); }')
    least = 10 if is_guests(world.programs) else 350  # an emulated machine has few interrupts a second
    for event in ("cpu_clock", "task_clock"):
        check(least <= found.get((f"{event}-all-1000000",), 0) <= 600, f"500 samples: {found}")


@scenario()
def kernel_major_faults(world):
    """Pages of a file that are not in memory: each fault that the kernel calls major is one of vminfo:::maj_fault, and of cpc:::major_faults."""
    file = world.path("cold")
    with open(file, "wb") as made:
        made.write(os.urandom(64 * 4096))
        made.flush()
        os.fsync(made.fileno())
        os.posix_fadvise(made.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    found, (pages, minor, major) = counted(
        world, PAGES + WHERE + f"""
file = os.open({str(file)!r}, os.O_RDONLY)
memory = mmap.mmap(file, 0, prot=mmap.PROT_READ)
memory.madvise(mmap.MADV_RANDOM)
before = faults()
name("cold")
for n in range(64):
    memory[n * 4096]
name("between")
after = faults()
said = [64, after[0] - before[0], after[1] - before[1]]
""", 'vminfo:::maj_fault /execname == "cold"/ { @[probename] = sum(arg0); } cpc:::major_faults-all-1 /execname == "cold"/ { @[probename] = sum(1); }')
    if major == 0:
        raise Skip("this file system keeps its pages in memory")
    check(major > pages / 4, f"{pages} cold pages: {major} major faults, {minor} minor ones")
    for probe in ("maj_fault", "major_faults-all-1"):
        check(abs(found.get((probe,), 0) - major) <= 1, f"{probe}: {major} of the kernel: {found}")


def has_processor_counter():
    """Whether perf_event_open(2) opens a counter of cycles on CPU 0."""
    attributes = (ctypes.c_uint32 * 32)(0, 128)
    attributes[10] = 1  # disabled
    descriptor = ctypes.CDLL(None, use_errno=True).syscall(298, attributes, -1, 0, -1, 0)
    if descriptor >= 0:
        os.close(descriptor)
    return descriptor >= 0


@scenario()
def kernel_cpc_processor(world):
    """Events of the processor fire where it has counters, and are refused with the reason where it has none."""
    need_it(world)
    if has_processor_counter():
        found, _ = counted(world, "name('burns')\nend = time.process_time() + 0.3\nwhile time.process_time() < end:\n    pass\nsaid = 0\n",
                           'cpc:::cpu_cycles-user-1000000,cpc:::instructions-user-1000000 /execname == "burns"/ { @[probename, arg0 != 0, arg1 != 0] = count(); }')
        check(found.get(("cpu_cycles-user-1000000", "0", "1"), 0) > 50, f"cycles: {found}")
        return
    result = world.sonde(*SOURCE, "-n", "cpc:::cpu_cycles-all-1000000", status=1)
    check(re.search(r"cpu_cycles-all-1000000 is not available: this machine shows no counter of its processor .*profile-997", result.stderr), result.stderr)


@scenario()
def kernel_cpc_refuses_by_name(world):
    need_it(world)
    for probe, said in (("page_faults", "EVENT-MODE-COUNT"), ("nosuch-all-1", "there is no event nosuch here; these are: alignment_faults,"), ("page_faults-idle-1", "user, kernel or all"),
                        ("page_faults-all-0", "a number from 1 on"), ("cpu_clock-all-1000", "a number from 200000 on"), ("cpu_cycles-all-100", "a number from 5000 on"),
                        ("page_faults-all-1x", "a number from 1 on")):
        result = world.sonde(*SOURCE, "-n", f"cpc:::{probe}", status=1)
        check(said in result.stderr, f"{probe}: {result.stderr}")
    for source, options in (("ptrace", ("-c", "true")), *([("kmod", ())] if os.path.exists("/dev/sonde") else [])):
        for probe in ("cpc:::page_faults-all-1", "vminfo:::maj_fault"):
            result = world.sonde("-x", f"source={source}", *options, "-n", probe, status=None)
            check(result.status != 0 and "bpf" in result.stderr, f"{source}: {probe}: {result.stderr}")
    listed = {line.split()[-1] for line in world.sonde("-l", "-P", "cpc").stdout.splitlines()[1:]}
    check({"page_faults-all-1", "cpu_clock-all-10000000", "context_switches-all-1"} <= listed, f"listed: {listed}")
