# SPDX-License-Identifier: GPL-3.0-or-later
"""What the kernel counts (vminfo, sysinfo), against programs that know how much of it they did. With the module, or without it."""

import os
import pathlib
import re
import signal

from kernel_probes import rows, traced
from stock_kernel import need_it
from support import check, equal, scenario, wait_until

TOP = pathlib.Path(__file__).resolve().parents[2]

# A page of 4 KiB each; the kernel must not make huge ones of them.
PAGES = """
import mmap
def fresh(pages):
    memory = mmap.mmap(-1, pages * 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    memory.madvise(mmap.MADV_NOHUGEPAGE)
    return memory
def touch(tag, memory):
    name(tag)
    for n in range(len(memory) // 4096):
        memory[n * 4096] = 1
    name("between")
def in_child(work):
    child = os.fork()
    if child == 0:
        work()
        os._exit(0)
    os.waitpid(child, 0)
"""


def counted(world, program, probes, *options):
    """By (execname, probe): the sum of arg0, which args[0] is, too; there is no arg1."""
    out, said = traced(
        world, program, f'{probes} {{ @[execname, probename] = sum(arg0); @others = sum(args[0] - arg0 + arg1); }} '
        'END { printa("others %@d\\n", @others); printa("%s %s %@d\\n", @); }', *options)
    found = rows(out)
    equal(found.pop(("others",)), 0, "args[0] less arg0, and arg1")
    return found, said


def near(found, key, wanted, more, said):
    """The interpreter's own work may add some."""
    check(wanted <= found.get(key, 0) <= wanted + more, f"{key}: {wanted} and at most {more}: {said}")


@scenario(short=True)
def kernel_vminfo_fresh_pages(world):
    """Each fresh page is a fault and a page of zeros, also where a call touches it; again touched, it is neither."""
    found, _ = counted(
        world, PAGES + """
first, second = fresh(400), fresh(100)
touch("fresh", first)
touch("again", first)
zero = os.open("/dev/zero", os.O_RDONLY)
name("by-call")
os.readv(zero, [second])
name("between")
said = 0
""", "vminfo:::as_fault,vminfo:::zfod,vminfo:::cow_fault,vminfo:::prot_fault")
    for probe in ("as_fault", "zfod"):
        near(found, ("fresh", probe), 400, 20, found)
        near(found, ("by-call", probe), 100, 20, found)
        near(found, ("again", probe), 0, 20, found)
    for tag in ("fresh", "again", "by-call"):
        near(found, (tag, "cow_fault"), 0, 10, found)


@scenario(short=True)
def kernel_vminfo_copies(world):
    """Each page that is copied after a fork is a fault of protection and a copy; one that has no other owner is a fault and no copy, and what a call then puts into
    a file in memory is none either."""
    found, _ = counted(
        world, PAGES + """
memory, left, small = fresh(300), fresh(200), fresh(80)
for one in (memory, left, small):
    touch("between", one)
zero = os.open("/dev/zero", os.O_RDONLY)
def child():
    touch("copies", memory)
    touch("own", memory)
    name("by-call")
    os.readv(zero, [small])
    name("between")
in_child(child)
file, data = os.memfd_create("file"), b"x" * (120 * 4096)
name("alone")
for n in range(200):
    left[n * 4096] = 2
os.write(file, data)
name("between")
said = 0
""", "vminfo:::cow_fault,vminfo:::prot_fault")
    for probe in ("cow_fault", "prot_fault"):
        near(found, ("copies", probe), 300, 30, found)
        near(found, ("own", probe), 0, 20, found)
        near(found, ("by-call", probe), 80, 20, found)
    check(found.get(("alone", "prot_fault"), 0) >= 200, f"faults of the only owner: {found}")
    near(found, ("alone", "cow_fault"), 0, 40, found)


