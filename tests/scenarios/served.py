# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs whose files come from a server: a FUSE file system that answers, hangs, or is a target itself. Sonde waits for no server longer
than a second, and the programs run on."""

import os
import re
import signal
import subprocess

from support import Skip, at_rest, check, equal, patience, scenario, skip_where_time_means_nothing, state_of, threads_of, tracer_of, wait_until

WHY = "the guard; the module reads files as the kernel does"
FUNCTION = 'pid$1:served:work:entry { @ = count(); }'
STACKS = 'BEGIN { printf("going\\n"); } syscall::write:entry /pid == $1/ { @[ufunc(ucaller)] = count(); ustack(); }'


class Served:
    """A program on a file system of ours: started, and waiting for lines."""

    def __init__(self, world, program="undumpable_late", delay=0):
        if world.user is not None or os.geteuid() != 0 or not os.path.exists("/dev/fuse"):
            raise Skip("no FUSE mounts: needs root and /dev/fuse")
        self.world, self.folder = world, world.path("served")
        os.makedirs(self.folder, exist_ok=True)
        self.server = world.start([world.program("fuse_program"), self.folder, world.program(program), delay])
        if self.server.stdout.readline() != "ready\n":
            raise Skip(f"fuse: {self.server.stderr.read().strip()}")
        self.program = None

    def start(self):
        self.program = self.world.start([f"{self.folder}/served"], stdin=subprocess.PIPE)
        equal(self.program.stdout.readline(), "ready\n", "the program")
        return self

    def stop_server(self):
        self.server.send_signal(signal.SIGSTOP)
        wait_until(lambda: state_of(self.server.pid, self.server.pid) in ("T", "t"), what="the server stops")

    def step(self):
        self.program.stdin.write("\n")
        self.program.stdin.flush()

    def expect_end(self, what):
        """The program runs to its end, as untraced, with its server."""
        self.server.send_signal(signal.SIGCONT)
        said, _ = self.program.communicate("\n\n\n", timeout=60 * patience)
        equal((said.splitlines()[-1], self.program.returncode), ("sum 60", 0), f"{what}: the program")
        self.end()

    def end(self):
        self.server.kill()
        self.server.wait()
        subprocess.run(["umount", "-l", self.folder], check=False, stderr=subprocess.DEVNULL)


def untraced(*processes):
    return all(tracer_of(process.pid, tid) in (0, None) for process in processes for tid in threads_of(process.pid))


@scenario(only="ptrace", why=WHY)
def programs_of_a_server_that_answers(world):
    """Functions, typed arguments, stacks; with the server as a target, stopped at each of its calls, too."""
    for traced_server in (False, True):
        served = Served(world).start()
        also = ["-p", str(served.server.pid)] if traced_server else []
        clauses = ('BEGIN { printf("going\\n"); } pid$1:served:work:entry { @f = count(); @a = sum(args[0]); } syscall:::entry { @c = count(); } '
                   "syscall::write:entry /pid == $1/ { @s[ufunc(ucaller)] = count(); }")
        sonde = world.start_sonde("-qn", clauses, "-p", str(served.program.pid), *also, str(served.program.pid))
        equal(sonde.stdout.readline(), "going\n", "sonde")
        wait_until(lambda: at_rest(sonde), what="attached")
        served.step()
        wait_until(lambda: served.program.stdout.readline() == "not dumpable\n", what="the step")
        sonde.send_signal(signal.SIGINT)
        out, err = sonde.communicate(timeout=20 * patience)
        equal((sonde.returncode, err), (0, ""), f"server traced: {traced_server}")
        numbers = [int(line) for line in out.split("\n") if line.strip().isdigit()]
        check(numbers[:2] == [10, 10], f"calls of work(), and the sum of their arguments: {out}")
        check(re.search(r"`\S*write\S* +1$", out, re.M), f"the caller's name: {out}")
        served.expect_end("a server that answers")


@scenario(only="ptrace", why=WHY)
def a_program_of_a_slow_server_runs_to_its_entry(world):
    """Each of its pages takes longer than the guard waits at a time."""
    served = Served(world, "mixed", 300)
    result = world.sonde("-qn", "syscall::getppid:entry { @ = count(); }", "-x", "evaltime=main", "-c", f"{served.folder}/served 10")
    equal((result.stdout.split(), result.stderr), (["10"], ""), "calls behind the entry point")
    served.end()


@scenario(only="ptrace", why=WHY)
def programs_of_a_server_that_hangs(world):
    """A function is refused with the reason; a stack has addresses and one line says why; both within a few seconds."""
    served = Served(world).start()
    served.stop_server()
    result = world.sonde("-qn", FUNCTION, "-p", str(served.program.pid), str(served.program.pid), seconds=20, status=1)
    check("'served' cannot be read: it is on a file system whose server does not answer" in result.stderr, result.stderr)
    sonde = world.start_sonde("-qn", STACKS, "-p", str(served.program.pid), str(served.program.pid))
    equal(sonde.stdout.readline(), "going\n", "sonde")
    wait_until(lambda: at_rest(sonde), what="attached")
    served.step()
    equal(served.program.stdout.readline(), "not dumpable\n", "the program goes on, without its server")
    guard = int(open(f"/proc/{sonde.pid}/task/{sonde.pid}/children", encoding="ascii").read().split()[0])
    equal(threads_of(guard), [guard], "threads of the guard, which asks no server")
    sonde.send_signal(signal.SIGINT)
    out, err = sonde.communicate(timeout=20 * patience)
    check(re.search(r"served`?\+?0x", out) and "`write" in out, f"the stack: {out}")
    equal(len(re.findall("functions have no names: .*/served is on a file system whose server does not answer", err)), 1, err)
    equal(sonde.returncode, 0, err)
    served.expect_end("a server that hangs")


def ends_soon(world, clauses, number):
    """Seconds from a signal, sent while sonde waits for a server, or has just given up, to the end of all tracing."""
    served = Served(world).start()
    served.stop_server()
    sonde = world.start_sonde("-qn", clauses, "-p", str(served.program.pid), "-p", str(served.server.pid), str(served.program.pid))
    wait_until(lambda: sonde.poll() is not None or any(asks_server(sonde.pid, tid) for tid in threads_of(sonde.pid)), what="sonde asks the server")
    began = os.times().elapsed
    sonde.send_signal(number)
    sonde.wait(20 * patience)
    wait_until(lambda: untraced(served.program, served.server), 20, "untraced")
    took = os.times().elapsed - began
    served.expect_end(f"{signal.Signals(number).name}")
    return took


def asks_server(pid, tid):
    """Whether the thread sleeps in a request to a FUSE server."""
    try:
        with open(f"/proc/{pid}/task/{tid}/wchan", encoding="ascii") as file:
            return re.match("request_wait_answer|fuse_", file.read()) is not None
    except OSError:
        return False


@scenario(only="ptrace", why=WHY)
def a_wait_for_a_server_ends_with_sonde(world):
    took = {}
    for _ in range(20 if world.full else 1):
        for clauses in (FUNCTION, STACKS):
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
                took[clauses, number] = max(took.get((clauses, number), 0), ends_soon(world, clauses, number))
    print(f"  seconds until untraced: at most {max(took.values()):.2f}")
    skip_where_time_means_nothing()
    check(sorted(took.values())[len(took) // 2] < 1, f"seconds until untraced: {took}")


@scenario(only="ptrace", why=WHY)
def a_program_that_cannot_be_started_for_its_server(world):
    """The exec waits for the server. After a signal sonde ends, and the program is not started later on."""
    took = []
    for clauses in ("pid$target:a.out:work:entry { }", "syscall:::entry { }"):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            served = Served(world)
            served.stop_server()
            sonde = world.start_sonde("-qn", clauses, "-c", f"{served.folder}/served")
            child = wait_until(lambda: [pid for pid in world.left() if asks_server(pid, pid)], what="the exec waits")[0]
            began = os.times().elapsed
            sonde.send_signal(number)
            sonde.wait(20 * patience)
            wait_until(lambda: state_of(child, child) in ("Z", None), what=f"{clauses}, {signal.Signals(number).name}: the child is gone")
            took.append(os.times().elapsed - began)
            served.server.send_signal(signal.SIGCONT)
            wait_until(lambda: list(world.left()) == [served.server.pid], what=f"nothing is left but the server: {world.left()}")
            served.end()
    print(f"  seconds until the end: at most {max(took):.2f}")
    skip_where_time_means_nothing()
    check(sorted(took)[len(took) // 2] < 1, f"seconds until the end: {took}")
