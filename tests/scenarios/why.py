# SPDX-License-Identifier: GPL-3.0-or-later
"""sonde --why: every planted deadlock is told, with who waits for what; what only looks like one is not.

tests/programs/stuck.c comes to a standstill in many ways. A planted deadlock is looked at until it is there; a program
without one must not be told as one at any time, and says in the end why it waits.
"""

import contextlib
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys

from support import PROGRAMS, Skip, check, equal, scenario, wait_until

DEADLOCK = 3
HOLDS = r"which (thread|process) \d+ \(.*\) holds"

# way: what is said of those in the deadlock, each line once
DEADLOCKS = {
    "mutexes": [rf"waits for mutex 0x[0-9a-f]+ \(first\), {HOLDS}", rf"waits for mutex 0x[0-9a-f]+ \(second\), {HOLDS}"],
    "three_mutexes": [rf"waits for mutex .* \({name}\), {HOLDS}" for name in ("first", "second", "third")],
    "recursive": [rf"waits for mutex .* \({name}\), {HOLDS}" for name in ("first", "second")],
    "errorcheck": [rf"waits for mutex .* \({name}\), {HOLDS}" for name in ("first", "second")],
    "robust": [rf"waits for mutex .* \({name}\), {HOLDS}" for name in ("first", "second")],
    "inheriting": [rf"waits for priority-inheriting mutex .* \(first\), {HOLDS}", rf"waits for mutex .* \(second\), {HOLDS}"],
    "only_inheriting": [rf"waits for priority-inheriting mutex .* \((first|second)\), {HOLDS}",
                        r"waits for ever for a priority-inheriting mutex: the kernel has refused to let it wait, because that would be a deadlock"],
    "three_inheriting": [*[rf"waits for priority-inheriting mutex .* \(\w+\), {HOLDS}"] * 2, r"waits for ever for a priority-inheriting mutex"],
    "self": [r"waits for mutex .* \(first\), which it holds itself"],
    "behind": [rf"waits for mutex .* \({name}\), {HOLDS}" for name in ("first", "second")],
    "between_processes": [r"waits for mutex 0x[0-9a-f]+, which process \d+ \(.*between_processes\) holds"] * 2,
    "rwlocks": [rf"waits for read-write lock .* \({name}\), {HOLDS} for writing" for name in ("shared_lock", "other_lock")],
    "joins": [r"waits for the end of thread \d+ \(stuck\)"] * 3,
    "mutex_and_join": [r"waits for the end of thread \d+ \(stuck\)", rf"waits for mutex .* \(first\), {HOLDS}"],
    "pipes_read": [r"waits for data from pipe:\[\d+\], whose write end is held by process \d+ \(stuck pipes_read\)$"] * 2,
    "pipes_full": [r"waits for room in pipe:\[\d+\], whose read end is held by process \d+ \(stuck pipes_full\)$"] * 2,
    "child_reads": [r"waits for the end of its child process \d+", r"waits for data from pipe:\[\d+\], whose write end is held by process"],
    "child_by_waitid": [r"waits for the end of its child process \d+", r"waits for data from pipe:\[\d+\], .* is held by process \d+ .* and itself"],
    "fifos": [r"waits for data from /tmp/stuck-\w+/(there|back) \(deleted\), whose write end is held by"] * 2,
    "mutex_and_pipe": [rf"waits for mutex .* \(first\), {HOLDS}", r"waits for data from pipe:\[\d+\], whose write end is held by itself"],
    "mutex_and_child": [r"waits for the end of its child process", r"waits for mutex 0x[0-9a-f]+, which process \d+ .* holds"],
    "unix_sockets": [r"waits for data from socket:\[\d+\] \(descriptor \d+\), whose other end is held by process \d+"] * 2,
    "unix_polled": [r"waits for data from socket:\[\d+\] \(descriptor \d+\), whose other end is held by process \d+"] * 2,
    "tcp_sockets": [r"waits for data from socket:\[\d+\] \(descriptor \d+\), whose other end is held by process \d+"] * 2,
    "flocks": [r"waits for the lock of /tmp/stuck-\S+ \(deleted\), which is held by process \d+"] * 2,
    "ranges": [r"waits for the lock of bytes 100 to 149 of /tmp/stuck-\S+ \(deleted\), which is held by process \d+"] * 2,
    "range_and_pipe": [r"waits for the lock of bytes 10 to 14 of /tmp/stuck-", r"waits for data from pipe:\[\d+\], whose write end is held by process"],
    "polls_two": [r"waits in poll\(\) for any of 2 descriptors: data from pipe:.*; data from pipe:", r"waits for data from pipe:\[\d+\], whose write end is held by process"],
    "own_pipe": [r"waits for data from pipe:\[\d+\], whose write end is held by itself$"],
    "stream": [rf"waits for the lock of the stdio stream at 0x[0-9a-f]+, {HOLDS}", rf"waits for mutex .* \(first\), {HOLDS}"],
}

