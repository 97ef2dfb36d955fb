# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole machine without the module: programs in a stock kernel. As root, where the kernel takes them."""

import ctypes
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess

from attach import expect_right, let_work, start_worker
from counts import COUNT_ALL, ROOM, expected
from doctor import deny_ptrace
from support import PROGRAMS, Skip, check, counts, equal, scenario, wait_until

SOURCE = ("-x", "source=bpf")
SYS_BPF, GET_FD_BY_ID = 321, 13


def need_it(world):
    """Skips where the source does not work, with what doctor says of it."""
    said = {one["name"]: one for one in json.loads(world.sonde("doctor", "--json", status=None).stdout)["findings"]}["bpf"]
    if said["state"] != "works":
        raise Skip(f"no programs in this kernel: {said['text']}")


def bpf_ids(sonde):
    """The ids of this sonde's programs in the kernel, and to how many tracepoints they are attached."""
    ids, attached = set(), 0
    try:
        for info in pathlib.Path(f"/proc/{sonde.pid}/fdinfo").iterdir():
            text = info.read_text()
            ids |= {int(one) for one in re.findall(r"^prog_id:\t(\d+)$", text, re.M)}
            attached += "tp_name:" in text
    except OSError:
        pass
    return ids, attached


def is_loaded(program):
    """Whether the kernel has a program of that id."""
    libc = ctypes.CDLL(None, use_errno=True)
    attributes = (ctypes.c_uint32 * 32)(program)
    fd = libc.syscall(SYS_BPF, GET_FD_BY_ID, ctypes.byref(attributes), 128)
    if fd >= 0:
        os.close(fd)
    return fd >= 0


def apart(world, program):
    """A copy of the program by a name that no other process of the machine has."""
    return shutil.copy(program, world.path(f"{pathlib.Path(program).name[:5]}-{world.marker[:8]}"))


def start_tracing(world, *arguments, source=SOURCE, hooks=1):
    """Starts sonde without a target; returns when it traces."""
    sonde = world.start_sonde("-q", *source, *ROOM, *arguments)
    wait_until(lambda: bpf_ids(sonde)[1] == hooks or sonde.poll() is not None, what="sonde's start")
    return sonde


def stop_tracing(world, sonde):
    sonde.send_signal(signal.SIGINT)
    result = world.finish(sonde)
    equal(result.status, 0, f"exit status, {result.stderr}")
    return result


def check_ledger(counted, wanted, stderr, what):
    """What was counted, and what is reported as dropped, is all."""
    dropped = sum(int(n) for n in re.findall(r"(\d+) drops? on CPU", stderr))
    equal(counted + dropped, wanted, f"{what}: counted {counted}, dropped {dropped}, wanted {wanted}")


@scenario(alone=True)
def stock_kernel_counts_exactly(world):
    """Ten runs of a known program, each call counted, while other programs run; auto takes the same source. Alone: the program executes itself
    by the name exe, and so it does in other scenarios."""
    need_it(world)
    worker, program = start_worker(world), apart(world, world.program("calls"))
    for run in range(10):
        sonde = start_tracing(world, "-n", COUNT_ALL, source=SOURCE if run % 2 or os.path.exists("/dev/sonde") else ())
        wanted = expected(world.run([program]).stdout)
        let_work(worker)
        result = stop_tracing(world, sonde)
        found = counts(result.stdout)
        seen = {call: sum(found.get((name, call), 0) for name in (os.path.basename(program), "exe")) for call in wanted}
        equal(seen, wanted, f"counts of run {run}, {result.stderr}")
        check(found.get(("worker", "getppid"), 0) >= 200, "the others are not there")
    expect_right(world, worker)


@scenario()
def stock_kernel_sees_all_who_share_a_cpu(world):
    """Linux 7 takes the CPU from a thread within the program of a raw tracepoint, and runs it for nobody else there meanwhile."""
    need_it(world)
    program = apart(world, world.program("mixed"))
    name = os.path.basename(program)
    cpu = str(max(os.sched_getaffinity(0)))
    sonde = start_tracing(world, "-n", f'syscall::getppid:entry, syscall::getppid:return /execname == "{name}"/ {{ @[probename] = count(); }}', hooks=2)
    all_of_them = [world.start(["taskset", "-c", cpu, program, 100000]) for _ in range(6)]
    for one in all_of_them:
        equal(world.finish(one).status, 0, "the program's status")
    result = stop_tracing(world, sonde)
    equal(counts(result.stdout), {"entry": 600000, "return": 600000}, f"calls, {result.stderr}")
    equal(result.stderr, "", "what sonde reports")


