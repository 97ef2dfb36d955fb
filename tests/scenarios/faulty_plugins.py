# SPDX-License-Identifier: GPL-3.0-or-later
"""A plug-in that is right in its trial, and then does one thing wrong at one moment: each moment, each thing. Sonde names the
plug-in and the op, ends as it should, and the traced processes run on untraced. The plug-in is programs/plugins/faulty.cpp."""

import itertools
import os
import pathlib
import signal

from bad_plugins import plugin
from support import check, equal, scenario, tracer_of, wait_until

# moment: the op as messages name it
MOMENTS = {
    "start": "start()", "provide": "dtps_provide", "asked": "dtps_provide", "getargdesc": "dtps_getargdesc",
    "enable": "dtps_enable", "getargval": "dtps_getargval", "usermode": "dtps_usermode", "fire": "a thread of its own", "suspend": "dtps_suspend",
    "disable": "dtps_disable", "destroy": "dtps_destroy", "stop": "stop()", "target": "its hook on targets", "target_end": "its hook on targets",
}
OF_THE_PLUGIN = ("start", "stop", "fire")  # these belong to no provider
OF_A_FIRING = ("getargval", "usermode", "fire")  # in a thread of the plug-in
AT_THE_END = ("suspend", "disable", "destroy", "stop")  # once sonde is to end
LOST = "; what sonde has not printed yet is lost\n"

SCRIPT = ('BEGIN { printf("begun\\n"); } faulty:::a, faulty:::asked { @ = count(); @v = max(arg5); @w = max(args[0]); n++; } '
          'faulty:::a /n == 5/ { printf("fired\\n"); } syscall:::entry { @calls = count(); }')


def crashes(by):
    return lambda moment, op, who: (-getattr(signal, by), f"sonde: {who} has crashed by {by} in {op}{LOST}")


def exits(_, op, who):
    return 1, f"sonde: {who} has called exit(0) in {op}{LOST}"


def throws(moment, op, who):
    if moment == "start":
        return None, "is left out: start() throws: thrown; what it had registered is taken back: faulty\n"
    if moment == "fire":
        return crashes("SIGABRT")(moment, op, who)
    # without its description args[0] does not compile
    return None if moment == "getargdesc" else 0, f"sonde: provider {'faulty.so' if moment == 'stop' else 'faulty'}: {op} throws: thrown\n"


def changes(what, of_thread):
    def told(moment, op, _):
        if moment in OF_A_FIRING:
            return 0, of_thread
        return 0, f"sonde: provider {'faulty.so' if moment in OF_THE_PLUGIN else 'faulty'}: {op} {what}"
    return told


# thing: what is told of it, by moment: (status, a part of standard error); a status of None is any
FAULTS = {
    "crash": crashes("SIGSEGV"),
    "abort": crashes("SIGABRT"),
    "exit": exits,
    "throw": throws,
    "leak": lambda *_: (0, ""),
    "mask": changes("has changed the signal mask of sonde's thread\n", ""),
    "handlers": changes("has changed the handlers of SIGINT, SIGTERM or SIGHUP, which end sonde\n",
                        "sonde: a thread of a plug-in has changed the handlers of SIGINT, SIGTERM or SIGHUP, which end sonde\n"),
    "fork": lambda moment, op, _: (0, f"the child of a fork() has returned from {'a thread of a plug-in' if moment == 'fire' else op}: it ends\n"),
    # the guard's socket is among them: tracing ends then, with a message, unless it has ended already
    "close": lambda moment, op, _: (None, "" if moment in OF_A_FIRING else f"{op} has closed what sonde had open: descriptor 3"),
    "close_all": lambda moment, op, _: (None, "" if moment in OF_A_FIRING else f"{op} has closed what sonde had open: descriptor 0, 1, 2"),
}
STUCK = {"spin": "it uses the processor", "wait": "it waits"}


