# SPDX-License-Identifier: GPL-3.0-or-later
"""Tools on functions and stacks: scripts of tools/ that are run by their name. deeds.c is told what it calls, so what each tool must print is
known: as PROGRAM, as a process that runs already, and for the whole machine without the module.

Who traces a function of a library in every process, by a uprobe, takes the hits from a breakpoint that another sonde has there: that other one says so.
So a scenario does this alone, or in a library that is its own."""

import json
import os
import pathlib
import re

from in_use import distribution, rows
from stock_functions import own_copy
from stock_kernel import need_it, stop_tracing
from support import Skip, at_rest, attached_to, check, equal, scenario, wait_until

LIBSSL = "/usr/lib/x86_64-linux-gnu/libssl.so.3"
TOOLS = {"SONDE_TOOL_PATH": str(pathlib.Path(__file__).resolve().parents[2] / "tools")}
# realloc() of much memory asks the kernel; where that fails it calls malloc(). Only ptrace can make it fail.
ALSO_WITHOUT_MREMAP = [[]] if os.path.exists("/dev/sonde") else [[], ["-w", "-n", "syscall::mremap:entry { inject(-ENOMEM); }"]]


def need_machine(world):
    """Skips where sonde cannot look at the whole machine."""
    if not os.path.exists("/dev/sonde"):
        need_it(world)


def while_it_runs(world, argv, tool, *words, whom=None):
    """What the tool says of a program that runs already, and what the program itself prints. A FIFO is the program's last argument: it opens that, which
    waits until it is traced. `whom`: asks for the pid to trace once the program waits, if it is another."""
    gate = world.path("gate")
    if not os.path.exists(gate):
        os.mkfifo(gate)
    program = world.start([*argv, gate])
    wait_until(lambda: pathlib.Path(f"/proc/{program.pid}/wchan").read_text() == "wait_for_partner", what="the program waits")
    traced = whom() if whom else program.pid
    sonde = world.start_sonde(tool, *words, "-p", traced, env=TOOLS)
    wait_until(lambda: attached_to(sonde, traced) and at_rest(sonde), what="it is traced")
    with open(gate, "wb"):
        pass
    printed = world.finish(program)
    equal(printed.status, 0, f"the program: {printed.stderr}")
    return world.finish(sonde), printed.stdout


class Deeds:
    """A copy of deeds.c, which nobody else runs, that does `deeds`."""

    def __init__(self, world, *deeds, program="deeds"):
        self.world, self.deeds = world, deeds
        self.path = own_copy(world, world.program(program))
        self.name = os.path.basename(self.path)[:15]

    def as_program(self, tool, *words):
        return self.world.sonde(tool, *words, self.path, *self.deeds, env=TOOLS)

    def as_process(self, tool, *words):
        """It runs already, and goes on when it is traced."""
        gate = self.world.path("gate")
        if not os.path.exists(gate):
            os.mkfifo(gate)
        program = self.world.start([self.path, f"open:{gate}", "close", *self.deeds])
        wait_until(lambda: pathlib.Path(f"/proc/{program.pid}/wchan").read_text() == "wait_for_partner", what="the program waits")
        sonde = self.world.start_sonde(tool, *words, "-p", program.pid, env=TOOLS)
        wait_until(lambda: attached_to(sonde, program.pid) and at_rest(sonde), what="it is traced")
        with open(gate, "wb"):
            pass
        return self.world.finish(sonde)

    def on_machine(self, tool, *words):
        """What the tool says of the machine while the program runs; a BEGIN of ours comes when all is armed."""
        need_machine(self.world)
        said = self.world.path("said", "")
        sonde = self.world.start_sonde("-b", "16m", "-o", said, tool, *words, "-n", 'BEGIN { printf("armed\\n"); }', env=TOOLS)
        wait_until(lambda: "armed\n" in pathlib.Path(said).read_text() or sonde.poll() is not None, what="sonde's start")
        equal(self.world.run([self.path, *self.deeds]).status, 0, "the program")
        result = stop_tracing(self.world, sonde)
        result.stdout = pathlib.Path(said).read_text().replace("armed\n", "", 1)
        return result

    def each_way(self, tool, *words, machine=()):
        """(how, what the tool printed). `machine`: more words for the whole machine."""
        yield "PROGRAM", self.as_program(tool, *words).stdout
        yield "-p", self.as_process(tool, *words).stdout
        try:
            need_machine(self.world)
        except Skip:
            return
        yield "machine", self.on_machine(tool, *words, *machine).stdout

    def own_functions(self, tool, *words):
        """The same for functions of the program itself."""
        yield from self.each_way(tool, *words, machine=[f"--module={self.path}"])


