# SPDX-License-Identifier: GPL-3.0-or-later
"""System calls as text, beside what strace makes of the same program."""

import collections
import difflib
import os
import re
import shutil

from support import Skip, check, equal, scenario

# What differs from run to run (addresses, descriptors' numbers in /proc, processes), and the order of flags.
CHANGING = [(r"0x[0-9a-f]{5,}", "ADDRESS"), (r"AT_FDCWD<[^>]*>", "AT_FDCWD"), (r"(pipe|socket|eventfd):\[\d+\]", r"\1:[N]"),
            (r'getrandom\("[^"]*"', "getrandom(RANDOM"), (r"(sysinfo|getrusage|times|statfs)\(.*", r"\1"), (r"/tmp/cc\w{6}", "/tmp/ccX"),
            (r"\( *\)", "()"), (r",  +", ", "), (r" +\) += ", ") = "), (r"\) += ", ") = "), (r"u64=\d+", "u64=N"), (r"htons\(\d+\)", "htons(PORT)")]
OF_PROCESSES = re.compile(r"(clone3?|v?fork|wait4|getpid|gettid|getppid|set_tid_address|kill|tgkill|rt_sigreturn)\(")
# What strace shows better: docs/providers/syscall.md has the table.
BETTER = [(r" => \{parent_tid=\[\d+\]\}", ""), (r"rt_sigreturn\(\{mask=.*\}\)", "rt_sigreturn()"), (r"\[\d+ => (\d+)\]", r"[\1]"), (r"msg_namelen=\d+ => ", "msg_namelen="),
          (r"(select|pselect6|poll|ppoll)\(.*", lambda found: re.sub(r"<[^>]*>|, left \{.*?\}", "", found.group(0))),
          (r"cmsg_data=\[[^,}]*\]", lambda found: re.sub(r"<[^>]*>", "", found.group(0)))]

PYTHON = """
import os, select, signal, socket, subprocess, fcntl, resource, time
subprocess.run(["true"])
server = socket.socket(); server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
server.bind(("127.0.0.1", 0)); server.listen(5); client = socket.create_connection(server.getsockname()); other, _ = server.accept()
client.send(b"hello\\n\\0"); other.recv(10)
events = select.epoll(); events.register(other.fileno(), select.EPOLLIN); events.poll(0.01)
r, w = os.pipe(); wait = select.poll(); wait.register(r, 1); wait.poll(1); os.writev(w, [b"abc", b"de"]); wait.poll(); select.select([r], [], [], 1)
os.readv(r, [bytearray(3), bytearray(10)])
a, b = socket.socketpair(); socket.send_fds(a, [b"hi"], [r]); socket.recv_fds(b, 10, 4)
with open("file", "w") as f: f.write("text"); fcntl.lockf(f, fcntl.LOCK_EX); fcntl.flock(f, fcntl.LOCK_SH | fcntl.LOCK_NB)
os.utime("file", (1, 2)); os.chmod("file", 0o640); os.rename("file", "renamed"); os.symlink("renamed", "link"); os.readlink("link"); os.unlink("renamed")
os.mkdir("folder"); os.listdir("."); os.rmdir("folder"); os.uname(); os.getcwd(); os.umask(0o27)
signal.signal(signal.SIGUSR1, lambda *_: None); signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT]); os.kill(os.getpid(), signal.SIGUSR1)
signal.setitimer(signal.ITIMER_REAL, 100); resource.getrlimit(resource.RLIMIT_NOFILE); os.memfd_create("memory"); os.getresuid()
"""


def comparable(line):
    for pattern, to in BETTER + CHANGING:
        line = re.sub(pattern, to, line)
    if OF_PROCESSES.match(line):
        line = re.sub(r"\b\d+\b", "N", line)
    return re.sub(r"\w+(?:\|\w+)+", lambda found: "|".join(sorted(found.group(0).split("|"))), line)


def by_thread(path):
    """{thread: its calls}, in the order of threads; a call of strace's that was left unfinished is put together again."""
    threads, unfinished = collections.OrderedDict(), {}
    for line in open(path, encoding="utf-8", errors="replace"):
        if line == "\n":
            continue
        found = re.match(r"(\d+) +(.*)\n", line)
        thread, text = found.groups()
        if text.startswith(("---", "+++")):
            continue
        if text.endswith("<unfinished ...>"):
            unfinished[thread] = text.removesuffix("<unfinished ...>")
            continue
        if resumed := re.match(r"<\.\.\. \w+ resumed>(.*)", text):
            text = unfinished.pop(thread, "") + resumed.group(1)
        threads.setdefault(thread, []).append(comparable(text))
    return list(threads.values())


def name_of(line):
    return line.split("(")[0]


def differences(theirs, ours):
    """(number of equal calls, pairs that differ) of calls that both saw: those that one alone made are no matter of decoding."""
    same, pairs = 0, []
    names = [name_of(line) for line in theirs], [name_of(line) for line in ours]
    for tag, a, b, c, d in difflib.SequenceMatcher(None, *names, autojunk=False).get_opcodes():
        for one, two in zip(theirs[a:b], ours[c:d]) if tag == "equal" else ():
            if one == two:
                same += 1
            else:
                pairs.append((one, two))
    return same, pairs