# way: what is said of one of its threads
HEALTHY = {
    "owner_ended": r"waits for mutex .* \(first\), which thread \d+ holds: it has ended",
    "held_by_sleeper": rf"waits for mutex .* \(first\), {HOLDS}$",
    "timed": rf"waits for mutex .* \(second\), {HOLDS}; the wait has a time-out",
    "condition": r"waits for futex .* \(changed.*\), and who may wake it is not known: a condition variable has no owner",
    "semaphore": r"waits for futex .* \(never\), and who may wake it is not known: a semaphore has no owner",
    "sleeps": "waits for a signal",
    "eventfds": r"waits for eventfd \d+, which is held by itself; the kernel may count, too",
    "own_pipe_and_handler": r"held by itself; a signal handler of its own may end the wait",
    "pool": r"waits for the end of any of its children process \d+ \(stuck pool\), process \d+ \(stuck pool\) and process",
    "server_and_client": r"waits in epoll_wait\(\) for any of 1 descriptor: data from socket:\[\d+\] \(descriptor \d+\), whose other end is held by",
    "socket_with_time_out": r"; the wait has a time-out",
    "polled_for_a_time": r"waits for data from pipe:.*; the wait has a time-out",
    "selects": r"waits in p?select6?\(\) for any of 2 descriptors: data from pipe:.*; data from pipe:",
    "child_works": r"waits for the end of its child process \d+ \(stuck child_works\)",
    "listens": r"waits for a client on descriptor \d+",
    "polls_two_and_handler": r"waits in poll\(\) for any of 2 descriptors: data from pipe:.*; data from pipe:",
    "opens_fifo": "waits until there is open: a FIFO opens with its other end",
    "timer": "waits for a timer",
    "range_grows": r"waits for the lock of bytes 0 to 19 of /tmp/stuck-\S+ \(deleted\), which is held by process \d+ \(stuck range_grows\)$",
    "flock_held_by_sleeper": r"waits for the lock of /tmp/stuck-\S+ \(deleted\), which is held by process \d+",
}


# at work: looked at again and again
AT_WORK = ("ping_pong", "contended", "turns")

PYTHON = "python3", "-c"
POOL = "import multiprocessing, time\nwith multiprocessing.Pool(2) as pool:\n  pool.map(abs, range(9)); print('ready', flush=True); time.sleep(1000)"
QUEUE = """import queue, threading
both = queue.Queue(1)
def takes():
  while True: both.get()
threading.Thread(target=takes, daemon=True).start()
while True: both.put(1)"""
SERVER = """import socket, os, selectors
a, b = socket.socketpair()
if os.fork() == 0: a.close(); b.recv(1)
b.close(); s = selectors.DefaultSelector(); s.register(a, selectors.EVENT_READ); s.select()"""