@scenario()
def tool_funccount(world):
    deeds = Deeds(world, "calls:9", "recurse:4", "allocate:100:50")
    for how, text in deeds.own_functions("funccount", "*[ef]*", "--top=1000"):
        found = {row[2]: int(row[0]) for row in rows(text) if deeds.name[:5] in row[1]}
        equal({one: found.get(one) for one in ("outer", "leaf", "recurse")}, {"outer": 1, "leaf": 9, "recurse": 5}, how)
    text = deeds.as_program("funccount", "malloc", "--module=libc.so.6", f"--name={deeds.name}").stdout
    row = rows(text)[-1]
    check(row[1:] == ["libc.so.6", "malloc"] and 50 <= int(row[0]) <= 60, text)
    found = rows(deeds.as_program("funccount", "*", "--module=a.out", "--top=1").stdout)
    equal([row[2] for row in found], ["FUNCTION", "leaf"], "--top=1: the one that is called most")
    equal(len(rows(deeds.as_program("funccount", "leaf", "--name=other").stdout)), 1, "--name of another program")


@scenario()
def tool_functrace(world):
    deeds = Deeds(world, "calls:2", "recurse:1", "text:a\"word")
    wanted = ["-> outer(0x2)", "  -> leaf(0x1)", "  <- leaf = 0x2", "  -> leaf(0x2)", "  <- leaf = 0x4", "<- outer = 0x7", "-> recurse(0x1)",
              "  -> recurse(0)", "  <- recurse = 0x1", "<- recurse = 0x2", '-> say(ADDRESS) "a\\"word"', "<- say = 0x6"]
    for how, text in deeds.own_functions("functrace", "[lors][eua]*[reyf]", "--args=1"):
        lines = [re.sub(r"^ *\d+\.\d{3} \d+ +?(?=(?:  )*[-<])|  \d+ us$", "", line) for line in text.splitlines()]
        own = [re.sub(r"(0x[0-9a-f]{6,})", "ADDRESS", line) for line in lines if re.search(r"(-> |<- )(outer|leaf|recurse|say)\b", line)]
        own = [line[min(len(one) - len(one.lstrip()) for one in own):] for line in own]
        equal(own, [line.replace(' "a\\"word"', "") for line in wanted], how)
    text = deeds.as_program("functrace", "say", "--module=a.out", "--args=0", "--text=1").stdout
    check(re.search(r'-> say\(\) "a\\?"word"$', text, re.M), text)


@scenario()
def tool_functrace_says_where_a_result_has_not_come(world):
    """fopen() of some libraries ends by a jump to another function, which gives the result."""
    text = world.sonde("functrace", "fopen", "--text=1", "getent", "passwd", "root", env=TOOLS).stdout
    check(re.search(r'-> fopen\(.*\) "/etc/passwd"$', text, re.M), text)
    ends = re.findall(r"<- fopen (= 0x\w+|goes on in another function)  \d+ us$", text, re.M)
    check(ends and len(set(one[0] for one in ends)) == 1, f"each call has an end, all of one kind: {text}")


