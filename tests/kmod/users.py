#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the same D scripts on the module as root and as a member of group tracing, and checks the differences.

    users.py SONDE CALLS   in a guest with the module loaded: runs them; CALLS is device/calls.c, compiled
    users.py --table       prints the table for docs/kernel-module.md
"""

import dataclasses
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

MEMBER, TRACING = 65534, 4242  # uid; the group that the device belongs to
LIMIT = 120  # seconds for one run of sonde
LOWERED = "sonde: buffer size lowered to "  # RLIMIT_MEMLOCK limits a member's buffers: printed in each run
CHILDREN = re.compile(r"sonde: process \d+ has \d+ child(ren)? already, not traced: .*")  # the shell's sleep, if it is seen


@dataclasses.dataclass(frozen=True)
class Got:
    words: str                 # for the table
    output: str | None = None  # a regular expression for all of stdout, with single blanks; None: as root's
    error: str = ""            # what stderr contains
    status: int = 0


SAME = Got("the same")


def refused(error):
    return Got(f"refused: `{error}`", "", error, 1)


@dataclasses.dataclass(frozen=True)
class Row:
    question: str        # the question, in words
    script: str          # D
    target: str          # options; PROGRAM is calls, SETUID a set-uid copy of root's, OWN and OTHER are processes
    root: str            # root's output, as Got.output
    member: Got = SAME   # with -x source=kmod
    auto: Got = SAME     # with -x source=auto, which is ptrace for a member


ALL, PERFMON, KERNEL = ("to trace every process needs CAP_SYS_PTRACE",
                        "user functions and samples need CAP_PERFMON in the kernel module; -x source=ptrace does without", "run as root")
ROWS = [
    Row("calls of a program", "syscall::getppid:entry { @ = count(); }", "-c 'PROGRAM 100'", "100"),
    Row("how they end", "syscall::getppid:return /errno == 0/ { @ = count(); }", "-c 'PROGRAM 100'", "100"),
    Row("a call's texts", 'syscall::openat:entry /copyinstr(arg1) == "/etc/hostname"/ { trace(copyinstr(arg1)); }', "-o OUTPUT -c 'cat /etc/hostname'",
        "/etc/hostname"),
    Row("processes that it starts", "proc:::exec-success { @[execname] = count(); }", """-c 'sh -c "/bin/true; /bin/true; :"'""", "true 2"),
    Row("signals", "signal:::send /args[0] == SIGUSR1/ { @ = count(); }", """-c 'sh -c "trap : USR1; kill -USR1 $$"'""", "1", SAME,
        Got("the same, of those that traced processes send", None, "signals are seen where traced processes send them")),
    Row("the user's stack", "syscall::getppid:entry { @[ustackdepth > 1] = count(); }", "-c 'PROGRAM 10'", "1 10"),
    Row("to change it", "syscall::getppid:entry { raise(SIGTERM); }", "-w -c 'PROGRAM 1000000000'", ""),
    Row("to stop it", 'syscall::getppid:entry { stop(); system("ps -o state= -p %d; kill -CONT %d", pid, pid); }', "-w -c 'PROGRAM 1'", "[tT]"),
    Row("large buffers", "syscall::getppid:entry { @ = count(); }", "-b 32m -c 'PROGRAM 100'", "100"),
    Row("a process of one's own", "syscall:::return { exit(0); }", "-p OWN", ""),
    Row("a process of another user", "syscall:::return { exit(0); }", "-p OTHER", "", refused("it belongs to uid 0"), refused("it belongs to uid 0")),
    Row("a set-uid program that it starts", "syscall::getppid:entry { @ = count(); }", """-c 'sh -c "SETUID 100; :"'""", r"10\d",
        Got("not traced from there on, and told: `runs a program with privileges that you lack`", r"\d?", "runs a program with privileges that you lack"),
        Got("traced: ptrace starts it without its privileges")),
    Row("all processes", "syscall:::entry { exit(0); }", "", "", refused(ALL), refused("needs a traced process: name one by -c or -p")),
    Row("no process at all", "tick-10ms { exit(0); }", "", "", refused(ALL)),
    Row("user functions", "pid$target:calls:main:entry { @ = count(); }", "-c 'PROGRAM 1'", "1", refused(PERFMON)),
    Row("samples", 'profile-97 /pid == $target/ { trace("sample"); exit(0); }', "-c 'PROGRAM 1000000000'", "(sample ?)+", refused(PERFMON)),
    Row("the kernel's memory", "syscall::getppid:entry { trace(curthread->tgid == pid); exit(0); }", "-c 'PROGRAM 1'", "1", refused(KERNEL), refused("only the kmod or bpf source sees")),
    Row("the kernel's stack", "syscall::getppid:entry { stack(); exit(0); }", "-c 'PROGRAM 1'", ".*getppid.*", refused(KERNEL), Got("empty", "")),
    Row("how deep that is", "syscall::getppid:entry { @[stackdepth > 0] = count(); }", "-c 'PROGRAM 10'", "1 10", Got("0", "0 10"), Got("0", "0 10")),
]


def as_member():
    os.setgroups([TRACING])
    os.setgid(MEMBER)
    os.setuid(MEMBER)


def run(command, output, member):
    """(status, words of stdout and of the output of -o; stderr without the messages that a member always gets)."""
    output.unlink(missing_ok=True)
    done = subprocess.run(command, preexec_fn=as_member if member else None, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT, check=False,
                          cwd=output.parent)
    text = output.read_text() if output.exists() else done.stdout
    said = [line for line in done.stderr.splitlines() if not CHILDREN.fullmatch(line)]
    if member and "source=kmod" in command:
        if not any(line.startswith(LOWERED) for line in said):
            raise AssertionError(f"a member's buffers were not lowered: {said}")
        said = [line for line in said if not line.startswith(LOWERED)]
    return done.returncode, " ".join(text.split()), "\n".join(said)


def trouble(row, got, found):
    """Why the result is not the expected one for this user; None if it is."""
    status, output, error = found
    wanted = row.root if got.output is None else got.output
    if status == got.status and re.fullmatch(wanted, output) and (got.error in error if got.error else not error):
        return None
    return f"status {status} for {got.status}, output {output!r} for {wanted!r}, messages {error!r} for {got.error!r}"


def run_all(sonde, calls):
    folder = pathlib.Path("/tmp/sonde-users")
    folder.mkdir()
    folder.chmod(0o777)
    program, setuid, output = folder / "calls", folder / "setuid", folder / "output"
    for path, mode in (program, 0o755), (setuid, 0o4755):
        shutil.copy(calls, path)
        path.chmod(mode)
    os.chown("/dev/sonde", 0, TRACING)
    os.chmod("/dev/sonde", 0o660)
    loop = ["sh", "-c", "while :; do sleep 0.1; done"]
    own, other = subprocess.Popen(loop, preexec_fn=as_member), subprocess.Popen(loop)
    names = {"PROGRAM": program, "SETUID": setuid, "OUTPUT": output, "OWN": own.pid, "OTHER": other.pid}
    failed = 0
    for row in ROWS:
        options = shlex.split(re.sub("|".join(names), lambda found: str(names[found.group(0)]), row.target))
        for user, member, source, got in ("root", False, "kmod", Got("")), ("member", True, "kmod", row.member), ("member", True, "auto", row.auto):
            try:
                why = trouble(row, got, run([sonde, "-q", "-x", f"source={source}", "-n", row.script, *options], output, member))
            except (subprocess.TimeoutExpired, AssertionError) as error:
                why = str(error)
            failed += why is not None
            print(f"{row.question}, as {user}, source {source}: {'failed: ' + why if why else 'as it should be'}", flush=True)
    own.kill()
    other.kill()
    print(f"{3 * len(ROWS)} runs, {failed} failed")
    return failed > 0


def table():
    yield "| asked | for example | root | a member, `-x source=kmod` | a member, `auto` (ptrace) |"
    yield "|---|---|---|---|---|"
    for row in ROWS:
        example = f"{row.target} -n '{row.script}'".strip().replace("|", "\\|")
        yield f"| {row.question} | `{example}` | answered | {row.member.words} | {row.auto.words} |"


def main():
    if len(sys.argv) == 3:
        return run_all(*sys.argv[1:])
    print("\n".join(table()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