def compare(world, command, least):
    if shutil.which("strace") is None:
        raise Skip("no strace")
    theirs, ours = world.path("strace.out"), world.path("sonde.out")
    here = {"cwd": world.path("work")}
    os.makedirs(here["cwd"], exist_ok=True)
    result = world.run(["strace", "-f", "-y", "-o", theirs, "sh", "-c", command], **here)
    equal(result.status, 0, "strace")
    shutil.rmtree(here["cwd"])
    os.makedirs(here["cwd"])
    clauses = ('syscall:::return { printf("%d %s(%s) = %s\\n", tid, probefunc, argstr, retstr); } '
               'syscall::exit_group:entry { printf("%d %s(%s) = ?\\n", tid, probefunc, argstr); }')
    world.sonde("-x", "strsize=8k", "-q", "-o", ours, "-n", clauses, "-c", f"sh -c '{command}'", **here)
    same, pairs = 0, []
    for one, two in zip(by_thread(theirs), by_thread(ours)):
        more, differing = differences(one, two)
        same, pairs = same + more, pairs + differing
    print(f"  {same} calls alike, {len(pairs)} not")
    for one, two in pairs[:5]:
        print(f"  strace: {one}\n  sonde:  {two}")
    check(same >= least, f"only {same} calls were compared")
    return same, pairs


@scenario()
def decoded_as_strace_does_tar(world):
    os.makedirs(world.path("tree/inner"))
    for i in range(20):
        open(world.path(f"tree/inner/{i}"), "w", encoding="ascii").write("x" * i)
    _, pairs = compare(world, f"tar cf archive.tar -C {world.path('tree')} inner && tar xf archive.tar", 400)
    equal(pairs, [], "calls that differ")


@scenario()
def decoded_as_strace_does_gcc(world):
    source = world.path("a.c", "#include <stdio.h>\nint main(void) { puts(\"hi\"); }\n")
    _, pairs = compare(world, f"gcc -O1 {source} -o a.out", 1000)
    equal(pairs, [], "calls that differ")


@scenario()
def decoded_as_strace_does_python(world):
    script = world.path("script.py", PYTHON)
    _, pairs = compare(world, f"/usr/bin/python3 -S -E -B {script}", 800)
    equal([pair for pair in pairs if name_of(pair[0]) != "getdents64"], [], "calls that differ")  # of over 4 KiB no entries are counted


@scenario()
def decoded_where_pointers_lie(world):
    """Nothing fails, every call is shown, on one line of printable text, and its neighbours are whole."""
    out = world.path("out")
    clauses = 'syscall:::entry,syscall:::return /execname == "bad_pointers"/ { printf("%s %s(%s) = %s\\n", probename, probefunc, argstr, retstr); }'
    result = world.sonde("-q", "-x", "strsize=4k", "-o", out, "-n", clauses, "-c", world.program("bad_pointers"))
    equal(result.stderr, "", "complaints")
    lines = [line for line in open(out, encoding="ascii").read().split("\n") if line]
    wrong = [line for line in lines if not re.fullmatch(r"(entry|return) \w+\([ -~]*\) = [ -~]+", line)]
    equal(wrong, [], "lines")
    returns = [line.removeprefix("return ") for line in lines if line.startswith("return ")]
    for wanted in ["openat(AT_FDCWD, 0x8, O_RDONLY) = -1 EFAULT (Bad address)",
                   r'openat(12345678, "\33[2Jname\n\"\\", O_RDONLY|0x40000000) = -1 EBADF (Bad file descriptor)',
                   'newfstatat(AT_FDCWD, "/", 0x8, 0) = -1 EFAULT (Bad address)',
                   "writev(-1, 0x8, 3) = -1 EBADF (Bad file descriptor)",
                   'writev(-1, [{iov_base=0x8, iov_len=100}, {iov_base="xxx", iov_len=3}], 2) = -1 EBADF (Bad file descriptor)',
                   'execve("/nonexistent", ["a", 0x8], 0x8) = -1 ENOENT (No such file or directory)',
                   "execve(0x8, 0x8, 0x8) = -1 EFAULT (Bad address)",
                   "connect(-1, 0x8, -1) = -1 EBADF (Bad file descriptor)"]:
        check(wanted in returns, f"{wanted} is not in {[line for line in returns if line.startswith(name_of(wanted))]}")


@scenario()
def decoded_plain_and_cut(world):
    """argstr=plain has bare numbers; what is longer than strsize ends in dots."""
    clause = 'syscall::write:entry /arg0 == 1/ { printf("[%s]\\n", argstr); }'
    result = world.sonde("-q", "-x", "argstr=plain", "-n", clause, "-c", "/bin/echo hello")
    check('[1, "hello\\n", 6]' in result.stdout.splitlines(), result.stdout)
    result = world.sonde("-q", "-n", clause, "-c", "/bin/echo hello")
    check(re.search(r'^\[1<.+>, "hello\\n", 6\]$', result.stdout, re.M), result.stdout)
    result = world.sonde("-q", "-x", "argstr=plain", "-x", "strsize=10", "-n", clause, "-c", "/bin/echo hello")
    check('[1, "hel...]' in result.stdout.splitlines(), result.stdout)
