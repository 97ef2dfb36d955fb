# SPDX-License-Identifier: GPL-3.0-or-later
"""System calls as text, compared with strace's output for the same program."""

import difflib
import http.client
import os
import pathlib
import re
import shutil
import signal
import socket

from support import Skip, check, equal, lines_of_calls, patience, scenario, wait_until

TEXT = r'"(?:[^"\\]|\\.)*"'
# Parts that differ between runs (addresses, numbers of descriptors in /proc, times), and the order of flags. Thread
# numbers have already become THREAD.
CHANGING = [(r"0x[0-9a-f]{5,}", "ADDRESS"), (r"AT_FDCWD<[^>]*>", "AT_FDCWD"), (r"(pipe|socket|eventfd):\[\d+\]", r"\1:[N]"),
            (rf'getrandom\( *{TEXT}', "getrandom(RANDOM"), (r"(sysinfo|getrusage|times|statfs)\(.*", r"\1"), (r"/tmp/cc\w{6}", "/tmp/ccX"),
            (r"\( *\)", "()"), (r" +, +", ", "), (r",  +", ", "), (r" +\) += ", ") = "), (r"\) += ", ") = "), (r"u64=\d+", "u64=N"), (r"htons\(\d+\)", "htons(PORT)"),
            (rf"(/dev/u?random>, ){TEXT}", r"\1RANDOM"), (r"u32=\d{5,}", "u32=ADDRESS"), (r"(epoll_wait\(.*, )\d+\)", r"\1TIMEOUT)"),
            (rf"((?:log|/proc/THREAD/\w+)>, ){TEXT}.*", r"\1CONTENTS"), (rf'(pipe:\[N\]>, )(?="\\1\\0\\0){TEXT}', r"\1CONTENTS"), (r"(log>, .*(?:st_size=|SEEK_END\) = ))\d+", r"\1N")]
# A size or an offset may happen to be a thread's number.
OF_DATA = re.compile(r"(p?read(64)?|p?write(64)?|lseek|mmap|munmap|mremap|mprotect|brk|stat|lstat|fstat|newfstatat|statx|getdents64|f?truncate|sendfile|copy_file_range)\(")
OF_PROCESSES = re.compile(r"(clone3?|v?fork|wait4|getpid|gettid|getppid|set_tid_address|kill|tgkill|rt_sigreturn)\(")
# What strace shows better: docs/providers/syscall.md has the table.
BETTER = [(r" /\* \w+\?\?\? \*/", ""), (r" => \{parent_tid=\[\w+\]\}", ""), (r"rt_sigreturn\(.*", "rt_sigreturn"), (r'(PR_SET_NAME, "[^"]{15}")\.\.\.', r"\1"), (r"\[\d+ => (\d+)\]", r"[\1]"), (r"\[\d+\] => (\[\d+\])", r"\1"),
          (r"msg_namelen=\d+ => ", "msg_namelen="), (r"(select|pselect6|poll|ppoll)\(.*", lambda found: re.sub(r"<[^>]*>|, left \{.*?\}", "", found.group(0))),
          (r"cmsg_data=\[[^,}]*\]", lambda found: re.sub(r"<[^>]*>", "", found.group(0))), (rf"^((?:.*?iov_base={TEXT}\.*){{6}})(.*)",
           lambda found: found[1] + re.sub(rf"(iov_base=){TEXT}\.*", r"\1ADDRESS", found[2]))]