@scenario()
def tool_funclatency(world):
    """Recursion: each level is measured. Naps of a known length."""
    deeds = Deeds(world, "recurse:7", "sleep:20:3", "fork:0")
    for how, text in deeds.own_functions("funclatency", "recurse"):
        found = re.search(r"^recurse: (\d+) calls, average (\d+) ns, longest (\d+) ns, all (\d+) ns$", text, re.M)
        calls, average, longest, whole = (int(one) for one in found.groups())
        equal((calls, average, sum(distribution(text).values())), (8, whole // 8, 8), how)
        check(longest <= whole <= 8 * longest, f"{how}: {text}")
    text = deeds.as_process("funclatency", "nanosleep", "--module=libc.so.6", "--min=15ms", f"--name={deeds.name}").stdout
    found = re.search(r"nanosleep: (\d+) calls, average (\d+) ns", text)
    equal(int(found[1]), 3, "naps")
    check(20_000_000 <= int(found[2]) < 200_000_000 and min(distribution(text)) >= 1 << 24, text)
    equal(deeds.as_program("funclatency", "recurse", "--min=10s").stdout.strip(), "", "--min")


@scenario()
def tool_argdist(world):
    deeds = Deeds(world, "calls:9", "recurse:4", "text:one", "text:two", "text:one")
    for how, text in deeds.own_functions("argdist", "leaf"):
        equal(distribution(text), {1: 1, 2: 2, 4: 4, 8: 2}, how)
    text = deeds.as_process("argdist", "recurse", "--arg=0", "--type=int", "--values").stdout
    equal(sorted(row for row in rows(text) if row[1] == "recurse"), [["1", "recurse", str(n)] for n in range(1, 6)], "results")
    text = deeds.as_program("argdist", "say", "--text").stdout
    equal([row for row in rows(text) if row[1] == "say"], [["1", "say", "two"], ["2", "say", "one"]], "texts")
    for words, what in ((["--arg=7"], "--arg=7: it is 1 to 6"), (["--type=float"], "--type=float: it is long")):
        check(what in world.sonde("argdist", "leaf", *words, deeds.path, *deeds.deeds, env=TOOLS, status=1).stdout, what)
    lines = [json.loads(line) for line in deeds.as_program("argdist", "leaf", "--values", "--format=jsonl", "-o", "/dev/stdout").stdout.splitlines()]
    found = {line["keys"][1]: line["value"] for line in lines if line["type"] == "agg" and line["agg"] == "each"}
    equal(found, {str(n): 1 for n in range(1, 10)}, "as JSON")


@scenario()
def tool_argdist_knows_signs(world):
    """abs(), which python calls: an int, whose sign does not fill the register."""
    script = "import ctypes; c = ctypes.CDLL(None); c.abs(-3), c.abs(5)"
    for kind, values in (("int", ["-3", "5"]), ("uint", ["4294967293", "5"])):
        text = world.sonde("argdist", "abs", "--module=libc.so.6", "--values", f"--type={kind}", "/usr/bin/python3", "-c", script, env=TOOLS).stdout
        equal(sorted(row[2] for row in rows(text)[1:]), sorted(values), kind)


def stacks(text):
    """{stack, innermost first, without offsets: count}"""
    found = {}
    for block in re.split(r"\n\n+", text):
        frames = re.findall(r"^ {10,}(\S*`\S*)$", block, re.M)
        count = re.search(r"^ +(\d+)$", block, re.M)
        if frames and count:
            key = tuple(re.sub(r".*`|\+0x.*", "", frame) for frame in frames)
            found[key] = found.get(key, 0) + int(count[1])
    return found


@scenario()
def tool_stackcount(world):
    deeds = Deeds(world, "calls:9", "recurse:2", "getppid:7", "sleep:300")  # the names of a stack are read from the process
    for how, text in deeds.each_way("stackcount", f"pid*:{deeds.path}:leaf:entry"):
        equal({stack[:4]: count for stack, count in stacks(text).items()}, {("leaf", "middle", "outer", "main"): 9}, how)
    text = deeds.as_process("stackcount", "syscall::getppid:entry", f"--name={deeds.name}").stdout
    equal({stack[1]: count for stack, count in stacks(text).items()}, {"main": 7}, "of a system call")
    folded = deeds.as_program("stackcount", f"pid*:{deeds.path}:recurse:entry", "--format=folded", "-o", "/dev/stdout").stdout
    equal(sorted(line.rsplit("`", 1)[1] for line in folded.splitlines()), ["recurse 1"] * 3, "folded: a line for each depth")
    found = stacks(deeds.as_program("stackcount", f"pid*:{deeds.path}:*e*:entry", "--top=1").stdout)
    equal([(stack[0], count) for stack, count in found.items()], [("leaf", 9)], "--top=1")


@scenario()
def tool_stackcount_takes_the_source_that_has_the_probe(world):
    """The description is a word of the command line: with a target, probes of the kernel need another source than those of functions."""
    need_machine(world)
    deeds = Deeds(world, "sleep:2:20")
    found = stacks(deeds.as_program("stackcount", "sched:::sleep").stdout)
    naps = sum(count for stack, count in found.items() if any("nanosleep" in frame for frame in stack))
    check(20 <= naps <= 22, f"{found}")
    found = stacks(deeds.as_program("stackcount", "sched:::sleep", "--kernel").stdout)
    check(any("nanosleep" in frame for stack, count in found.items() if count >= 20 for frame in stack), f"{found}")


# -- waiting, time and memory --

@scenario()
def tool_profile(world):
    """A loop without calls has nearly all samples; a second of processor time has --rate of them."""
    deeds = Deeds(world, "spin:400", "sleep:300")
    for how, text in deeds.each_way("profile", "--rate=200", f"--name={deeds.name}"):
        found = stacks(text)
        spins = sum(count for stack, count in found.items() if stack[:2] == ("spin_here", "main"))
        check(spins >= 10 and spins >= 0.8 * sum(found.values()), f"{how}: {found}")
    folded = deeds.as_program("profile", "--format=folded", "-o", "/dev/stdout").stdout
    check(re.search(rf"^{deeds.name};.*`main;\S*`spin_here \d+$", folded, re.M), folded)
    picture = deeds.as_program("profile", "--format=svg", "-o", "/dev/stdout").stdout
    check("<svg" in picture and "spin_here" in picture, picture[:400])
    equal(len(stacks(deeds.as_program("profile", "--top=1").stdout)), 1, "--top=1")


@scenario(alone=True)
def tool_mallocs(world):
    deeds = Deeds(world, "allocate:3000:20", "leak:70000:3", "sleep:300")
    plain = Deeds(world, "sleep:1")
    for how, text in deeds.each_way("mallocs", "--min=2000", f"--name={deeds.name}"):
        found = re.search(r"^\S+ \d+: (\d+) requests, (\d+) bytes; by bytes:$", text, re.M)
        equal((int(found[1]), int(found[2])), (23, 20 * 3000 + 3 * 70000), how)
        equal(distribution(text), {2048: 20, 65536: 3}, how)
    found = stacks(deeds.as_program("mallocs", "--min=2000", "--stacks").stdout.replace(" bytes\n", "\n"))
    equal((sum(found.values()), {stack[0] for stack in found}), (20 * 3000 + 3 * 70000, {"malloc"}), "by stack")
    check(all("main" in stack for stack in found), f"{found}")
    equal(plain.as_program("mallocs", "--min=2000").stdout.strip(), "", "a program that asks for nothing")


@scenario()
def tool_mallocs_counts_each_request_once(world):
    """realloc() calls malloc() and free() by itself, in several ways."""
    program = """
import ctypes
c = ctypes.CDLL(None)
for one in ("malloc", "calloc", "realloc", "aligned_alloc"):
    getattr(c, one).restype = ctypes.c_void_p
size, at = ctypes.c_size_t, ctypes.c_void_p
p = at(c.realloc(None, size(1 << 30)))
p = at(c.realloc(p, size(3 << 30)))
p = at(c.realloc(p, size(1 << 31)))
c.realloc(p, size(0))
c.free(at(c.calloc(size(1 << 15), size(1 << 15))))
c.free(at(c.aligned_alloc(size(64), size(1 << 30))))
c.posix_memalign(ctypes.byref(at()), size(64), size(1 << 29))
c.malloc(size(2 ** 64 - 5))
"""
    for words in ALSO_WITHOUT_MREMAP:
        text = world.sonde("mallocs", "--min=512m", *words, "/usr/bin/python3", "-c", program, env=TOOLS).stdout
        equal(distribution(text), {1 << 29: 1, 1 << 30: 3, 1 << 31: 2}, f"requests, {words}")
        check(re.search(r": 1 requests of more bytes than there are addresses$", text, re.M), text)


@scenario(alone=True)
def tool_locks(world):
    """The time in the tool is within what the threads measure around their calls."""
    deeds = Deeds(world, "3", program="mutexes")
    own = int(deeds.as_program("locks", "--wait=1ms", "-o", world.path("rows")).stdout)
    runs = [("PROGRAM", pathlib.Path(world.path("rows")).read_text(), own)]
    result, own = while_it_runs(world, [deeds.path, "3"], "locks", "--wait=1ms")
    runs.append(("-p", result.stdout, int(own)))
    try:
        need_machine(world)
        runs.append(("machine", deeds.on_machine("locks", "--wait=1ms", f"--name={deeds.name}").stdout, None))
    except Skip:
        pass
    for how, text, own in runs:
        found = {row[6].rsplit("`")[1].split("+")[0] + row[3]: row for row in rows(text)[1:] if deeds.name[:7] in row[6]}
        time, longest, waits, calls = (int(word) for word in found["taker3"][:4])
        equal((waits, calls), (3, 3), f"{how}: {text}")
        check(60_000 <= longest <= time <= 3 * longest, f"{how}: {text}")
        check(own is None or 0.7 * own <= time * 1000 <= own, f"{how}: {time} us, the threads have measured {own} ns")
        equal(found["main50"][3], "50", f"{how}: calls that nobody waits for")
    text = deeds.as_program("locks", "--wait=30ms", "--stacks", "-o", "/dev/stdout").stdout
    equal([stack[1] for stack in stacks(text.replace(" us\n", "\n"))], ["taker"], text)


@scenario(alone=True)
def tool_threadsnoop(world):
    deeds = Deeds(world, "threads:3", "sleep:300")
    for how, text in deeds.each_way("threadsnoop", f"--name={deeds.name}"):
        found = [row for row in rows(text) if row[3] == deeds.name]
        equal([row[4:] for row in found], [["0", f"{os.path.basename(deeds.path)}`thread_main"]] * 3, how)
        equal(len({row[1] for row in found}), 1, "one process")


@scenario(alone=True)
def tool_gethostlatency(world):
    """What a file of hosts has, and what nobody knows; getaddrinfo() within python, and the older functions."""
    program = """
import ctypes, socket, sys
if len(sys.argv) > 1:
    open(sys.argv[1]).close()
socket.getaddrinfo("localhost", 80)
c = ctypes.CDLL(None)
c.gethostbyname(b"localhost")
c.gethostbyname2(b"nowhere.invalid", 2)
try:
    socket.getaddrinfo("nowhere.invalid", 80)
except OSError as error:
    print(error.errno)
"""
    result = world.sonde("gethostlatency", "-o", world.path("rows"), "/usr/bin/python3", "-c", program, env=TOOLS)
    runs = [("PROGRAM", pathlib.Path(world.path("rows")).read_text(), result.stdout)]
    result, error = while_it_runs(world, ["/usr/bin/python3", "-c", program], "gethostlatency")
    runs.append(("-p", result.stdout, error))
    for how, text, error in runs:
        found = [row[3:] for row in rows(text)[1:]]
        equal(found, [["0", "localhost"], ["found", "localhost"], ["failed", "nowhere.invalid"], [error.strip(), "nowhere.invalid"]], how)
    equal(len(rows(world.sonde("gethostlatency", "--min=100s", "getent", "ahosts", "localhost", env=TOOLS).stdout.split("HOST")[1])[3:]), 0, "--min")
    need_machine(world)
    text = Deeds(world, "run:getent:ahosts:localhost").on_machine("gethostlatency", "--name=getent").stdout
    check(["getent", "0", "localhost"] in [[row[1], *row[3:]] for row in rows(text)], text)


@scenario(alone=True)
def tool_sslsnoop(world):
    """Two threads of one program talk to each other through libssl."""
    if not os.path.exists(LIBSSL):
        raise Skip("no libssl.so.3 in the usual folder")
    key = world.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", world.path("key"), "-out", world.path("certificate"), "-days", "2",
                     "-subj", "/CN=x"])
    equal(key.status, 0, f"openssl: {key.stderr}")
    program = world.path("talk.py", f"""
import socket, ssl, sys, threading
if len(sys.argv) > 1:
    open(sys.argv[1]).close()
a, b = socket.socketpair()
of_server, of_client = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
of_server.load_cert_chain({world.path("certificate")!r}, {world.path("key")!r})
of_client.check_hostname, of_client.verify_mode = False, ssl.CERT_NONE
def serve():
    server = of_server.wrap_socket(a, server_side=True)
    server.recv(100), server.sendall(b"answer\\n" + b"z" * 100)
thread = threading.Thread(target=serve)
thread.start()
client = of_client.wrap_socket(b)
client.sendall(b"a question\\r\\n"), client.recv(200), thread.join()
""")
    wanted = sorted([["sends", "12", "a question\\r\\n"], ["gets", "12", "a question\\r\\n"], ["sends", "107", "answer\\nzzz"], ["gets", "107", "answer\\nzzz"]])
    texts = [world.sonde("sslsnoop", "--bytes=12", "/usr/bin/python3", program, env=TOOLS).stdout,
             while_it_runs(world, ["/usr/bin/python3", program], "sslsnoop", "--bytes=12")[0].stdout]
    try:
        need_machine(world)
        texts.append(Deeds(world, f"run:/usr/bin/python3:{program}").on_machine("sslsnoop", "--bytes=12").stdout)
    except Skip:
        pass
    for text in texts:
        found = [line.split(None, 4)[2:] for line in text.splitlines() if "question" in line or "answer" in line]
        equal(sorted([way, size, said[: 14 if "q" in said else 11]] for way, size, said in found), wanted, text)