# Programs that are in nobody's way. Those that this machine does not have are left out.
PROGRAMS_AT_REST = (
    ("dd", "if=/dev/zero", "of=/dev/null"), ("sh", "-c", "yes | cat > /dev/null"), ("find", "/proc", "/usr"), (*PYTHON, QUEUE),
    ("sleep", "1000"), ("cat",), ("sort",), ("tail", "-f", "/dev/null"), ("timeout", "900", "sleep", "1000"), ("tee", "copy"), ("wc",), ("od",), ("tr", "a", "b"),
    ("nice", "sleep", "1000"), ("env", "sleep", "1000"), ("nohup", "sleep", "1000"), ("xargs", "echo"), ("awk", "{}"), ("sed", "p"),
    ("awk", 'BEGIN { system("sleep 1000") }'), ("setsid", "-w", "sleep", "1000"), ("grep", "x"), ("gzip",), ("md5sum",), ("bc",), ("ed",),
    ("sh", "-c", "sleep 1000; true"), ("sh", "-c", "sleep 1000 | cat"), ("sh", "-c", "sleep 1000 | tee copy | sort | wc"),
    ("sh", "-c", "trap : USR1; sleep 1000 & wait"), ("sh", "-c", "read line"), ("sh", "-c", "mkfifo way; cat way"), ("sh", "-c", "(sleep 1000; echo) | while read x; do :; done"),
    ("sh", "-c", "flock held sleep 1000 & flock held true; wait"), ("sh", "-c", "x=$(sleep 1000)"), ("bash", "-c", "coproc cat; read line"), ("bash", "-c", "sleep 1000 & wait"),
    ("bash", "-c", "cat <(sleep 1000)"), ("bash", "-c", "exec 3<> <(:); read -u 3 -t 900"), ("make", "-f", "/dev/stdin"), ("perl", "-e", "sleep 1000"),
    ("perl", "-e", "pipe R, W; if (!fork) { sleep 1000 } close W; <R>"), ("perl", "-e", "fork or sleep 1000; wait"), ("ruby", "-e", "sleep"), ("node", "-e", "setInterval(() => {}, 1000)"),
    (*PYTHON, "import time; time.sleep(1000)"), (*PYTHON, "import threading; threading.Event().wait()"), (*PYTHON, POOL), (*PYTHON, SERVER),
    (*PYTHON, "import subprocess; subprocess.run(['sleep', '1000'])"), (*PYTHON, "import asyncio; asyncio.run(asyncio.sleep(1000))"), (*PYTHON, "input()"),
    (*PYTHON, "import concurrent.futures as f, time\nwith f.ThreadPoolExecutor(3) as p: [p.submit(time.sleep, .01) for _ in range(9)]; p.submit(time.sleep, 1000)"),
    (*PYTHON, "import signal; signal.sigwait([signal.SIGUSR1])"), (*PYTHON, "import os; r, w = os.pipe(); os.fork() or __import__('time').sleep(1000); os.wait()"),
    ("python3", "-m", "http.server", "0"), ("redis-server", "--port", "0", "--unixsocket", "socket"), ("dbus-daemon", "--session", "--nofork", "--address=unix:path=bus"),
    ("ssh-agent", "-D", "-a", "agent"), ("tmux", "-D", "-S", "tmux"),
)


def start(world, way, program=None):
    process = world.start([program or world.program("stuck"), way])
    equal(process.stdout.readline(), "ready\n", f"{way}: its first line")
    return process


def why(world, *pids):
    words = [word for pid in pids for word in ("-p", str(pid))]
    return world.sonde("--why", *words, status=None)


def sections(text):
    """{title: the sentences about threads below it}"""
    found = {}
    for line in text.splitlines():
        if not line.startswith(" "):
            found[line] = []
        elif re.match(r"  \S", line):
            [*found.values()][-1].append(line.strip())
    return found


def deadlocks(text):
    return {title: lines for title, lines in sections(text).items() if title.startswith("deadlock:")}


def expect_all(sentences, wanted, what):
    equal(len(sentences), len(wanted), f"{what}: threads in the deadlock: {sentences}")
    for pattern in wanted:
        check(any(re.search(pattern, sentence) for sentence in sentences), f"{what}: none is {pattern!r}: {sentences}")


def find_deadlock(world, process, way):
    wait_until(lambda: why(world, process.pid).status == DEADLOCK, what=f"{way}: a deadlock is told")
    found = deadlocks(world.last.stdout)
    equal(len(found), 1, f"{way}: deadlocks: {world.last.stdout}")
    expect_all([*found.values()][0], DEADLOCKS[way], way)
    equal(world.last.stderr, "", f"{way}: messages")


# these need the kernel's word on who has the other end of a UNIX socket
OF_UNIX_SOCKETS = {"unix_sockets", "unix_polled", "server_and_client", "socket_with_time_out"}


def tells_unix_peers():
    """Whether the kernel answers sock_diag for UNIX sockets: it is a module that may be missing."""
    try:
        asks = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 4)
    except OSError:
        return False
    with asks:
        head = struct.pack("=IHHII", 40, 20, 0x301, 0, 0)  # SOCK_DIAG_BY_FAMILY; a request for a list
        asks.send(head + struct.pack("=BBHIIIII", socket.AF_UNIX, 0, 0, 0xffffffff, 0, 4, 0, 0))
        kind = struct.unpack_from("=H", asks.recv(4096), 4)[0]
    return kind in (3, 20)  # the end of the list, or a part of it; 2: an error