# What we show better: the errno that the program gets, and fields that are set but not used.
WORSE = [(r"\? ERESTARTNOHAND \(To be restarted if no handler\)", "-1 EINTR (Interrupted system call)"), (r"(EPOLL_CTL_DEL, [^,]*, ).*\)", r"\1ADDRESS)")]

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
fcntl.ioctl(a, 0x541b, bytes(4)); pty, tty = os.openpty(); os.get_terminal_size(tty); os.isatty(tty)
os.mkdir("folder"); os.listdir("."); os.rmdir("folder"); os.uname(); os.getcwd(); os.umask(0o27)
signal.signal(signal.SIGUSR1, lambda *_: None); signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT]); os.kill(os.getpid(), signal.SIGUSR1)
signal.setitimer(signal.ITIMER_REAL, 100); resource.getrlimit(resource.RLIMIT_NOFILE); os.memfd_create("memory"); os.getresuid()
"""


def comparable(line):
    for pattern, to in BETTER + WORSE + CHANGING:
        line = re.sub(pattern, to, line)
    if OF_PROCESSES.match(line):
        line = re.sub(r"\b\d+\b", "N", line)
    return re.sub(r"\w+(?:\|\w+)+", lambda found: "|".join(sorted(found.group(0).split("|"))), line)


def by_thread(path):
    """The calls of each thread, in the order of threads; threads with names are identified by them."""
    threads = {}
    for thread, text in lines_of_calls(path):
        if text and not text.startswith(("---", "+++")):
            threads.setdefault(str(thread), []).append(text)
    named = [[comparable(without_threads(text, "|".join(threads))) for text in calls] for calls in threads.values()]
    return sorted(named, key=lambda calls: next((text for text in calls if "PR_SET_NAME" in text), ""))


def without_threads(text, threads):
    """`threads`: their numbers, with | between them."""
    return re.sub(rf"(?<=/)(?:{threads})\b" if OF_DATA.match(text) else rf"\b(?:{threads})\b", "THREAD", text)


def name_of(line):
    return line.split("(")[0]


def kind_of(line):
    """The name; for calls with subfunctions, the subfunction."""
    return line.split(",")[1] if line.startswith("futex(") else name_of(line)


def alike(one, two, races):
    """For a program whose clients and threads race: a call with another result counts as another call, and numbers may
    differ."""
    def form(line):
        return re.sub(r"\d+", "N", line)
    return one == two or (races and form(one) == form(two))


def result_of(line):
    return line.rpartition(") = ")[2]


def differences(theirs, ours, races):
    """(number of equal calls, pairs that differ, calls that only one has)."""
    same, pairs, alone = 0, [], []
    kinds = [kind_of(line) for line in theirs], [kind_of(line) for line in ours]
    for tag, a, b, c, d in difflib.SequenceMatcher(None, *kinds, autojunk=False).get_opcodes():
        if tag != "equal":
            alone += theirs[a:b] + ours[c:d]
        for one, two in zip(theirs[a:b], ours[c:d]) if tag == "equal" else ():
            if alike(one, two, races):
                same += 1
            elif not races or result_of(one) == result_of(two):
                pairs.append((one, two))
    return same, pairs, alone


def traced(world, tracer, client):
    """Runs the tracer in an empty folder, and at the same time the client, which gets that folder."""
    here = pathlib.Path(world.path("work"))
    shutil.rmtree(here, ignore_errors=True)
    here.mkdir()
    process = world.start(tracer, cwd=here)
    if client:
        client(here)
    equal(world.finish(process).status, 0, f"status of {tracer[0]}")


def compare(world, command, least, client=None):
    if shutil.which("strace") is None:
        raise Skip("no strace: strace")
    theirs, ours = world.path("strace.out"), world.path("sonde.out")
    clauses = ('syscall:::return /arg1 != 0 || (probefunc != "fork" && probefunc != "vfork" && probefunc != "clone" && probefunc != "clone3")/ '
               '{ printf("%d %s(%s) = %s\\n", tid, probefunc, argstr, retstr); } '
               'syscall::exit_group:entry { printf("%d %s(%s) = ?\\n", tid, probefunc, argstr); }')
    traced(world, ["strace", "-f", "-y", "-o", theirs, "sh", "-c", command], client)
    traced(world, [world.binary, "-x", "strsize=8k", "-q", "-o", ours, "-n", clauses, "-c", f"sh -c '{command}'"], client)
    same, pairs, alone = 0, [], []
    threads = by_thread(theirs), by_thread(ours)
    equal(len(threads[1]), len(threads[0]), "threads")
    equal(name_of(threads[0][0].pop(0)), "execve", "the call that started it: ours are those from the exec on")
    for one, two in zip(*threads):
        more, differing, rest = differences(one, two, races=client is not None)
        same, pairs, alone = same + more, pairs + differing, alone + rest
    print(f"  {same} calls alike, {len(pairs)} not; {len(alone)} that one alone has: {[name_of(line) for line in alone][:20]}")
    for one, two in pairs[:5]:
        print(f"  strace: {one}\n  sonde:  {two}")
    check(same >= least, f"only {same} calls were compared")
    return pairs, alone


@scenario()
def decoded_as_strace_does_tar(world):
    """The same calls, each with strace's text."""
    os.makedirs(world.path("tree/inner"))
    for i in range(20):
        open(world.path(f"tree/inner/{i}"), "w", encoding="ascii").write("x" * i)
    pairs, alone = compare(world, f"tar cf archive.tar -C {world.path('tree')} inner && tar xf archive.tar", 400)
    equal((pairs, alone), ([], []), "calls that differ, calls that one alone has")