@scenario(alone=True)
def tool_bashreadline(world):
    """A shell on a terminal of its own."""
    typist = world.path("types.py", """
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execv("/bin/bash", ["bash", "--norc", "--noprofile"])
shown = b""
def until(text):
    global shown
    while text not in shown:
        shown += os.read(terminal, 4096)
    shown = b""
if len(sys.argv) > 2:  # a shell that has shown its prompt already
    until(b"$ " if os.getuid() else b"# ")
    open(sys.argv[1], "w").write(str(pid))
    open(sys.argv[2]).close()
os.write(terminal, b"PS1='rea'dy\\n"), until(b"ready")
os.write(terminal, b"echo 'two  words' | cat\\n"), until(b"two  words\\r\\n")
os.write(terminal, b"exit\\n")
os.waitpid(pid, 0)
""")
    shell = pathlib.Path(world.path("shell"))
    texts = [world.sonde("bashreadline", "/usr/bin/python3", typist, env=TOOLS).stdout,
             while_it_runs(world, ["/usr/bin/python3", typist, shell], "bashreadline", whom=lambda: int(shell.read_text()))[0].stdout]
    try:
        need_machine(world)
        texts.append(Deeds(world, f"run:/usr/bin/python3:{typist}").on_machine("bashreadline").stdout)
    except Skip:
        pass
    for text in texts:
        found = [re.fullmatch(r"\d{4} \w+ +\d+ [\d:]+ +(\d+) +(\d+) +(.*)", line) for line in text.splitlines()[1:] if line]
        check(all(found), text)
        mine = [one[3] for one in found if one[1] == found[0][1]]
        equal(mine, ["PS1='rea'dy", "echo 'two  words' | cat", "exit"], text)


