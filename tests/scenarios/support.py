# SPDX-License-Identifier: GPL-3.0-or-later
"""Support for scenarios: running sonde with a time-out, test programs, and a search for leftovers."""

import dataclasses
import os
import pathlib
import re
import resource
import shutil
import signal
import statistics
import subprocess
import tempfile
import time
import uuid

PROGRAMS = pathlib.Path(__file__).resolve().parents[1] / "programs"
DEVICE = "/dev/sonde"
NOBODY = 65534
SCENARIOS = []
patience = 1  # factor of all time-outs, because emulated machines are slow


@dataclasses.dataclass
class Scenario:
    name: str
    function: object
    seconds: int  # time-out
    only: str  # the only source to which it applies; None: all
    why: str  # why it is the only one
    short: bool  # tests a source: also run in the short version
    signals: bool  # its programs also run with the timer of interrupt.c
    alone: bool  # it measures times, or counts what others make as well: ctest runs nothing at the same time


def scenario(seconds=300, only=None, why=None, short=False, signals=False, alone=False):
    """`signals`: it runs a second time, as NAME_under_signals: a 2 kHz signal interrupts its programs, and the results
    must be the same."""
    def mark(function):
        SCENARIOS.append(Scenario(function.__name__, function, seconds, only, why, short, False, alone))
        if signals:
            SCENARIOS.append(Scenario(function.__name__ + "_under_signals", function, 2 * seconds, only, why, False, True, alone))
        return function
    return mark


def source_here():
    """The source that -x source=auto selects here."""
    return "kmod" if os.path.exists(DEVICE) else "ptrace"


class Skip(Exception):
    """The machine does not support this; the text is the reason."""


@dataclasses.dataclass
class Result:
    stdout: str
    stderr: str
    status: int
    seconds: float


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def equal(found, wanted, what):
    check(found == wanted, f"{what}: found {found!r}, wanted {wanted!r}")


def wait_until(condition, seconds=60.0, what="", pause=0.005):
    """Polls `condition` until its result is true, and returns that."""
    seconds *= patience
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        check(time.monotonic() < end, f"waited {seconds} s in vain: {what or condition}")
        time.sleep(pause)


def counts(text):
    """The lines of a printed count() with string keys: {'key' or ('key', 'key'): count}."""
    found = {}
    for line in text.splitlines():
        words = line.split()
        if line.startswith("  ") and len(words) >= 2 and words[-1].isdigit():
            found[words[0] if len(words) == 2 else tuple(words[:-1])] = int(words[-1])
    return found


def lines_of_calls(path):
    """(thread, text) of each line of strace or sonde; thread 0: the line has no number. A call that another thread's output has cut in two is joined;
    it comes where it ends."""
    unfinished = {}
    for line in open(path, encoding="utf-8", errors="replace"):
        ours, theirs, text = re.match(r"(?:\[pid +(\d+)\] |(\d+) +)?(.*)\n", line).groups()
        thread = int(ours or theirs or 0)
        if text.endswith("<unfinished ...>"):
            unfinished[thread] = text.removesuffix("<unfinished ...>").removesuffix(" ")
            continue
        if resumed := re.match(r"<\.\.\. \w+ resumed>(.*)", text):
            text = unfinished.pop(thread, "") + resumed.group(1)
        yield thread, text


def compile_program(source, to, flags):
    text = None
    if source.suffix == ".go":
        if not shutil.which("go"):
            raise Skip("no Go compiler: golang-go")
        command = ["go", "build", "-o", to, source]
    elif source.suffix == ".rs":
        if not shutil.which("rustc"):
            raise Skip("no Rust compiler: rustc")
        command = ["rustc", "-g", "-o", to, *flags, source]
    else:
        command = ["g++" if source.suffix == ".cpp" else "gcc", "-O2", "-g", "-pthread", "-o", to, *flags]
        if source.suffix == ".py":
            text = subprocess.run(["python3", source], check=True, stdout=subprocess.PIPE, timeout=60 * patience).stdout
        command += [source] if text is None else ["-x", "c", "-"]
    subprocess.run(command, check=True, timeout=240 * patience, input=text, env=os.environ | {"GOFLAGS": "-buildvcs=false"})


def skip_where_it_cannot_run(program):
    """For 32-bit code, which a kernel without IA-32 emulation (`ia32_emulation=0`) does not start."""
    try:
        subprocess.run([program], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=60 * patience, check=False)
    except OSError as error:
        raise Skip(f"this kernel runs no 32-bit code: {os.strerror(error.errno)}") from None


