# SPDX-License-Identifier: GPL-3.0-or-later
"""What a traced call costs when the whole machine is traced: ns added to one getppid, beside bpftrace."""

import pathlib
import shlex
import signal
import subprocess
import time

ROUNDS = 400  # batches of call_loop.c
PATIENCE = 30.0  # seconds until a tracer is attached
# a mount of our own: tracefs is often not mounted, and bpftrace needs it
BPFTRACE = "mountpoint -q /sys/kernel/tracing || mount -t tracefs nodev /sys/kernel/tracing; exec bpftrace -e "
RAW = "tracepoint:raw_syscalls:sys_enter"

# what, sonde's clause, bpftrace's
ROWS = (
    ("count by execname, probefunc", "syscall:::entry { @[execname, probefunc] = count(); }", RAW + " { @[comm, args->id] = count(); }"),
    ("one named call", "syscall::getppid:entry { @ = count(); }", "tracepoint:syscalls:sys_enter_getppid { @ = count(); }"),
    ("six arguments", "syscall::getppid:entry { @[arg0, arg1, arg2, arg3, arg4, arg5] = count(); }",
     RAW + " /args->id == 110/ { @[args->args[0], args->args[1], args->args[2], args->args[3], args->args[4], args->args[5]] = count(); }"),
    ("predicate that fails, on pid", "syscall:::entry /pid == 1/ { @[execname] = count(); }", RAW + " /pid == 1/ { @[comm] = count(); }"),
    ("predicate that fails, on execname", 'syscall:::entry /execname == "none"/ { @ = count(); }', RAW + ' /comm == "none"/ { @ = count(); }'),
    ("another call", "syscall::getuid:entry { @ = count(); }", "tracepoint:syscalls:sys_enter_getuid { @ = count(); }"),
)


def is_attached(process):
    """Whether it has a program at a tracepoint."""
    for info in pathlib.Path(f"/proc/{process.pid}/fdinfo").iterdir():
        try:
            text = info.read_text(encoding="utf-8")
        except OSError:
            continue
        if "tp_name:" in text or ("prog_id:" in text and "perf" in text):
            return True
    return False


def added(loop, command):
    """ns that a call takes longer under this tracer, and what it lost; None: it does not run here."""
    def of_a_call():
        return float(subprocess.run([loop, str(ROUNDS)], stdout=subprocess.PIPE, text=True, timeout=120, check=True).stdout)

    before = of_a_call()
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as tracer:
        end = time.monotonic() + PATIENCE
        traced = before
        while tracer.poll() is None and time.monotonic() < end and (traced := of_a_call()) < before + 20 and not is_attached(tracer):
            time.sleep(0.1)
        if tracer.poll() is not None:
            return None
        traced = of_a_call()
        tracer.send_signal(signal.SIGINT)
        said = tracer.communicate(timeout=120)[1]
    lost = [line for line in said.splitlines() if "drop" in line or "lost" in line.lower()]
    return traced - min(before, of_a_call()), "; ".join(lost)


def bench(sonde, loop, rounds):
    """{what: {tool: (least ns added, what was lost)}}"""
    found = {}
    for what, ours, theirs in ROWS:
        commands = {"sonde": [sonde, "-q", "-x", "source=bpf", "-b", "16m", "-n", ours],
                    "bpftrace": ["unshare", "-m", "sh", "-c", BPFTRACE + shlex.quote(theirs)]}
        found[what] = {}
        for _ in range(rounds):
            for tool, command in commands.items():
                result = added(loop, command)
                if result and (tool not in found[what] or result[0] < found[what][tool][0]):
                    found[what][tool] = result
    return found