@scenario()
def stock_kernel_begins_with_begin(world):
    """What BEGIN sets, each record finds, although calls are made while the taps are put in."""
    need_it(world)
    worker = start_worker(world)
    script = "int begun; BEGIN { begun = 1; } syscall::: /execname == \"worker\"/ { printf(\"%d\\n\", begun); } tick-100ms { exit(0); }"
    for _ in range(4):
        lines = world.sonde("-q", *SOURCE, "-n", script).stdout.split()
        check(set(lines) == {"1"}, f"{lines.count('0')} records of {len(lines)} were before BEGIN")
    expect_right(world, worker)


@scenario()
def stock_kernel_names_stacks_of_ended_programs(world):
    """sonde stands still while the program forks, executes another and ends: its records are read when nothing is left of it but its file."""
    need_it(world)
    for how, flags in (("as gcc links", ()), ("text in the first segment", ("-Wl,-z,noseparate-code",)), ("at a fixed address", ("-no-pie",))):
        program = world.path(f"brief-{os.getpid()}")
        subprocess.run(["gcc", "-O1", "-fomit-frame-pointer", *flags, "-o", program, PROGRAMS / "brief.c"], check=True)
        name = os.path.basename(program)[:15]
        sonde = start_tracing(world, "-n", f'syscall::getppid:entry /execname == "{name}" || execname == "exe"/ {{ @[ustack()] = count(); }}')
        sonde.send_signal(signal.SIGSTOP)
        for _ in range(3):
            world.run([program])
        sonde.send_signal(signal.SIGCONT)
        text = stop_tracing(world, sonde).stdout
        for caller in ("of_child", "of_first", "of_last"):
            stacks = re.findall(rf"libc.so.6`syscall\+0x[0-9a-f]+\s+{os.path.basename(program)}`{caller}\+0x[0-9a-f]+\s+{os.path.basename(program)}`main\+0x", text)
            equal(len(stacks), 3, f"{how}: stacks of {caller}, {text}")
        os.remove(program)


@scenario()
def stock_kernel_returns_and_thread_variables(world):
    """What an entry stores in a thread, the return finds; each return has its result."""
    need_it(world)
    program = apart(world, world.program("mixed"))
    name, cat = os.path.basename(program), apart(world, shutil.which("cat"))
    sonde = start_tracing(
        world, "-n", f"syscall::getppid:entry /execname == \"{name}\"/ {{ self->at = timestamp; this->is = 1; @entries = count(); }} "
        "syscall::getppid:return /self->at/ { @[execname] = count(); @right[arg0 == ppid && errno == 0 && timestamp >= self->at] = count(); self->at = 0; } "
        f"syscall::openat:return /execname == \"{os.path.basename(cat)}\" && errno != 0/ {{ @failed[errno, (int)arg0] = count(); }}", hooks=2)
    if sonde.poll() is not None and "keeps no self-> variables" in (said := world.finish(sonde).stderr):
        raise Skip(f"no self-> variables in this kernel: {said}")
    world.run([program, 1000])
    world.run([cat, "/no such file"])
    out = stop_tracing(world, sonde).stdout
    check(re.search(r"^ +1000$", out, re.M), f"entries: {out}")
    check(re.search(rf"^  {name} +1000$", out, re.M), f"returns: {out}")
    check(re.search(r"^ +1 +1000$", out, re.M), f"results: {out}")
    check(re.search(r"^ +2 +-1 +1$", out, re.M), f"the call that failed: {out}")


