# SPDX-License-Identifier: GPL-3.0-or-later
"""Aggregations in the kernel: clauses that only aggregate write no records, and what they show is what records would have."""

import os
import re
import shutil
import sys

from counts import ROOM
from stock_kernel import SOURCE, apart, bpf_ids, need_it, stop_tracing
from support import Skip, check, equal, scenario, wait_until

# An if keeps a clause from being folded: its records go to sonde, which aggregates.
HELD = "if (1) {{ {} }}"
FUNCTIONS = ("count()", "sum(arg0)", "min(arg0)", "max(arg0)", "avg(arg0 / 1024)", "stddev(arg0 / 65536)", "quantize(arg0)",
             "lquantize((int)arg0, -100, 100, 7)", "quantize((int)arg1, arg1)", "lquantize(arg1, 0, 13)", "sum((unsigned char)arg0 - 3)")
KEYS = ("", "[arg1]", "[execname, probefunc]", "[copyinstr(arg2)]", "[copyinstr(arg2), execname, arg1, copyinstr(arg2, 4)]", "[pid == tid, arg1 > 5, \"a\"]",
        "[execname == \"nobody\" ? 1 : arg1 & 1, probeprov, cpu >= 0, uid]")


def run_and_stop(world, program, script, *arguments, times=10000, options=ROOM):
    """What sonde prints of a program that is traced from its first call to its last."""
    sonde = world.start_sonde("-q", *SOURCE, *options, *arguments, "-n", script)
    wait_until(lambda: bpf_ids(sonde)[1] or sonde.poll() is not None, what="sonde's start")
    equal(world.run([program, times]).status, 0, "the program's status")
    return stop_tracing(world, sonde)


def clause(name, statements):
    return f'syscall::getppid:entry /execname == "{name}"/ {{ {statements} }}'


@scenario()
def folding_is_what_records_say(world):
    """Each function and each kind of key: folded, and as records, the same answer."""
    need_it(world)
    program = apart(world, world.program("wide_arguments"))
    name = os.path.basename(program)
    statements = [f"@f{n}{key} = {function};" for n, (function, key) in
                  enumerate([(function, KEYS[1]) for function in FUNCTIONS] + [("sum(arg0)", key) for key in KEYS])]
    ends = " ".join(f'END {{ printf("f{n}\\n"); printa(@f{n}); }}' for n in range(len(statements)))
    outputs = {}
    for how, form in (("folded", "{}"), ("held", HELD)):
        script = " ".join(clause(name, form.format(one)) for one in statements) + ends
        result = run_and_stop(world, program, script)
        equal(re.findall("drop", result.stderr), [], "drops")
        outputs[how] = result.stdout
    check(len(outputs["held"].splitlines()) > 200, outputs["held"])
    equal(outputs["folded"], outputs["held"], "what is printed")


@scenario()
def folding_needs_no_room(world):
    """Far more events than the smallest ring has room for, ten times: all are counted; several functions in one clause, a variable at the return."""
    need_it(world)
    program = apart(world, world.program("mixed"))
    name = os.path.basename(program)
    both = clause(name, "@ = count(); @s[probefunc] = sum(arg5 ? 1 : 1);")
    for _ in range(10):
        result = run_and_stop(world, program, both, times=20000, options=("-b", "4k"))
        equal(result.stdout.split(), ["20000", "getppid", "20000"], f"counts, {result.stderr}")
        equal(result.stderr, "", "complaints")


@scenario()
def folding_times(world):
    """The time of a call from its entry to its return, as a distribution: each call is in it."""
    need_it(world)
    program = apart(world, world.program("mixed"))
    name = os.path.basename(program)
    sonde = world.start_sonde("-q", *SOURCE, "-b", "4k", "-n", clause(name, "self->at = timestamp;") +
                              "syscall::getppid:return /self->at/ { @[execname] = quantize(timestamp - self->at); @n = count(); @least = min(timestamp - self->at); self->at = 0; }")
    wait_until(lambda: bpf_ids(sonde)[1] == 2 or sonde.poll() is not None, what="sonde's start")
    if sonde.poll() is not None and "keeps no self-> variables" in (said := world.finish(sonde).stderr):
        raise Skip(f"no self-> variables in this kernel: {said}")
    world.run([program, 20000])
    out = stop_tracing(world, sonde).stdout
    equal(sum(int(n) for n in re.findall(r"\|[@ ]* (\d+) *$", out, re.M)), 20000, f"calls in the distribution: {out}")


@scenario()
def folding_snapshots(world):
    """A tick that prints and clears, again and again: what is shown in all is each call, once; two aggregations always agree."""
    need_it(world)
    program = apart(world, world.program("mixed"))
    name = os.path.basename(program)
    script = (clause(name, "@a = count(); @b = sum(1);") +
              'tick-10ms { printa("%@d %@d\\n", @a, @b); clear(@a); clear(@b); } END { printa("%@d %@d\\n", @a, @b); clear(@a); clear(@b); }')
    for run in range(3):
        out = run_and_stop(world, program, script, "-x", "switchrate=10ms", times=100000, options=()).stdout
        pairs = [tuple(map(int, line.split())) for line in out.splitlines() if line.strip()]
        equal(sum(a for a, _b in pairs), 100000, f"calls, run {run}")
        equal([pair for pair in pairs if pair[0] != pair[1]], [], "pairs that differ")
        check(len([a for a, _b in pairs if a]) > 1, f"one picture: {pairs}")