@scenario()
def decoded_as_strace_does_gcc(world):
    source = world.path("a.c", "#include <stdio.h>\nint main(void) { puts(\"hi\"); }\n")
    pairs, alone = compare(world, f"gcc -O1 {source} -o a.out", 1000)
    alone = [call for call in alone if name_of(call) != "getrandom"]  # repeated if the name of a temporary file is in use
    equal((pairs, alone), ([], []), "calls that differ, calls that one alone has")


@scenario()
def decoded_as_strace_does_python(world):
    script = world.path("script.py", PYTHON)
    pairs, _ = compare(world, f"/usr/bin/python3 -S -E -B {script}", 800)
    equal([pair for pair in pairs if name_of(pair[0]) != "getdents64"], [], "calls that differ")  # entries are not counted beyond 4 KiB


NGINX = """
user root root; daemon off; worker_processes 1; pid nginx.pid; error_log error.log notice; events { worker_connections 64; }
http {
  access_log access.log; client_body_temp_path a; proxy_temp_path b; fastcgi_temp_path c; uwsgi_temp_path d; scgi_temp_path e;
  server { listen 127.0.0.1:%(port)d; listen unix:%(folder)s/work/socket; root %(folder)s/www; sendfile on; tcp_nopush on;
           location / { autoindex on; } location /elsewhere { return 302 /; } location /proxy/ { proxy_pass http://unix:%(folder)s/work/socket:/; } } }
"""


def answer(connection, path):
    """The status of a page, whose body is read as well."""
    connection.request("GET", path)
    response = connection.getresponse()
    response.read()
    return response.status


@scenario()
def decoded_as_strace_does_nginx(world):
    """Small and large files, a listing, a missing file, a proxy to itself; everything is logged."""
    program = shutil.which("nginx") or shutil.which("/usr/sbin/nginx")
    if not program:
        raise Skip("no nginx: nginx-light")
    os.makedirs(world.path("www/folder"))
    for name, size in (("small", 100), ("large", 3_000_000), ("folder/one", 1)):
        world.path(f"www/{name}", "x" * size)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    configuration = world.path("nginx.conf", NGINX % {"port": port, "folder": world.home})

    def client(here):
        wait_until((here / "nginx.pid").exists, what="nginx")
        wait_until(lambda: (here / "nginx.pid").read_text(), what="its pid")
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60 * patience)
        equal([answer(connection, path) for path in ("/small", "/large", "/folder/", "/none", "/elsewhere", "/proxy/small", "/proxy/large")],
              [200, 200, 200, 404, 302, 200, 200], "pages")
        connection.close()
        os.kill(int((here / "nginx.pid").read_text()), signal.SIGQUIT)

    pairs, _ = compare(world, f"exec {program} -p . -e error.log -c {configuration}", 700, client)
    equal(pairs, [], "calls that differ")


