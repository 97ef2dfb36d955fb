# SPDX-License-Identifier: GPL-3.0-or-later
"""The arguments of each event have the roles of kmod/shared/event.h, on every source, and arguments without a role are
0."""

import ctypes
import errno
import pathlib
import re
import signal
import sys

from support import check, equal, scenario

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "kmod/shared"))
import event_table  # noqa: E402

CLD_EXITED, CLD_DUMPED, CLD_KILLED = 1, 3, 2
SI_QUEUE, SEGV_MAPERR, CLONE_FS, CLONE_THREAD = -1, 1, 0x200, 0x10000
NEVER_HELD = {"SIGNAL_SEND", "PROFILE"}
NO_PROBE = {"TICK": "no provider arms it: tests/kmod/device/timers.c reads its arguments",
            "KERNEL_ENTRY": "no source has it yet", "KERNEL_RETURN": "no source has it yet",
            "COUNTER": "one source has it: kernel_events.py",
            "TRACEPOINT": "its arguments are those of the tracepoint: kernel_probes.py"}
SIGNALS = "/pid == $target && (args[0] == SIGUSR1 || args[0] == SIGUSR2)/"

# event: the head of the clause, which selects one event, and the value of each role according to the program's own output
PROBES = {
    "SYSCALL_ENTRY": ("syscall::getppid:entry /pid == $target && arg0 == 11/", {"CALL": lambda f: [11, 12, 13, 14, 15, 16]}),
    "SYSCALL_RETURN": ("syscall::close:return /pid == $target && errno == EBADF/", {"RESULT": lambda f: [-1, -1]}),
    "CREATE": ("proc:::create /pid == $target && !made++/", {"CHILD": lambda f: f["exits"], "FLAGS": lambda f: lambda v: v & CLONE_FS and not v & CLONE_THREAD}),
    "START": ("proc:::start /ppid == $target && !started++/", {}),
    "LWP_CREATE": ("proc:::lwp-create /pid == $target/", {"CHILD": lambda f: f["tid"], "FLAGS": lambda f: lambda v: v & CLONE_THREAD}),
    "LWP_START": ("proc:::lwp-start /pid == $target && tid != pid/", {}),
    "EXEC": ('proc:::exec /ppid == $target && args[0] == "/bin/true"/', {"PATH": lambda f: "/bin/true"}),
    "EXEC_SUCCESS": ("proc:::exec-success /ppid == $target/", {}),
    "EXEC_FAILURE": ("proc:::exec-failure /ppid == $target/", {"ERROR": lambda f: errno.ENOENT}),
    "EXIT": ("proc:::exit /pid == $target/", {"REASON": lambda f: CLD_EXITED, "STATUS": lambda f: 7}),
    "LWP_EXIT": ("proc:::lwp-exit /ppid == $target && arg0 != CLD_EXITED/",
                 {"REASON": lambda f: lambda v: v in (CLD_KILLED, CLD_DUMPED), "STATUS": lambda f: signal.SIGSEGV}),
    "SIGNAL_SEND": (f"signal:::send {SIGNALS}", {"NUMBER": lambda f: signal.SIGUSR1}),
    "SIGNAL_DELIVER": (f"signal:::deliver {SIGNALS}", {"NUMBER": lambda f: signal.SIGUSR1, "HANDLER": lambda f: lambda v: v in (2, f["handler"])}),
    "SIGNAL_DISCARD": (f"signal:::discard {SIGNALS}", {"NUMBER": lambda f: signal.SIGUSR2}),
    "USER_ENTRY": ("pid$target:a.out:ten_arguments:entry", {"FUNCTION": lambda f: list(range(1, 11))}),
    "USER_RETURN": ("pid$target:a.out:ten_arguments:return", {"OFFSET": lambda f: lambda v: 0 < v < 1000, "VALUE": lambda f: f["sum"]}),
    "USER_OFFSET": ("pid$target:a.out:ten_arguments:0", {"REGISTERS": lambda f: [1, 2, 3, 4, 5, 6]}),
    "PROFILE": ("profile:::profile-97 /pid == $target && arg1 != 0 && !sampled++/",
                {"KERNEL_PC": lambda f: 0, "USER_PC": lambda f: lambda v: v > 0x1000}),
}
QUEUED = {"CODE": lambda f: SI_QUEUE, "SENDER": lambda f: f["pid"], "UID_ERROR": lambda f: f["uid"], "VALUE": lambda f: f["value"],
          "ADDRESS": lambda f: 0, "STATUS_FD": lambda f: 0, "TIMES_BAND": lambda f: 0,
          "RECEIVER_PID": lambda f: f["pid"], "RECEIVER_TID": lambda f: f["pid"]}


def expectation(event, role):
    own = PROBES[event][1]
    if role in own:
        return own[role]
    check(event.startswith("SIGNAL_") and role in QUEUED, f"nobody says what {role} of {event} is to be")
    return QUEUED[role]


def matches(wanted, value):
    return bool(wanted(value)) if callable(wanted) else wanted == value


def hold_against(row, text, words, facts):
    """Compares a line of an event with its roles."""
    with_role = set()
    for role in row["roles"]:
        wanted = expectation(row["name"], role["role"])(facts)
        places = range(role["first"], role["first"] + role["count"])
        if role["type"] == "string":
            equal(text, wanted, f"{row['name']} {role['role']}")
            continue
        with_role.update(places)
        found = [words[place] for place in places]
        if role["count"] > 1:
            equal(found, wanted, f"{row['name']} {role['role']}")
        else:
            check(matches(wanted, found[0]), f"{row['name']} {role['role']} is {found[0]}; the program: {facts}")
    rest = {f"arg{place}": words[place] for place in range(10) if place not in with_role and words[place] != 0}
    equal(rest, {}, f"{row['name']}: arguments without a role")


def as_signed(word):
    return ctypes.c_int64(int(word)).value


def clause(event, head, action):
    """Prints EVENT|text|arg0 ... arg9, then does the action."""
    numbers = " ".join(["%d"] * 10)
    words = ", ".join(f"arg{n}" for n in range(10))
    text = "args[0]" if event == "EXEC" else '""'
    return f'{head} {{ printf("{event}|%s|{numbers}\\n", {text}, {words}); {action} }}'


def hold_events_against_roles(world, action, *options):
    rows = event_table.rows()
    equal({row["name"] for row in rows} - set(NO_PROBE), set(PROBES), "events with a probe here")
    clauses = " ".join(clause(event, head, "" if event in NEVER_HELD else action) for event, (head, _) in PROBES.items())
    out = world.path("events")
    result = world.sonde("-q", *options, "-o", out, "-n", clauses, "-c", world.program("roles"))
    facts = {name: int(value) for name, value in re.findall(r"^(\w+) (-?\d+)$", result.stdout, re.M)}
    lines = {}
    for line in filter(None, pathlib.Path(out).read_text(encoding="ascii").splitlines()):
        event, text, numbers = line.split("|")
        lines.setdefault(event, (text, [as_signed(word) for word in numbers.split()]))
    equal(set(PROBES) - set(lines), set(), "events that were not seen")
    for row in rows:
        if row["name"] in lines:
            hold_against(row, *lines[row["name"]], facts)


@scenario(short=True)
def events_have_their_roles(world):
    """Each kind of event once: compares its ten raw arguments with what the program did."""
    hold_events_against_roles(world, "")


@scenario()
def events_of_held_threads_have_their_roles(world):
    """The same if the thread waits."""
    hold_events_against_roles(world, "raise(0);", "-w")