class World:
    """The environment of one scenario: a folder of its own, and a mark in the environment of each of its processes.

    `user`: run sonde and the programs as this user, from copies that the user can read."""

    def __init__(self, binary, programs, full=False, user=None, signals=False):
        self.full, self.user, self.signals = full, user, signals
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="sonde-scenario-"))
        self.marker = uuid.uuid4().hex
        self.programs = pathlib.Path(programs)
        self.binary = pathlib.Path(binary)
        self.worlds, self.started, self.last = [], [], None
        if user is not None:
            self.directory.chmod(0o755)
            self.binary = pathlib.Path(shutil.copy(binary, self.directory / "sonde"))
            self.home = self.directory / "home"
            self.home.mkdir()
            os.chown(self.home, user, user)
        else:
            self.home = self.directory

    def as_user(self, user=NOBODY):
        """The same world for an ordinary user. If we are one already, a world like this."""
        world = World(self.binary, self.programs, self.full, user if os.geteuid() == 0 else None)
        self.worlds.append(world)
        return world

    # -- programs --

    def program(self, name, *flags):
        """Compiles tests/programs/NAME.c, .cpp, .go or .rs once, or the output of NAME.py; returns the path. Skips if
        there is no compiler."""
        source = next(s for s in (PROGRAMS / (name + ending) for ending in (".c", ".cpp", ".go", ".rs", ".py")) if s.exists())
        folder, full = self.programs, "".join([name, *flags]).replace("/", "_")
        if self.signals and name != "interrupt":
            timer = pathlib.Path(self.program("interrupt", "-shared", "-fPIC"))
            flags = (*flags, "-Wl,--no-as-needed", timer, f"-Wl,-rpath={timer.parent}")
            folder = self.programs / "under-signals"
        name = full
        built = folder / name
        if not built.exists() and not os.access(self.programs, os.W_OK):  # a guest has the programs that were compiled before it was started
            folder = self.directory
            built = folder / name
        if not built.exists() or built.stat().st_mtime < source.stat().st_mtime:
            folder.mkdir(parents=True, exist_ok=True)
            fresh = folder / f"{name}.{os.getpid()}"
            compile_program(source, fresh, flags)
            os.replace(fresh, built)  # two scenarios may do this at the same time
        if "-m32" in flags:
            skip_where_it_cannot_run(built)
        if self.user is None:
            return str(built)
        copy = self.directory / name
        if not copy.exists():
            shutil.copy(built, copy)
            copy.chmod(0o755)
        return str(copy)

    def path(self, name, text=None):
        """A path in a folder that the user may write to; with `text`, a file with this content."""
        path = self.home / name
        if text is not None:
            path.write_text(text)
            path.chmod(0o755)
            if self.user is not None:
                os.chown(path, self.user, self.user)
        return str(path)

    # -- running --

    def environment(self, extra=None, marked=True):
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("SONDE_", "DTRACE_"))}
        kept |= {"LC_ALL": "C", "TZ": "UTC", "HOME": str(self.home)}
        if marked:
            kept["SONDE_SCENARIO"] = self.marker
        return kept | (extra or {})

    def start(self, argv, env=None, marked=True, **more):
        more = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True,
                "start_new_session": True, "cwd": self.home} | more
        if self.user is not None:
            more |= {"user": self.user, "group": self.user, "extra_groups": []}
        process = subprocess.Popen([str(a) for a in argv], env=self.environment(env, marked), **more)
        self.started.append(process)
        return process

    def finish(self, process, seconds=120, began=None):
        """Waits for the end; a process that takes longer is killed with its group and fails the scenario."""
        began = began or time.monotonic()
        seconds *= patience
        try:
            out, err = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate(timeout=60 * patience)
            self.last = Result(out or "", err or "", process.returncode, seconds)
            raise AssertionError(f"took over {seconds} s: {process.args}") from None
        self.last = Result(out or "", err or "", process.returncode, time.monotonic() - began)
        return self.last

    def run(self, argv, seconds=120, **more):
        began = time.monotonic()
        return self.finish(self.start(argv, **more), seconds, began)

    def sonde(self, *arguments, seconds=120, status=0, **more):
        result = self.run([self.binary, *arguments], seconds, **more)
        if status is not None:
            equal(result.status, status, f"exit status of sonde {arguments}")
        return result

    def start_sonde(self, *arguments, **more):
        return self.start([self.binary, *arguments], **more)

    # -- leftovers --

    def left(self):
        """Living processes of this world: {pid: command line}."""
        found = {}
        for entry in os.listdir("/proc"):
            if entry.isdigit():
                try:
                    environment = pathlib.Path(f"/proc/{entry}/environ").read_bytes()
                    if f"SONDE_SCENARIO={self.marker}".encode() in environment:
                        found[int(entry)] = pathlib.Path(f"/proc/{entry}/cmdline").read_text().replace("\0", " ")
                except OSError:
                    continue
        return found

    def expect_nothing_left(self, seconds=60):
        try:
            wait_until(lambda: not self.left(), seconds)
        except AssertionError:
            raise AssertionError(f"left behind: {self.left()}") from None

    def tell(self):
        """Prints the last output of sonde after a failure."""
        for world in [self, *self.worlds]:
            if world.last:
                print(f"  last run: status {world.last.status}, {world.last.seconds:.2f} s")
                for name, text in (("stdout", world.last.stdout), ("stderr", world.last.stderr)):
                    print(f"  {name}: " + text[:2000].replace("\n", "\n    "))

    def close(self):
        for world in self.worlds:
            world.close()
        for process in self.started:
            if process.poll() is None:
                process.kill()
                process.wait()
        for pid in self.left():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        shutil.rmtree(self.directory, ignore_errors=True)