@scenario()
def kernel_vminfo_of_the_kernel(world):
    """A read of the page before a thread's kernel stack, which is never there, is a fault of the kernel on its own memory."""
    need_it(world)
    ready = world.path("ready")
    pathlib.Path(ready).touch()
    reader = world.start_sonde("-q", "-x", "source=bpf", "-o", ready, "-n",
                               'BEGIN { printf("armed\\n"); } rawtp:::sys_enter /execname == "guards" && arg1 == 110/ { trace(*(int *)((char *)curthread->stack - 64)); }')
    wait_until(lambda: "armed" in pathlib.Path(ready).read_text() or reader.poll() is not None, what="the reader's start")
    out, _ = traced(world, "name('guards')\nfor n in range(50):\n    os.getppid()\nname('between')\nsaid = 0\n",
                    'vminfo:::kernel_asflt /execname == "guards"/ { @[probename] = sum(arg0); }')
    reader.send_signal(signal.SIGINT)
    told = world.finish(reader).stderr
    check("invalid address" in told, f"the reader read: {told}")
    equal(rows(out).get(("kernel_asflt",)), 50, f"faults: {out}")


def of_part(found, part):
    """What the program did under that name. Other programs of the machine may have blanks in theirs."""
    return {key[1]: number for key, number in found.items() if key[0] == part and len(key) == 2}


@scenario(short=True)
def kernel_sysinfo_calls(world):
    """Reads and writes with their bytes, forks, vforks, execs, threads, messages and semaphores of a known number."""
    found, _ = counted(
        world, """
import threading
r, w = os.pipe()
file = os.open("/proc/self/exe", os.O_RDONLY)
queue, semaphore = libc.msgget(0, 0o600), libc.semget(0, 1, 0o600)
message = ctypes.create_string_buffer(b"\\x01" + bytes(7) + b"text", 64)
raise_it = ctypes.create_string_buffer(b"\\x00\\x00\\x01\\x00\\x00\\x00", 6)
def wait(child):
    os.waitpid(child, 0)
name("calls")
for n in range(70):
    os.write(w, b"x" * 37), os.read(r, 100)
for n in range(20):
    os.writev(w, [b"y" * 10, b"z" * 3]), os.readv(r, [bytearray(13)])
for n in range(11):
    os.pread(file, 64, 0), os.preadv(file, [bytearray(32)], 0)
try:
    os.write(r, b"no")
except OSError:
    pass
for n in range(9):
    libc.msgsnd(queue, message, 4, 0), libc.msgrcv(queue, message, 4, 0, 0)
for n in range(6):
    libc.semop(semaphore, raise_it, 1)
for n in range(12):
    child = os.fork()
    if child == 0:
        os._exit(0)
    wait(child)
name("spawns")
for n in range(5):
    wait(os.posix_spawn("/bin/true", ["true"], {}))
name("threads")
for n in range(8):
    thread = threading.Thread(target=int)
    thread.start(), thread.join()
name("between")
libc.msgctl(queue, 0, None), libc.semctl(semaphore, 0, 0)
said = 0
""", ", ".join(f"sysinfo:::{one}" for one in ("sysread", "syswrite", "readch", "writech", "sysfork", "sysvfork", "sysexec", "nthreads", "msg", "sema")))
    calls = of_part(found, "calls")
    equal(calls, {"sysread": 112, "readch": 70 * 37 + 20 * 13 + 11 * 96, "syswrite": 91, "writech": 70 * 37 + 20 * 13, "sysfork": 12, "nthreads": 12, "msg": 18, "sema": 6},
          "what the program did")
    spawned = of_part(found, "spawns")
    equal({one: spawned.get(one) for one in ("sysvfork", "sysexec", "sysfork", "nthreads")}, {"sysvfork": 5, "sysexec": 5, "sysfork": None, "nthreads": 5}, "spawned")
    threads = of_part(found, "threads")
    equal({one: threads.get(one) for one in ("nthreads", "sysfork")}, {"nthreads": 8, "sysfork": None}, "threads")