def connected(path):
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(str(path))
    except OSError:
        connection.close()
        return None
    return connection


def redis_does(path, commands):
    """Their answers' first lines."""
    with wait_until(lambda: connected(path), what="redis") as connection:
        answers = connection.makefile("rb")
        lines = []
        for command in commands:
            connection.sendall(command.encode() + b"\r\n")
            lines.append(answers.readline().decode().strip())
            if lines[-1].startswith("$") and lines[-1] != "$-1":
                answers.readline()
    return lines


@scenario()
def decoded_as_strace_does_redis(world):
    """Keys, a file with every change, a snapshot by a child, another connection by TCP."""
    if not shutil.which("redis-server"):
        raise Skip("no redis: redis-server")

    def client(here):
        equal(redis_does(here / "socket", ["SET a 1", "INCR a", "GET a", "APPEND a xyz", "DEL a", "LPUSH list 1", "EXPIRE list 100", "BGSAVE"]),
              ["+OK", ":2", "$1", ":4", ":1", ":1", ":1", "+Background saving started"], "answers")
        wait_until((here / "dump.rdb").exists, what="the snapshot")
        redis_does(here / "socket", ["SHUTDOWN NOSAVE"])

    command = "exec redis-server --port 0 --unixsocket socket --save \"\" --appendonly yes --appendfsync always --dir . --logfile log"
    pairs, _ = compare(world, command, 500, client)
    equal(pairs, [], "calls that differ")


@scenario()
def decoded_where_pointers_lie(world):
    """With invalid pointers every call is printed, as one line of printable text, and the calls around it are complete."""
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


@scenario(short=True)
def decoded_beside_signals_and_ends(world):
    """A clause with probes of calls, signals and ends shows each of them as a clause of that kind alone does."""
    kinds = ["syscall::kill:entry,syscall::exit_group:entry", "signal:::deliver", "proc:::exit,proc:::lwp-exit"]
    lines = {}
    for clauses in (" ".join(kind + " #" for kind in kinds), ",".join(kinds) + " #"):
        clause = clauses.replace("#", '{ printf("%s %s\\n", probename, argstr); }')
        for command in ("sh -c 'kill -USR1 $$'", "sh -c 'trap : USR1; kill -USR1 $$; exit 3'"):
            shown = world.sonde("-q", "-n", clause, "-c", command).stdout
            lines.setdefault(command, []).append(sorted(filter(None, re.sub(r"(si_pid=|entry )\d+,", r"\1PID,", shown).split("\n"))))
    for apart, together in lines.values():
        equal(together, apart, "lines of one clause")
    check("exit exited with 3" in together and "entry 3" in together, f"the end: {together}")
    signals = [line for line in together if line.startswith("deliver SIGUSR1 {si_signo=SIGUSR1, si_code=SI_USER, si_pid=PID, si_uid=")]
    equal(len(signals), 1, f"signals in {together}")


@scenario()
def decoded_plain_and_cut(world):
    """argstr=plain prints numbers; strings longer than strsize end in dots."""
    clause = 'syscall::write:entry /arg0 == 1/ { printf("[%s]\\n", argstr); }'
    result = world.sonde("-q", "-x", "argstr=plain", "-n", clause, "-c", "/bin/echo hello")
    check('[1, "hello\\n", 6]' in result.stdout.splitlines(), result.stdout)
    result = world.sonde("-q", "-n", clause, "-c", "/bin/echo hello")
    check(re.search(r'^\[1<.+>, "hello\\n", 6\]$', result.stdout, re.M), result.stdout)
    result = world.sonde("-q", "-x", "argstr=plain", "-x", "strsize=10", "-n", clause, "-c", "/bin/echo hello")
    check('[1, "hel...]' in result.stdout.splitlines(), result.stdout)