@scenario()
def folding_in_order(world):
    """Where another probe clears an aggregation, each call counts in its place: between the clears."""
    need_it(world)
    program = apart(world, world.program("mixed"))
    name = os.path.basename(program)
    script = (clause(name, "@ = count();") +
              f'syscall::getuid:entry /execname == "{name}"/ {{ printa("%@d", @); clear(@); }}')
    out = run_and_stop(world, program, script, times=2000).stdout
    equal(re.match("1*", out).group(), "1" * 2000, "calls between two clears")


@scenario()
def folding_without_memory(world):
    """-x aggsize: what has no room in sonde is counted, folded or not."""
    need_it(world)
    program = apart(world, world.program("wide_arguments"))
    name = os.path.basename(program)
    result = run_and_stop(world, program, clause(name, "@[arg0] = count();") + 'END { printa("%@d\\n", @); }', "-x", "aggsize=4k")
    kept = sum(int(n) for n in result.stdout.split())
    lost = sum(int(n) for n in re.findall(r"(\d+) aggregation drops? on CPU", result.stderr))
    check(kept > 0 and lost > 0, f"{result.stdout} {result.stderr}")
    equal(kept + lost, 10000, "calls that are counted, and those that are lost")


@scenario()
def folding_many_keys(world):
    """More keys than a table of the kernel has room for: the rest are records."""
    need_it(world)
    program = apart(world, world.program("wide_arguments"))
    name = os.path.basename(program)
    script = clause(name, "@n[arg0] = count(); @all = count();") + 'END { printa("%@d\\n", @n); }'
    out = run_and_stop(world, program, script, "-x", "aggsize=64m", times=60000).stdout
    counted = [int(n) for n in out.split()]
    equal(sum(counted[:-1]), 60000, "by number")
    equal(counted[-1], 60000, "in all")


@scenario()
def folding_of_faults(world):
    """A key that cannot be read is a fault each time, as on every source; the others are counted."""
    need_it(world)
    cat = apart(world, shutil.which("cat"))
    name = os.path.basename(cat)
    script = (f'syscall::close:entry /execname == "{name}"/ {{ @[copyinstr(arg0)] = count(); @n = count(); }} ERROR {{ @errors = count(); }}'
              f'syscall::close:return /execname == "{name}"/ {{ @closed = count(); }} END {{ printa("%@d", @errors); printa(" %@d", @closed); }}')
    sonde = world.start_sonde("-q", *SOURCE, *ROOM, "-n", script)
    wait_until(lambda: bpf_ids(sonde)[1] == 2, what="sonde's start")
    world.run([cat, "/dev/null"])
    errors, closed = stop_tracing(world, sonde).stdout.split()[:2]
    equal(errors, closed, "faults, and calls")
    check(int(errors) > 0, "no call")


@scenario()
def folding_of_kernel_stacks(world):
    """Kernel stacks as keys, with more calls than the smallest ring has room for: folded, and as records, the same frames and sums."""
    need_it(world)
    program = apart(world, world.program("mixed"))
    name = os.path.basename(program)
    statement = "@[execname, stack()] = sum(arg5 ? 1 : 1);"
    folded = run_and_stop(world, program, clause(name, statement), times=20000, options=("-b", "4k"))
    equal(folded.stderr, "", "complaints")
    check("vmlinux`" in folded.stdout, f"frames: {folded.stdout}")
    equal(sum(int(n) for n in re.findall(r"^ +(\d+)$", folded.stdout, re.M)), 20000, f"calls: {folded.stdout}")
    held = run_and_stop(world, program, clause(name, HELD.format(statement)), times=20000)
    equal(re.sub(r"\+0x\w+", "", folded.stdout), re.sub(r"\+0x\w+", "", held.stdout), "what is printed")


NAPS = """
import os, sys, threading, time
naps, seconds, name = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3]
def call_me(name):
    with open("/proc/thread-self/comm", "w") as file:
        file.write(name)
def nap():
    begun = time.monotonic()
    call_me(name)
    for _ in range(naps):
        time.sleep(seconds)
    call_me("napped")
    took.append(time.monotonic() - begun)
took = []
one = threading.Thread(target=nap)
one.start()
one.join()
print(took[0])
"""