@scenario(short=True)
def kernel_sysinfo_switches(world):
    """Two busy threads on one CPU: each switch is one that the kernel has counted for the thread. The forced ones are those that it calls involuntary, without those
    by sched_yield()."""
    found, (sleeps, forced, yields) = counted(
        world, """
import resource
os.sched_setaffinity(0, {0})
def beside(work):
    child = os.fork()
    while child == 0:
        work()
    return child
def used():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_nvcsw, usage.ru_nivcsw
def during(tag, work):
    before = used()
    name(tag)
    work()
    name("between")
    after = used()
    return [after[0] - before[0], after[1] - before[1]]
def burn():
    end = time.process_time() + 0.3
    while time.process_time() < end:
        pass
def sleep():
    for n in range(80):
        time.sleep(0.001)
def give():
    enough = used()[1] + 150
    while used()[1] < enough:
        os.sched_yield()
busy = beside(int)
said = [during("sleeps", sleep), during("burns", burn)]
os.kill(busy, 9)
gives = beside(os.sched_yield)
said.append(during("yields", give))
os.kill(gives, 9)
""", "sysinfo:::pswitch,sysinfo:::inv_swtch")
    for tag, (own, taken) in (("sleeps", sleeps), ("burns", forced), ("yields", yields)):
        check(abs(found.get((tag, "pswitch"), 0) - own - taken) <= 2, f"{tag}: {own} + {taken} switches: {found}")
    check(sleeps[0] >= 75 and forced[1] >= 5, f"the kernel's counts: {sleeps, forced}")
    for tag, (_, taken) in (("sleeps", sleeps), ("burns", forced)):
        check(abs(found.get((tag, "inv_swtch"), 0) - taken) <= 2, f"{tag}: {taken} forced: {found}")
    check(found.get(("yields", "inv_swtch"), 0) <= yields[1] / 2, f"yields are not forced: {yields}: {found}")


@scenario()
def kernel_sysinfo_idle(world):
    """The idle thread comes when nobody wants the CPU: as often as sched:::off-cpu says that it is the next."""
    out, _ = traced(
        world, "name('idles')\nfor n in range(50):\n    time.sleep(0.002)\nname('between')\nsaid = 0\n",
        'sysinfo:::idlethread /execname == "idles"/ { @["idle"] = sum(arg0); } sched:::off-cpu /execname == "idles" && args[0]->pr_lwpid == 0/ { @["next"] = sum(1); }')
    found = rows(out)
    equal(found.get(("idle",)), found.get(("next",)), f"switches to the idle thread: {out}")


# Each name that DTrace has and sonde has not, with what its message must name.
REFUSED = {
    "sysinfo": {"bread": "io:::start", "bwrite": "io:::start", "procovf": "syscall::clone:return", "namei": "syscall::openat:entry", "trap": "vminfo:::as_fault",
                "xcalls": "rawtp:::csd_queue_cpu", "cpu_ticks_user": "profile-97", "mutex_adenters": "lockstat:::contention-begin", "ufsiget": "syscall::openat:entry"},
    "vminfo": {"pgin": "io:::start", "pgpgin": "io:::start", "anonpgin": "io:::start", "pgout": "io:::start", "pgpgout": "io:::start", "pgrec": "the list of free",
               "scan": "rawtp:::mm_vmscan_lru_isolate", "swapin": "never a process", "softlock": "no tracepoint", "dfree": "rawtp:::mm_vmscan_lru_shrink_inactive"},
}


@scenario(short=True)
def kernel_counters_refuse_by_name(world):
    """Each of DTrace's probes is there or is refused with the nearest question, and the pages have both lists."""
    if not os.path.exists("/dev/sonde"):
        need_it(world)
    for provider, probes in REFUSED.items():
        for probe, said in probes.items():
            result = world.sonde("-n", f"{provider}:::{probe}", status=None)
            check(result.status != 0 and f"{provider}:::{probe} is not available" in result.stderr and said in result.stderr, f"{probe}: {result.stderr}")
        page = (TOP / f"docs/providers/{provider}.md").read_text(encoding="utf-8")
        source = (TOP / f"providers/{provider}/{provider}_provider.cpp").read_text(encoding="utf-8")
        refused = re.findall(r'^ +SONDE_\w+\(\s*"(\w+)"', source.split("kRefused[]")[1], re.M)
        listed = [line.split()[-1] for line in world.sonde("-l", "-P", provider).stdout.splitlines()[1:]]
        check(len(refused) > 20 and len(listed) > 4, f"{provider}: {listed}, {refused}")
        for one in listed + refused:
            check(f"`{one}`" in page, f"{provider}'s page does not name {one}")
    result = world.sonde("-x", "source=ptrace", "-c", "true", "-n", "vminfo:::zfod", status=None)
    check("the kmod or bpf source can" in result.stderr, result.stderr)