@scenario()
def stock_kernel_takes_many_clauses_of_a_probe(world):
    """They are programs that go on in each other. A later one must load where the one before has a record, and where a predicate jumps
    to its end before it has room for one."""
    need_it(world)
    byte = "*(uint8_t *)copyin(arg1, 1)"  # of what deeds.c has read: an a, 97
    forms = {"": 3, "/self->on/": 3, "/self->on && arg2 > 10/": 0, f"/self->on && {byte} == 97/": 3, f"/self->on && {byte} == 98/": 0,
             f"/ {byte} == 97/": 3, f"/self->on || {byte} == 98/": 3, f"/(self->on ? {byte} : 1) == 97/": 3}
    program = apart(world, world.program("deeds"))
    name = os.path.basename(program)[:15]
    for count in (11, 12, 13, 25, 60):
        predicates = [list(forms)[n % len(forms)] for n in range(count)]
        clauses = [f"syscall::write:entry {predicate} {{ @[{n}, execname] = sum(arg2); trace(arg2); }}" for n, predicate in enumerate(predicates)]
        script = f'syscall::write:entry /execname == "{name}"/ {{ self->on = 1; }} {" ".join(clauses)} syscall::write:return {{ self->on = 0; }}'
        sonde = start_tracing(world, "-n", script, hooks=2)
        if sonde.poll() is not None and "keeps no self-> variables" in (said := world.finish(sonde).stderr):
            raise Skip(f"no self-> variables in this kernel: {said}")
        world.run([program, f"open:{world.path('text', 'a' * 10)}", "read:10", "close", f"creat:{world.path('made')}", "write:10:3"])
        out = stop_tracing(world, sonde).stdout
        found = {int(n): int(total) // 10 for n, total in re.findall(rf"^ +(\d+) +{re.escape(name)} +(\d+)$", out, re.M)}
        equal(found, {n: forms[predicate] for n, predicate in enumerate(predicates) if forms[predicate]}, f"{count} clauses")


@scenario()
def stock_kernel_reads_texts(world):
    need_it(world)
    cat = apart(world, shutil.which("cat"))
    file = world.path("with a name", "text\n")
    sonde = start_tracing(world, "-n", f'syscall::openat:entry /execname == "{os.path.basename(cat)}"/ {{ printf("<%s %d>", copyinstr(arg1), pid == tid); }}')
    equal(world.run([cat, file]).stdout, "text\n", "what cat prints")
    check(f"<{file} 1>" in stop_tracing(world, sonde).stdout, f"{world.last.stdout}")


@scenario()
def stock_kernel_in_order(world):
    """Records of two programs that run at the same time come by time."""
    need_it(world)
    program = apart(world, world.program("mixed"))
    name = os.path.basename(program)
    sonde = start_tracing(world, "-n", f'syscall::getppid:entry /execname == "{name}"/ {{ printf("%d %d\\n", timestamp, pid); }}')
    both = [world.start([program, 3000]) for _ in range(2)]
    for one in both:
        equal(world.finish(one).status, 0, "the program's status")
    found = [line.split() for line in stop_tracing(world, sonde).stdout.splitlines() if line]
    times = [int(time) for time, _pid in found]
    equal(times, sorted(times), "order")
    equal({pid: sum(p == pid for _t, p in found) for _t, pid in found}, {str(one.pid): 3000 for one in both}, "records")


@scenario()
def stock_kernel_ledger_at_overload(world):
    """Far more than the rings hold: what is counted and what is reported as dropped is what was done."""
    need_it(world)
    program = apart(world, world.program("mixed"))
    name = os.path.basename(program)
    sonde = world.start_sonde("-q", *SOURCE, "-b", "4k", "-x", "switchrate=1s", "-n", f'syscall::getppid:entry /execname == "{name}"/ {{ if (1) @ = count(); }}')  # an if: a record a call
    wait_until(lambda: bpf_ids(sonde)[1], what="sonde's start")
    both = [world.start([program, 200000]) for _ in range(2)]
    for one in both:
        equal(world.finish(one).status, 0, "the program's status")
    result = stop_tracing(world, sonde)
    counted = int(result.stdout.split()[-1])
    check_ledger(counted, 400000, result.stderr, "both")
    check(counted > 0, "nothing was counted")


@scenario()
def stock_kernel_leaves_its_own_calls_out(world):
    need_it(world)
    sonde = start_tracing(world, "-n", "syscall:::entry, syscall:::return { @[pid == $pid] = count(); }", hooks=2)
    world.run([world.program("mixed"), 1000])
    found = counts(stop_tracing(world, sonde).stdout)
    equal(set(found), {"0"}, f"{found}")


@scenario()
def stock_kernel_killed_leaves_nothing(world):
    """SIGKILL: the programs are gone within a second, and what runs runs on."""
    need_it(world)
    worker = start_worker(world)
    for _ in range(3):
        sonde = start_tracing(world, "-n", "syscall:::entry, syscall:::return { @[execname, probefunc] = count(); }", hooks=2)
        ids, _attached = bpf_ids(sonde)
        check(len(ids) >= 4 and all(is_loaded(one) for one in ids), f"programs {ids}")
        sonde.kill()
        sonde.wait()
        wait_until(lambda: not any(is_loaded(one) for one in ids), seconds=1, what="programs to go")
        let_work(worker)
    expect_right(world, worker)


@scenario()
def stock_kernel_refuses_by_name(world):
    """What the source cannot do, and which source can."""
    need_it(world)
    for clause, said in (("syscall::read:entry { x = arg1; trace(copyinstr(x)); }", "its thread would have to wait"),
                         ("syscall::read:entry { raise(arg0); }", "its thread would have to wait"),
                         ('syscall::read:entry /strlen(probefunc) == 4/ { stop(); }', "its thread would have to wait"),
                         ("syscall::read:entry { stop(); chill(1000); }", "its thread would have to wait")):
        result = world.sonde("-w", *SOURCE, "-n", clause, status=1)
        check(said in result.stderr and "source can" in result.stderr, f"{clause}: {result.stderr}")
    result = world.sonde(*SOURCE, "-n", "syscall:::entry", "-c", "true", status=1)
    check("traces functions and the kernel only" in result.stderr, result.stderr)


@scenario()
def stock_kernel_and_permissions(world):
    """An ordinary user is told what lacks; three capabilities suffice."""
    need_it(world)
    program = apart(world, world.program("mixed"))
    name = os.path.basename(program)
    user = world.as_user()
    result = user.sonde(*SOURCE, "-n", COUNT_ALL, status=1)
    check("CAP_BPF, CAP_PERFMON, CAP_SYS_PTRACE" in result.stderr, result.stderr)
    result = user.sonde("-n", "syscall:::entry", status=1)
    check("name one by -c or -p" in result.stderr and "CAP_BPF" in result.stderr, result.stderr)
    if not shutil.which("setpriv"):
        raise Skip("no setpriv: util-linux")
    three = "+bpf,+perfmon,+sys_ptrace"
    as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    script = f'syscall::getppid:entry /execname == "{name}"/ {{ @ = count(); }}'
    sonde = world.start([*as_nobody, f"--inh-caps={three}", f"--ambient-caps={three}", world.binary, "-q", *SOURCE, "-n", script])
    wait_until(lambda: bpf_ids(sonde)[1] or sonde.poll() is not None, what="sonde's start")
    world.run([program, 500])
    equal(stop_tracing(world, sonde).stdout.split(), ["500"], "counts")
    result = world.run([*as_nobody, "--inh-caps=+bpf,+perfmon", "--ambient-caps=+bpf,+perfmon", world.binary, *SOURCE, "-n", script])
    check(result.status == 1 and "has CAP_SYS_PTRACE" in result.stderr, f"without CAP_SYS_PTRACE: {result.status}, {result.stderr}")


@scenario()
def stock_kernel_under_a_filter_that_denies_bpf(world):
    """As in a container: root has every right, and the kernel takes no program all the same."""
    need_it(world)
    filtered = {"preexec_fn": lambda: deny_ptrace(SYS_BPF)}
    said = {one["name"]: one for one in json.loads(world.sonde("doctor", "--json", status=None, **filtered).stdout)["findings"]}["bpf"]
    equal(said["state"], "lacks", "what doctor says")
    check("operation not permitted" in said["text"], said["text"])
    if not os.path.exists("/dev/sonde"):
        result = world.sonde("-n", "syscall:::entry", status=1, **filtered)
        check("name one by -c or -p" in result.stderr and "takes no programs" in result.stderr, result.stderr)