class Case:
    """One run. `told`: what standard error must have."""

    def __init__(self, world, file, moment, thing):
        self.world, self.name = world, f"{moment}:{thing}"
        self.out, self.err, self.mark, self.go = (world.path(f"{moment}-{thing}.{kind}") for kind in ("out", "err", "mark", "go"))
        self.stays = world.start(["sh", "-c", "while :; do sleep 0.1; done"])
        self.ends = world.start(["sh", "-c", f'while [ ! -e {self.go} ]; do sleep 0.02; done; exec true'])
        with open(self.err, "w", encoding="utf-8") as errors, open(self.out, "w", encoding="utf-8") as output:
            self.sonde = world.start_sonde("-q", "-x", "switchrate=20ms", f"--provider={file}", "-n", SCRIPT, "-p", self.stays.pid, "-p", self.ends.pid,
                                           env={"FAULT": self.name, "MARK": self.mark}, stdout=output, stderr=errors)

    def said(self):
        return pathlib.Path(self.err).read_text(encoding="utf-8", errors="backslashreplace")

    def until(self, condition):
        wait_until(lambda: self.sonde.poll() is not None or condition(), what=f"{self.name}; it says {self.said()!r}")

    def acted(self):
        return os.path.exists(self.mark + ".acts")

    def run(self, told):
        moment = self.name.split(":")[0]
        hangs = self.name.endswith((":spin", ":wait"))
        self.until(lambda: "fired" in pathlib.Path(self.out).read_text() or (hangs and told in self.said()))
        pathlib.Path(self.go).touch()
        self.world.finish(self.ends)
        if moment not in AT_THE_END:
            self.until(self.acted)
        if moment in OF_A_FIRING or (hangs and moment not in AT_THE_END):
            self.until(lambda: told in self.said())
        if self.sonde.poll() is None:
            self.sonde.send_signal(signal.SIGINT)

    def check(self, status, told):
        result, said = self.world.finish(self.sonde), self.said()
        check(self.acted(), f"{self.name}: nothing happened; it says {said!r}")
        check(told in said, f"{self.name}: {said!r} is without {told!r}")
        if status is not None:
            equal(result.status, status, f"{self.name}: status; it says {said!r}")
        equal(said.count(told) if told else 0, 1 if told else 0, f"{self.name}: said once, {said!r}")
        equal(self.stays.poll(), None, f"{self.name}: the target")
        wait_until(lambda: tracer_of(self.stays.pid) == 0, what=f"{self.name}: the target's tracer")
        self.stays.kill()


def family(world, cases):
    file = pathlib.Path(world.path("faulty.so"))
    file.write_bytes(plugin(world, "faulty").read_bytes())
    for batch in itertools.batched(cases, 4) if hasattr(itertools, "batched") else (cases[at:at + 4] for at in range(0, len(cases), 4)):
        started = [(Case(world, file, moment, thing), *wanted) for moment, thing, wanted in batch]
        for case, _, told in started:
            case.run(told)
        for case, status, told in started:
            case.check(status, told)
    world.expect_nothing_left()


def wanted(moment, thing):
    op = MOMENTS[moment]
    who = "plug-in faulty.so" if moment in OF_THE_PLUGIN else "provider faulty (faulty.so)"
    if thing in STUCK:
        return None, f"{who}: {op} has not returned for 5 s; {STUCK[thing]}"
    return FAULTS[thing](moment, op, who)


@scenario(only="ptrace", why="the plug-in fires by itself")
def each_fault_at_each_moment_is_told_and_harms_no_target(world):
    """140 of them with --full; else each moment and each thing at least once."""
    every = [(moment, thing, wanted(moment, thing)) for moment in MOMENTS for thing in FAULTS]
    family(world, every if world.full else every[::7])


@scenario(only="ptrace", why="the plug-in fires by itself")
def an_op_that_hangs_at_any_moment_is_told(world):
    """With --full; else two of them."""
    moments = [moment for moment in MOMENTS if moment != "fire"]  # its own thread may do what it likes
    every = [(moment, thing, wanted(moment, thing)) for moment in moments for thing in STUCK]
    family(world, every if world.full else [every[8], every[-6]])


@scenario(only="ptrace", why="the plug-in fires by itself")
def a_start_that_fails_keeps_nothing(world):
    """Its trial passes; in the run it registers, and fails then."""
    file = pathlib.Path(world.path("faulty.so"))
    file.write_bytes(plugin(world, "faulty").read_bytes())
    for thing, why in (("fail", "returns 5, Input/output error"), ("throw", "throws: thrown")):
        said = f"sonde: provider {file} is left out: start() {why}; what it had registered is taken back: faulty\n"
        result = world.sonde("-Z", f"--provider={file}", "-qn", 'BEGIN { printf("begun\\n"); exit(0); } faulty:::a { }',
                             env={"FAULT": f"start:{thing}", "MARK": world.path(f"mark-{thing}")})
        equal((result.status, result.stdout.strip(), result.stderr), (0, "begun", said), thing)