def at_rest(sonde):
    """Whether sonde and its guard wait for events. Then everything is enabled, if the targets are idle."""
    def sleeps(pid):
        return all(path.read_text().rsplit(")", 1)[1].split()[0] == "S" for path in pathlib.Path(f"/proc/{pid}/task").glob("*/stat"))
    children = pathlib.Path(f"/proc/{sonde.pid}/task/{sonde.pid}/children").read_text().split()
    for _ in range(3):
        if not all(sleeps(pid) for pid in [sonde.pid, *children]):
            return False
        time.sleep(0.02)
    return True


def attached_to(sonde, pid):
    """Whether this sonde traces every thread of the process. For a source that does not stop threads, its device tells."""
    if source_here() == "ptrace":
        return all(tracer_of(pid, tid) != 0 for tid in threads_of(pid))
    try:
        for info in pathlib.Path(f"/proc/{sonde.pid}/fdinfo").iterdir():
            if "sonde-going:\t1" in info.read_text():
                return True
    except OSError:
        pass
    return False


def skip_where_time_means_nothing():
    if patience > 1:
        raise Skip("an emulated machine: times mean nothing")


def check_wall_times(world, runs, holds, what, rounds=11):
    """Makes the runs in turn; fails if `holds` is false for {name: median seconds of the run, from start to end} on a
    quiet machine.

    The machine is quiet if an empty process, which is one of the runs, starts as fast as alone: its median is at most
    1.5 times the minimum so far, and at most twice the processor time that it uses plus 2 ms. A condition that holds on
    a busy machine also holds on a quiet one; one that fails three times while the machine is quiet fails; skips if the
    machine stays busy."""
    skip_where_time_means_nothing()
    quiet = 0

    def empty():
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = world.run(["/bin/true"]).seconds
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    least = min(empty()[0] for _ in range(20))
    for _ in range(6):
        alone, taken = [], {name: [] for name in runs}
        for _ in range(rounds):
            for name, run in runs.items():
                alone.append(empty())
                taken[name].append(run())
        middle, used = (statistics.median(column) for column in zip(*alone))
        least = min([least, *(seconds for seconds, _used in alone)])
        medians = {name: statistics.median(times) for name, times in taken.items()}
        print(f"  an empty process {middle * 1000:.2f} ms, at least {least * 1000:.2f}, of processor time {used * 1000:.2f}; "
              + ", ".join(f"{name} {seconds * 1000:.1f} ms" for name, seconds in medians.items()))
        if holds(medians):
            return
        quiet += middle <= 1.5 * least and middle <= 2 * used + 0.002
        check(quiet < 3, what)
    raise Skip("the machine is not quiet: an empty process does not start as fast as alone")


def processor_time(pid):
    """Seconds that a process has used so far; in steps of the kernel's clock tick."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def tracer_of(pid, tid=None):
    """The pid of a thread's tracer; 0: it has none; None: the thread has ended."""
    try:
        status = pathlib.Path(f"/proc/{pid}/task/{tid or pid}/status").read_text()
    except OSError:
        return None
    return int(re.search(r"^TracerPid:\s*(\d+)", status, re.M).group(1))


def state_of(pid, tid):
    """The state letter of /proc; None: the thread has ended."""
    try:
        status = pathlib.Path(f"/proc/{pid}/task/{tid}/status").read_text()
    except OSError:
        return None
    return re.search(r"^State:\s*(\w)", status, re.M).group(1)


def threads_of(pid):
    try:
        return [int(t) for t in os.listdir(f"/proc/{pid}/task")]
    except OSError:
        return []