def started(world, table):
    ways = [way for way in table if way not in OF_UNIX_SOCKETS or tells_unix_peers()]
    return {way: start(world, way) for way in ways}.items()


@scenario()
def why_finds_planted_deadlocks(world):
    for way, process in started(world, DEADLOCKS):
        find_deadlock(world, process, way)
        equal(process.poll(), None, f"{way}: it is left as it was")
        equal(why(world, process.pid).status, DEADLOCK, f"{way}: looked at again")


@scenario()
def why_tells_no_deadlock_where_there_is_none(world):
    for way, process in started(world, HEALTHY):
        def says(process=process, way=way):
            result = why(world, process.pid)
            equal((result.status, result.stderr), (0, ""), f"{way}: {result.stdout}")
            return re.search(HEALTHY[way], result.stdout, re.MULTILINE)
        wait_until(says, what=f"{way}: {HEALTHY[way]}")
        equal(process.poll(), None, f"{way}: it is left as it was")


@scenario()
def why_tells_no_deadlock_of_threads_at_work(world):
    for way, process in {way: start(world, way) for way in AT_WORK}.items():
        for _ in range(10):
            result = why(world, process.pid)
            equal((result.status, result.stderr), (0, ""), f"{way}: {result.stdout}")


@scenario()
def why_tells_no_deadlock_of_healthy_programs(world):
    here = [argv for argv in PROGRAMS_AT_REST if shutil.which(argv[0])]
    running = [(argv, world.start(argv, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)) for argv in here]
    lasting = 0
    for argv, process in running:
        result = why(world, process.pid)
        check(result.status != DEADLOCK and "deadlock:" not in result.stdout, f"{argv}: {result.stdout}")
        check(result.status == 0 or process.poll() is not None, f"{argv}: status {result.status}: {result.stderr}")
        lasting += process.poll() is None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    check(lasting >= 40, f"only {lasting} of {len(running)} programs were there to look at")


@scenario()
def why_finds_the_deadlock_of_a_shell(world):
    shell = world.start(["bash", "-c", "coproc cat; wait"])
    wait_until(lambda: why(world, shell.pid).status == DEADLOCK, what="a shell waits for its coprocess, which reads what the shell writes")
    [sentences] = deadlocks(world.last.stdout).values()
    expect_all(sentences, [r"^process \d+ \(bash .*\) waits for the end of its child process \d+ \(cat\)",
                           r"^process \d+ \(cat\) waits for data from pipe:\[\d+\], whose write end is held by process \d+ \(bash"], "the shell")


UNKNOWN = "no deadlock, as far as it is known who waits for whom"
LOCKS = """import threading
mine, other, both = threading.Lock(), threading.Lock(), threading.Barrier(2)
def takes_mine():
  with other: both.wait(); mine.acquire()
threading.Thread(target=takes_mine).start()
with mine: both.wait(); print("ready", flush=True); other.acquire()"""


def expect_unknown(world, process, nature, threads):
    """Says of so many threads that nothing records who keeps them from going on, and why."""
    pattern = re.compile(rf"waits for futex .*, and who may wake it is not known: {nature}$", re.MULTILINE)
    wait_until(lambda: len(pattern.findall(why(world, process.pid).stdout)) == threads, what=f"{threads} times: {nature}")
    equal((world.last.status, [*sections(world.last.stdout)]), (0, [UNKNOWN]), f"{nature}: status and sections")


@scenario()
def why_says_that_locks_of_python_have_no_owner(world):
    process = world.start([*PYTHON, LOCKS])
    equal(process.stdout.readline(), "ready\n", "its first line")
    expect_unknown(world, process, "locks of Python record no owner", 2)


@scenario()
def why_knows_musl(world):
    if not shutil.which("musl-gcc"):
        raise Skip("no musl: musl-tools")
    program = world.path("stuck")
    subprocess.run(["musl-gcc", "-g", "-O1", "-pthread", "-o", program, PROGRAMS / "stuck.c"], check=True)
    for way in ("recursive", "joins"):
        process = start(world, way, program)
        wait_until(lambda process=process: why(world, process.pid).status == DEADLOCK, what=f"{way}: a deadlock is told")
    expect_unknown(world, start(world, "mutexes", program), "a normal mutex of musl records no owner", 2)