@scenario()
def folding_of_time_off_cpu(world):
    """Threads that nap: the time that each is off its CPU, by name and kernel stack, is that of its naps, and no more than the clock says. The
    processor time that a thread says it used is no measure: it lacks what interrupts and the machine's host took."""
    need_it(world)
    text = world.path("naps.py", NAPS)
    marker = world.marker[:6]
    wanted = " || ".join(f'execname == "nap-{n}-{marker}"' for n in "ab")
    sonde = world.start_sonde(
        "-q", *SOURCE, "-b", "4k", "-n", f'BEGIN {{ printf("armed\\n"); }} sched:::off-cpu /{wanted}/ {{ self->t = timestamp; }}'
        "sched:::on-cpu /self->t/ { @[execname, stack()] = sum(timestamp - self->t); @times[execname] = quantize(timestamp - self->t); self->t = 0; }"
        'END { printa("%s %k %@d\\n", @); printa("times %s %@d", @times); }')
    if sonde.stdout.readline() != "armed\n":  # BEGIN's record comes when all is armed; its programs are loaded earlier
        said = world.finish(sonde).stderr
        check("it needs Linux 6.16" in said or "keeps no self-> variables" in said, f"sonde has ended: {said}")
        raise Skip(f"sched:::on-cpu needs Linux 6.16 here, and self-> variables: {said}")
    naps = {"a": (100, 0.004), "b": (20, 0.03)}
    running = {n: world.start([sys.executable, text, *naps[n], f"nap-{n}-{marker}"]) for n in naps}
    said = {n: float(world.finish(one).stdout) for n, one in running.items()}
    result = stop_tracing(world, sonde)
    equal(result.stderr, "", "complaints")
    for n, most in said.items():
        least = naps[n][0] * naps[n][1]
        found = sum(int(ns) for ns in re.findall(rf"nap-{n}-{marker}(?:\s+\S+`\S+)+\s+(\d+)$", result.stdout, re.M)) / 1e9
        print(f"  {n}: naps of {least:.4f} s, {most:.4f} s in all, off its CPU {found:.4f} s")
        check(0.99 * least < found < most, f"{n}: {result.stdout}")
        distribution = result.stdout.split(f"times nap-{n}-{marker}")[1].split("times ")[0]
        times = sum(int(count) for count in re.findall(r"\|[@ ]* (\d+) *$", distribution, re.M))
        check(times >= naps[n][0], f"{n}: {times} times in the distribution, {naps[n][0]} naps")


@scenario()
def folding_under_interrupts(world):
    """Samples that interrupt programs of the hook at 4,999 Hz, on every CPU: each call is counted, folded or recorded, or reported as a drop."""
    need_it(world)
    program = apart(world, world.program("mixed"))
    name = os.path.basename(program)
    script = (clause(name, "@folded[probefunc] = count(); @most = max(arg0);") + clause(name, "if (1) @recorded[probefunc] = count();") +
              'profile-4999 { @samples[execname] = count(); @levels = max(cpu); } END { printa("%s folded %@d\\n", @folded); printa("%s recorded %@d\\n", @recorded); }')
    sonde = world.start_sonde("-q", *SOURCE, "-b", "64k", "-n", script)
    wait_until(lambda: bpf_ids(sonde)[1] or sonde.poll() is not None, what="sonde's start")
    both = [world.start([program, 100000]) for _ in range(2)]
    for one in both:
        equal(world.finish(one).status, 0, "the program's status")
    result = stop_tracing(world, sonde)
    equal(re.findall(r"getppid folded (\d+)", result.stdout), ["200000"], f"folded, {result.stderr}")
    recorded = sum(int(n) for n in re.findall(r"getppid recorded (\d+)", result.stdout))
    dropped = sum(int(n) for n in re.findall(r"(\d+) drops? on CPU", result.stderr))
    equal(recorded + dropped, 200000, f"recorded {recorded}, dropped {dropped}")
    samples = re.findall(rf"^  {name} +(\d+)$", result.stdout, re.M)
    check(samples and int(samples[0]) > 10, f"samples of the program: {result.stdout}")


@scenario()
def stock_kernel_keeps_rows_by_policy(world):
    """bufpolicy=fill keeps the first rows of a CPU, ring the last ones; each row that is not there is a drop."""
    need_it(world)
    if not shutil.which("taskset"):
        raise Skip("no taskset: util-linux")
    program = apart(world, world.program("mixed"))
    name = os.path.basename(program)
    for policy in ("fill", "ring"):
        sonde = world.start_sonde("-q", *SOURCE, "-b", "64k", "-x", f"bufpolicy={policy}", "-x", "switchrate=1ms", "-n", clause(name, 'n++; printf("row %d\\n", n);'))
        wait_until(lambda: bpf_ids(sonde)[1] or sonde.poll() is not None, what="sonde's start")
        world.run(["taskset", "-c", "0", program, 20000])
        result = stop_tracing(world, sonde)
        rows = [int(n) for n in re.findall(r"^row (\d+)$", result.stdout, re.M)]
        check(10 < len(rows) < 20000, f"{len(rows)} rows, {policy}")
        equal(rows, list(range(rows[0], rows[0] + len(rows))), f"rows, {policy}")
        dropped = sum(int(n) for n in re.findall(r"(\d+) drops? on CPU", result.stderr))
        if policy == "fill":
            equal(rows[0], 1, "the first row")
            equal(len(rows) + dropped, 20000, f"rows and drops, {result.stderr}")
        else:
            equal(rows[-1] + dropped, 20000, f"the last row and drops, {result.stderr}")