LEAKS = """
import ctypes
c = ctypes.CDLL(None)
for one in ("malloc", "calloc", "realloc"):
    getattr(c, one).restype = ctypes.c_void_p
size, at = ctypes.c_size_t, ctypes.c_void_p
M = 1 << 27
p = at(c.realloc(None, size(M)))
p = at(c.realloc(p, size(3 * M)))      # 3 stay, in one
q = at(c.calloc(size(M), size(5)))     # 5 stay: a realloc() that fails changes nothing
assert not c.realloc(q, size(1 << 62))
c.free(at(c.malloc(size(M))))
r = at()
c.posix_memalign(ctypes.byref(r), size(64), size(7 * M))
c.realloc(r, size(0))                  # frees
c.posix_memalign(ctypes.byref(r), size(64), size(7 * M))  # 7 stay
assert not c.malloc(size(1 << 62))
"""


@scenario(alone=True)
def tool_memleak(world):
    """Each way to get memory and to give it back, in sizes that say who is left; a fork that frees its copy; threads."""
    for words in ALSO_WITHOUT_MREMAP:
        result = world.sonde("memleak", "--min=64m", *words, "/usr/bin/python3", "-c", LEAKS, env=TOOLS)
        equal(result.stderr, "", "messages")
        found = sorted(int(size) / (1 << 27) for size in re.findall(r"^ +(\d+) bytes$", result.stdout, re.M))
        equal(found, [3, 5, 7], f"{words}: {result.stdout}")
    deeds = Deeds(world, "allocate:3000:20", "leak:70000:3", "leak:5000", "fork:0", "leak:5000", "sleep:300")
    for how, text in deeds.each_way("memleak", "--min=2000", f"--name={deeds.name}"):
        found = stacks(text.replace(" bytes\n", "\n"))
        equal([(stack[0], "main" in stack, count) for stack, count in found.items()], [("malloc", True, 220_000)], how)
    folded = deeds.as_program("memleak", "--min=2000", "--format=folded", "-o", "/dev/stdout").stdout
    check(re.fullmatch(r"\d+;deeds-(.*`main;)\S+`malloc 220000\n", folded), folded)
    deeds = Deeds(world, "leak:70000:3", "leak:5000", "sleep:1100", "leak:5000")
    text = deeds.as_program("memleak", "--min=2000", "--ages").stdout
    found = dict(re.findall(r"second (\d+)\n(?: {10,}.*`.*\n)+ +(\d+) bytes", text))
    equal(sorted(found.values()), ["215000", "5000"], text)
    early, late = sorted(found, key=int)
    check(found[early] == "215000" and int(late) > int(early), text)