@scenario()
def why_knows_the_locks_of_rust(world):
    process = world.start([world.program("stuck_rust")])
    equal(process.stdout.readline(), "ready\n", "its first line")
    expect_unknown(world, process, "locks of Rust record no owner", 2)


@scenario()
def why_shows_who_waits_behind_a_deadlock_and_the_stacks(world):
    process = start(world, "behind")
    find_deadlock(world, process, "behind")
    behind = sections(why(world, process.pid).stdout)["no end in sight: these wait for a deadlock, or for what nobody can give"]
    expect_all(behind, [rf"^thread {process.pid} .* waits for mutex .* \(first\), {HOLDS}"], "behind")
    text = world.last.stdout
    for frame in ("stuck`lock_next", "stuck`main", "libc.so.6`"):
        check(frame in text, f"no {frame} in {text}")


@scenario()
def why_serves_an_ordinary_user(world):
    user = world.as_user()
    process = start(user, "child_reads")
    find_deadlock(user, process, "child_reads")
    check("kernel:" not in user.last.stdout or os.geteuid() != 0, user.last.stdout)
    if os.geteuid() == 0:
        result = user.sonde("--why", "-p", str(os.getpid()), status=1)
        check(f"process {os.getpid()} cannot be looked into: permission denied" in result.stderr, result.stderr)


@scenario()
def why_follows_from_any_of_several_processes(world):
    alone, stuck = start(world, "sleeps"), start(world, "between_processes")
    wait_until(lambda: why(world, alone.pid, stuck.pid).status == DEADLOCK, what="a deadlock is told")
    found = sections(world.last.stdout)
    equal([len(sentences) for sentences in found.values()], [2, 1], f"threads in each section: {found}")
    [other] = {int(pid) for pid in re.findall(r"^  process (\d+)", world.last.stdout, re.MULTILINE)} - {alone.pid, stuck.pid}
    equal((why(world, other).status, len(deadlocks(world.last.stdout))), (DEADLOCK, 1), "from the other end")


TURNS = """
import os, threading, time
out, into = os.pipe()
def feed():
    while True:
        time.sleep(0.004)
        os.write(into, b"x")
threading.Thread(target=feed, daemon=True).start()
while True:
    time.sleep(0.003)
    os.read(out, 1)
"""


@scenario()
def why_shows_the_stack_of_the_wait(world):
    """A thread that goes on between the line and its stack has no user stack, rather than that of its next wait."""
    process = world.start([sys.executable, world.path("turns.py", TURNS)])
    wait_until(lambda: len(os.listdir(f"/proc/{process.pid}/task")) == 2, what="both threads run")
    of_wait = {"sleeps for a time": "sleep", "waits for data": "read"}
    for _ in range(30):
        text = why(world, process.pid).stdout
        for line, rest in re.findall(r"^  (thread .*)\n((?: {4,}.*\n)*)", text, re.M):
            for said, function in of_wait.items():
                user = [one for one in rest.splitlines() if "`" in one]
                check(said not in line or not user or any(function in one for one in user), f"another stack: {line}\n{rest}")


@scenario()
def why_says_what_it_does_not_do(world):
    sleeper = world.start(["sleep", "1000"])
    pid = str(sleeper.pid)
    for words, message in ((["--why"], "--why: -p PID names"), (["--why", "-c", "true"], "--why: it looks at processes that wait already"),
                           (["--why", "-p", pid, "-n", "BEGIN"], "--why: it traces nothing"), (["--why", "-p", pid, "more"], "--why: no word more"),
                           (["--why", "-p", pid, "--summary"], "--why: it traces nothing"), (["--why", "-p", pid, "-T"], "--why: it traces nothing"),
                           (["--why", "-p", "2147483646"], "process 2147483646 does not exist")):
        result = world.sonde(*words, status=1)
        check(message in result.stderr, f"{words}: {result.stderr}")
    output = world.path("why.txt")
    equal(world.sonde("--why", "-p", pid, "-o", output).stdout, "", "with -o, standard output")
    check("sleeps for a time" in open(output, encoding="utf-8").read(), "the file of -o")
