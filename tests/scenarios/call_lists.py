# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of the list of calls, which are strace's, beside strace where it is installed."""

import difflib
import os
import pathlib
import re
import shutil
import time

from beside_strace import is_call, masked
from support import Skip, check, equal, scenario, wait_until

SHELL = """
trap : USR1
cat DATA missing 2> /dev/null > copy
kill -USR1 $$
rm -f copy
/bin/true; (exit 3)
exit 3
"""
# As people find them in strace's manual and its examples: each chooses the same calls, with the same text.
CHOICES = [
    ("-e", "trace=openat,close"), ("-etrace=%file",), ("-e", "trace=file"), ("-e", "trace=%process"), ("--trace=%network,%ipc",),
    ("-e", "trace=%memory"), ("-e", "trace=%signal"), ("-e", "trace=%%stat"), ("-e", "trace=%creds,%clock,%pure"), ("-e", "trace=/^(open|clo)"), ("-e", "t=/.*at$"),
    ("-e", "trace=!%memory,rt_sigaction"), ("-e", "trace=?nosuch,read"), ("-z",), ("-Z",), ("-e", "status=failed"), ("--failed-only",), ("--successful-only", "--trace=%file"),
    ("-P", "/etc/ld.so.cache"), ("-P", "DATA", "-e", "trace=%desc"), ("--trace-path=/usr/lib/x86_64-linux-gnu/libc.so.6",),
    ("-e", "signal=none", "-e", "trace=none"), ("-e", "signal=USR1,CHLD", "-e", "trace=kill"), ("--signal=!SIGCHLD", "--trace=none"), ("-e", "trace=none")
]
# Calls that strace 6.1 does not know.
NEWER = set("cachestat fchmodat2 getxattrat listxattrat removexattrat setxattrat map_shadow_stack mseal".split())


def strace():
    if not shutil.which("strace"):
        raise Skip("no strace: strace")


def lines_of_files(world, tool, options, command, by_chance):
    """The lines of each thread, by -ff: no line needs a number. In the order of the lines, because the numbers of threads begin anew."""
    folder = pathlib.Path(world.path("work/x")).parent
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    result = world.run([*tool, *options, "-ff", "-o", folder / "out", *command], cwd=folder)
    files = folder.glob("out.*")
    lines = sorted([masked(line) for line in file.read_text(encoding="utf-8").splitlines() if not line.startswith(by_chance)] for file in files)
    # SIGCHLD comes before or after a call
    return result.status, [(list(filter(is_call, of_thread)), [line for line in of_thread if not is_call(line)]) for of_thread in lines]


def choices_of(world, choices):
    """The same shell script, by each of the options: the same lines in each thread."""
    strace()
    data = world.path("data", "text")
    command = ["sh", world.path("script.sh", SHELL.replace("DATA", data))]
    for choice in choices:
        choice = [data if word == "DATA" else word for word in choice]
        seen = [lines_of_files(world, tool, choice, command, ("getrandom(", "rt_sigreturn(", "wait4(")) for tool in (["strace", "-f", "-y"], [world.binary])]
        equal(seen[1][0], 3, "status")
        equal(len(seen[1][1]), len(seen[0][1]), f"threads with {choice}")
        for theirs, ours in zip(seen[0][1], seen[1][1]):
            differing = [line for one, two in zip(theirs, ours) for line in difflib.unified_diff(one, two, "strace", "sonde", lineterm="", n=0)]
            check(not differing, f"lines that differ with {choice}:\n    " + "\n    ".join(differing[:20]))


@scenario(only="ptrace", why="strace beside it is the same on both")
def the_same_calls_are_chosen_by_names_and_classes(world):
    choices_of(world, CHOICES[:13])


@scenario(only="ptrace", why="strace beside it is the same on both")
def the_same_calls_are_chosen_by_status_path_and_signal(world):
    choices_of(world, CHOICES[13:])


@scenario(only="ptrace", why="the classes do not depend on the source")
def classes_have_the_members_that_strace_gives_them(world):
    """Of a program that makes every call, strace and sonde show the same ones for each class."""
    strace()
    program = world.program("refused_calls")
    table = open(f"{os.path.dirname(__file__)}/../../runtime/syscall/classes.h", encoding="ascii").read()
    rows = re.findall(r'\{"(%?\w+)",\s*((?:"[^"]*"\s*)+),', table)
    classes = {name: set(re.findall(r"[a-z]\w+", members)) for name, members in rows}
    check(len(classes) > 15, f"classes: {sorted(classes)}")

    def shown(file):
        lines = open(world.path(file), encoding="utf-8", errors="replace").read()
        return {call for call in re.findall(r"^(?:\d+ +|\[pid +\d+\] )?(?:<\.\.\. )?(\w+)(?:\(| resumed)", lines, re.M) if not call.startswith("syscall_0x")}
    for name in classes if world.full else ("file", "process", "network", "%stat"):
        world.run(["strace", "-f", "-qq", "-e", "signal=none", "-o", world.path("strace.out"), "-e", f"trace=%{name}", program])
        equal(sorted(classes[name] - NEWER), sorted(shown("strace.out")), f"%{name}")
    world.path("sonde.out", "")
    world.sonde("-e", "signal=none", "-o", world.path("sonde.out"), "-e", "trace=%process", program)
    equal(sorted(shown("sonde.out")), sorted(classes["process"]), "%process here")


@scenario()
def only_chosen_calls_stop_their_threads(world):
    """With -c the filter stops what is chosen, so a loop of other calls costs nothing: the guard has no stop for them."""
    result = world.sonde("-e", "trace=getppid", world.program("deeds"), "getppid:3", "getuid:100000")
    equal(len(re.findall(r"^getppid\(\)", result.stderr, re.M)), 3, "the chosen calls")
    check("getuid" not in result.stderr, "no other")
    check("tracing stopped threads" not in result.stderr, f"the cost: {result.stderr[-300:]}")


@scenario()
def times_of_calls(world):
    """-t, -tt, -ttt, -r and -T: the entry's time of day, the time since the line before, and the time in the call."""
    nap = ["/usr/bin/python3", "-S", "-E", "-B", "-c", "import signal\nfor n in range(3): signal.sigtimedwait([], 0.05)"]

    def lines(*options):
        shown = world.sonde("-e", "trace=rt_sigtimedwait", *options, *nap).stderr.splitlines()
        equal(len(shown), 4, f"lines with {options}")
        return shown
    for options, pattern in ((("-t",), r"\d\d:\d\d:\d\d "), (("-tt",), r"\d\d:\d\d:\d\d\.\d{6} "), (("-ttt",), r"\d{10}\.\d{6} "),
                             (("--absolute-timestamps=unix,ms",), r"\d{10}\.\d{3} "), (("-r",), r" +\d+\.\d{6} "), (("-t", "-r"), r"\d\d:\d\d:\d\d \(\+ +\d+\.\d{6}\) "),
                             (("--relative-timestamps=ns",), r" +\d+\.\d{9} ")):
        for line in lines(*options):
            check(re.match(pattern + r"(rt_sigtimedwait\(|\+\+\+)", line), f"{options}: {line}")
    stamps = [float(line.split()[0]) for line in lines("-ttt")]
    check(all(0.05 <= later - earlier < 5 for earlier, later in zip(stamps, stamps[1:])), f"entries are as far apart as the naps: {stamps}")
    check(abs(stamps[-1] - os.stat(world.path("now", "")).st_mtime) < 60, "it is the clock of the machine")
    since = [float(line.split()[0]) for line in lines("-r")]
    check(since[0] == 0 and all(one >= 0.05 for one in since[1:]), f"-r: {since}")
    took = [float(re.search(r" <(\d+\.\d{6})>$", line)[1]) for line in lines("-T")[:3]]
    check(all(0.05 <= one < 5 for one in took), f"-T: {took}")
    check(re.search(r" <\d+\.\d{3}>$", lines("--syscall-times=ms")[0]), "-T with fewer digits")


@scenario()
def stacks_of_calls(world):
    shown = world.sonde("-k", "-e", "trace=getppid", world.program("deeds"), "getppid:2").stderr
    check(re.search(r"^getppid\(\) += \d+\n\n? +libc\S*`syscall\+0x\w+\n +deeds`main\+0x\w+\n", shown, re.M), f"the stack below its line: {shown}")


@scenario()
def a_stack_that_is_the_same_is_one_line(world):
    """A stack that equals the last one of its thread, and only its: threads that make the same calls have a stack each."""
    loop = world.path("loop.py", "import os, threading\ndef calls():\n    for n in range(3): os.getppid()\ncalls()\none = threading.Thread(target=calls)\none.start()\none.join()\n")
    shown = world.sonde("-k", "-e", "trace=getppid", "/usr/bin/python3", "-S", "-E", "-B", loop).stderr
    for number in ("", r"\[pid \d+\] "):
        found = re.search(rf"^{number}getppid\(\) += \d+\n\n?((?: +\S.*\n)+)\n?", shown, re.M)
        check(found and "getppid" in found[1] and "same stack" not in found[1], f"the first: {shown}")
    equal(shown.count("same stack"), 4, f"the others: {shown}")
    clause = "syscall::getppid:return { ustack(); }"
    for options, wanted in ((("-x", "samestack"), 2), ((), 0)):
        equal(world.sonde("-q", *options, "-n", clause, "-c", f"{world.program('deeds')} getppid:3").stdout.count("same stack"), wanted, f"a script with {options}")


SLEEPERS = """
import os, signal, socket, threading
def outer(what):
    if what is reads: signal.pthread_sigmask(signal.SIG_BLOCK, set(range(1, 64)) - {32, 33})  # so an attach interrupts it
    what()
inside, outside = os.pipe()[0], socket.socketpair()
def reads(): os.read(inside, 1)
for what in (reads, lambda: outside[0].recv(1)):
    threading.Thread(target=outer, args=(what,)).start()
open(os.environ["READY"], "w").close()
os.wait() if os.fork() else os.read(inside, 1)
"""


@scenario(only="ptrace", why="the kernel module does not stop threads for their stacks")
def threads_that_sleep_show_where(world):
    """-p PID -k: call, object and user stack of each thread that sleeps; with --duration=0 that is all, and the program sleeps on."""
    ready = world.path("ready")
    process = world.start(["/usr/bin/python3", "-S", "-E", "-B", world.path("sleepers.py", SLEEPERS)], env={"READY": ready})

    def asleep():
        calls = [open(f"/proc/{process.pid}/task/{tid}/syscall", encoding="ascii").read().split()[0] for tid in os.listdir(f"/proc/{process.pid}/task")]
        return os.path.exists(ready) and sorted(calls) == ["0", "45", "61"]
    wait_until(asleep, what="three threads sleep")
    for _ in range(3):
        result = world.sonde("-p", process.pid, "-k", "--duration=0")
        found = re.findall(r"^\[pid \d+\] (\w+)\((.*) <unfinished \.\.\.>\n((?: +\S.*\n)+)", result.stderr, re.M)
        equal(sorted(call for call, _, _ in found), ["read", "recvfrom", "wait4"], f"calls: {result.stderr}")
        for call, arguments, stack in found:
            check({"read": "<pipe:[", "recvfrom": "<socket:[", "wait4": "-1, "}[call] in arguments, f"the object: {call}({arguments}")
            check(re.search(rf"libc\S*`\w*{call[:4]}", stack) and stack.count("python3") > 2, f"the stack of {call}: {stack}")
        wait_until(asleep, what="they sleep on, untraced")
    os.killpg(process.pid, 9)


@scenario(only="ptrace", why="the kernel module does not stop threads for their stacks")
def a_thread_whose_call_must_not_be_interrupted_has_no_stack(world):
    """A write to a full pipe would return a short count: the line says why there is no stack."""
    process = world.start(["/usr/bin/python3", "-S", "-E", "-B", "-c", "import os\npipe = os.pipe()\nos.write(pipe[1], b'x' * 1000000)"])
    wait_until(lambda: open(f"/proc/{process.pid}/syscall", encoding="ascii").read().startswith("1 "), what="it writes")
    shown = world.sonde("-p", process.pid, "-k", "--duration=0").stderr
    check(re.search(r"^write\(\d+<pipe:\[\d+\]>, .* <unfinished \.\.\.>\n +\(no stack: its call would end early", shown, re.M), shown)
    process.kill()


@scenario()
def texts_as_long_as_asked_for(world):
    """--string-limit beside strace -s; it holds with a script, too."""
    strace()
    data = world.path("data", "".join(chr(33 + n % 90) for n in range(3000)))
    choices = ["-e", "trace=read,write,openat", "cat", data]
    for bytes_ in (1, 33, 100, 4096):
        seen = []
        for tool in (["strace", "-f", "-y", "-qq", f"-s{bytes_}"], [world.binary, f"--string-limit={bytes_}"]):
            world.path("out", "")
            world.run([*tool, "-o", world.path("out"), *choices])
            lines = (re.sub(r"^\d+ +", "", line) for line in open(world.path("out"), encoding="utf-8"))
            seen.append([masked(line.rstrip()) for line in lines if is_call(line) and ("ELF" not in line or bytes_ < 100)])
        differing = list(difflib.unified_diff(*seen, "strace", "sonde", lineterm="", n=0))
        check(not differing, f"with {bytes_}:\n    " + "\n    ".join(differing[:10]))
    shown = world.sonde("-q", "--string-limit=40", "-n", "syscall::write:entry { trace(argstr); }", "-c", f"cat {data}").stdout
    check('abcdefgh"...' not in shown and 'GH"..., 3000' in shown, f"with a script: {shown[:300]}")


@scenario()
def structures_and_environments_in_full(world):
    """-v beside strace -v: the same members of the same structures; no stability report, which is a script's."""
    strace()
    program = ["/usr/bin/python3", "-S", "-E", "-B", "-c", "import os\nos.stat('/etc/passwd'), os.stat('/dev/null'), os.uname()\nos.wait() if os.fork() else os._exit(0)"]
    for command, calls in ((program, "newfstatat,fstat,stat,uname"), (["ls", "-l", "/etc/passwd"], "statx,lstat,stat")):
        seen = []
        for tool in (["strace", "-y", "-qq", "-v"], [world.binary, "-v", "--string-limit=32"]):
            world.path("out", "")
            result = world.run([*tool, "-e", "signal=none", "-o", world.path("out"), "-e", f"trace={calls}", *command])
            check("Stability" not in result.stdout + result.stderr, f"a report: {result}")
            lines = [re.sub(r"^(\d+ +|\[pid +\d+\] )", "", line) for line in open(world.path("out"), encoding="utf-8").read().splitlines()]
            seen.append([masked(line) for line in lines if is_call(line) and "<pipe:" not in line])
        differing = list(difflib.unified_diff(*seen, "strace", "sonde", lineterm="", n=0))
        check(seen[1] and not differing, f"{command}:\n    " + "\n    ".join(differing[:10]))
    check("a number from 1 to 4096" in world.sonde("--string-limit=0", "ls", status=1).stderr, "no bytes")
    first = world.sonde("--no-abbrev", "-E", "SONDE_A=1 2", "-e", "trace=execve", "true").stderr
    check(re.search(r'^execve\("/usr/bin/true", \["true"\], \[.*"SONDE_A=1 2".*\]\) += 0$', first, re.M), f"the environment: {first}")


@scenario(only="ptrace", why="the others capture no array of texts: they show its address, or 32 words of argv")
def words_and_environments_of_execs(world):
    """An execve that the program makes, beside strace: arrays that are empty, long, unreadable, without an end; texts that are; one that searches PATH."""
    strace()
    searching = ["env", "PATH=/nonexistent/a:/nonexistent/b:/usr/bin", "true", "1 2"]
    for theirs, ours in (((), ()), (("-v",), ("-v", "--string-limit=32")), (("-s", "4"), ("--string-limit=4",)), (("-s", "100"), ("--string-limit=100",))):
        for command in ([world.program("execs")], searching):
            seen = []
            for tool in (["strace", "-f", *theirs], [world.binary, *ours]):
                result = world.run([*tool, "-o", world.path("out", ""), "-e", "trace=%process", "-e", "signal=none", *command])
                equal(result.status, 0, f"status of {tool}")
                lines = [line for line in open(world.path("out"), encoding="utf-8").read().splitlines() if "execve" in line]
                seen.append([re.sub(r"0x[0-9a-f]{6,}", "ADDRESS", re.sub(r"^\d+ +", "", line)) for line in lines[1:] if "the value of one" not in line and "4000 vars" not in line])
            equal(re.sub(" +=", " =", "\n".join(seen[1])), re.sub(" +=", " =", "\n".join(seen[0])), f"{command} with {ours}")
    execs = world.sonde("-v", "-e", "trace=execve", world.program("execs")).stderr.splitlines()
    many = [line for line in execs if "value of one of many" in line]
    check(len(many) == 1 and many[0].endswith('one of many", ...]) = -1 ENOENT (No such file or directory)'), f"more than is shown: {[line[-80:] for line in many]}")
    check("/* 4000 vars */" in world.sonde("-e", "trace=execve", world.program("execs")).stderr, "the number of many")


@scenario()
def time_in_calls_by_stack(world):
    """--off-cpu: folded stacks, or a flame graph, of the time between a call's entry and its return."""
    nap = world.path("nap.py", "import signal\ndef naps(): signal.sigtimedwait([], 0.2)\nnaps()\n")
    folded = world.sonde("--off-cpu", "-e", "trace=rt_sigtimedwait,getppid", "/usr/bin/python3", "-S", "-E", "-B", nap).stdout
    stack, time_ = folded.strip().rsplit(" ", 1)
    check(stack.startswith("python3;") and stack.rsplit(";", 1)[1].endswith("sigtimedwait"), f"the stack: {folded}")
    check(200e6 <= int(time_) < 20e9, f"ns: {folded}")
    check("<svg" in world.sonde("--off-cpu=svg", "/usr/bin/python3", "-S", "-E", "-B", nap).stdout, "a flame graph")
    check("no format 'csv': folded or svg" in world.sonde("--off-cpu=csv", "ls", status=1).stderr, "another format")
    check("--off-cpu: it is a script of its own" in world.sonde("--off-cpu", "-n", "BEGIN", "-c", "ls", status=1).stderr, "a script")


@scenario()
def the_calls_of_each_thread_in_a_file(world):
    """-ff -o F: F.PID for each thread, as strace's: the same files' number, and each has the calls of one process."""
    strace()
    # A program that handles no SIGCHLD: where that falls among its calls differs by run.
    command = ["find", "/nonexistent", "/", "-maxdepth", "0", "-exec", "/bin/true", ";", "-exec", "/bin/true", ";"]
    for tool, name in ((["strace"], "strace"), ([world.binary], "sonde")):
        equal(world.run([*tool, "-ff", "-o", world.path(f"{name}"), *command]).status, 1, "status")
    folder = os.path.dirname(world.path("sonde"))
    theirs, ours = ([open(f"{folder}/{file}", encoding="utf-8").read() for file in sorted(os.listdir(folder)) if file.startswith(f"{name}.") and file.split(".")[1].isdigit()]
                    for name in ("strace", "sonde"))
    equal(len(ours), len(theirs), "files")
    for one, two in zip(theirs, ours):
        equal(re.findall(r"^(\w+)\(", two, re.M), re.findall(r"^(\w+)\(", one, re.M), "calls of a file")
        check("[pid " not in two, "no line needs the number")
    result = world.sonde("--output-separately", "ls", status=1)
    check("-o FILE gives FILE.PID" in result.stderr, f"without a name: {result.stderr}")


@scenario()
def names_behind_the_numbers_of_threads(world):
    """-Y, as strace's; --decode-pids=none takes them back."""
    command = ["sh", "-c", "/bin/true & wait; exit 0"]
    for tool in (["strace", "-f"], [world.binary]):
        for option, named in (("-Y", True), ("--decode-pids=comm", True), ("--decode-pids=none", False)):
            if tool[0] == "strace" and not named:
                continue
            text = world.run([*tool, option, *command]).stderr
            heads = set(re.findall(r"^\[pid +\d+(<\w+>)?\] ", text, re.M))
            equal(heads, {"<sh>", "<true>"} if named else {""}, f"{tool} {option}: {text}")


@scenario()
def names_of_programs_are_no_commands_for_the_terminal(world):
    """A program may call itself what it likes: its line stays one line, and has no control characters."""
    script = world.path("named.py", "import ctypes, os\nctypes.CDLL(None).prctl(15, b'a\\033[31m\\nb', 0, 0, 0)\n"
                                    "if os.fork() == 0: os.getppid()\nelse: os.wait()\nos.access('/x\\033[1m\\n', 0)\n")
    command = ["/usr/bin/python3", "-S", "-I", script]
    for words in (["-Y", "--trace=getppid,access"], ["--summary=process", "--trace=getppid,access"],
                  ["--summary=file", "--trace=access"], ["--summary=thread", "--trace=getppid,access"]):
        said = world.sonde(*words, *command)
        text = said.stdout + said.stderr
        check(not re.search(r"[\0-\x09\x0b-\x1f\x7f]", text), f"{words}: {text!r}")
        check((r"x\033[1m\n" if "file" in words[0] else r"a\033[31m\nb") in text, f"{words}: {text!r}")


@scenario()
def a_variable_for_the_program(world):
    """-E and --env, with and without a script, and -x setenv."""
    for options in (("-E", "SONDE_A=1 2", "-E", "HOME"), ("--env=SONDE_A=1 2", "--env=HOME"), ("-x", "setenv=SONDE_A=1 2", "-x", "setenv=HOME")):
        equal(world.sonde(*options, "sh", "-c", "echo $SONDE_A.$HOME").stdout, "1 2.\n", f"{options}")
    equal(world.sonde("-q", "--env=SONDE_A=7", "-n", "BEGIN", "-c", "sh -c 'echo $SONDE_A'").stdout.strip(), "7", "beside a script")
    check("-E: with a script it is --env" in world.sonde("-E", "A=1", "-n", "BEGIN", "-c", "true", status=1).stderr, "the letter")


@scenario()
def a_program_runs_as_another_user(world):
    """-u: user, group and supplementary groups as with strace, and a set-uid program gets its owner's rights; --user, and -x user, beside a script."""
    if os.geteuid() != 0:
        check("sonde: --user: only root starts programs as another user" in world.sonde("-u", "root", "true", status=1).stderr, "not root")
        return
    ids = ["sh", "-c", "id; grep -i ^groups /proc/self/status"]
    wanted = world.run(["strace", "-u", "nobody", "-e", "trace=none", *ids]) if shutil.which("strace") else world.run(["setpriv", "--reuid=nobody", "--regid=nogroup", "--init-groups", *ids])
    check("uid=65534" in wanted.stdout, f"strace -u: {wanted}")
    for options in (("-u", "nobody"), ("--user=nobody",), ("-x", "user=nobody"), ("-u", "65534"), ("--summary", "-u", "nobody")):
        equal(world.sonde(*options, *ids).stdout, wanted.stdout, f"{options}")
    equal(world.sonde("-q", "--user=nobody", "-n", "BEGIN", "-c", "id -u").stdout.strip(), "65534", "beside a script")
    check("-u: with a script it is --user" in world.sonde("-u", "nobody", "-n", "BEGIN", "-c", "true", status=1).stderr, "the letter")
    check("sonde: --user: no user 'nosuch'" in world.sonde("-u", "nosuch", "true", status=1).stderr, "no such user")
    owned = world.path("id")
    os.chmod(os.path.dirname(owned), 0o755)
    shutil.copy("/usr/bin/id", owned)
    os.chmod(owned, 0o4755)
    equal(world.sonde("-u", "nobody", owned, "-u").stdout, "0\n", "the effective user in a set-uid program")
    equal(world.sonde("-u", "nobody", "sh", "-c", f"{owned} -u").stdout, "0\n", "and in one that the program executes")
    ordinary = world.as_user()
    for words in ([owned, "-u"], ["sh", "-c", f"{owned} -u; {owned} -u"]):
        result = ordinary.sonde("-o", "/dev/null", *words)
        equal(set(result.stdout.split()), {"65534"}, f"{words}: under an ordinary user's tracer the kernel gives no rights")
        equal(result.stderr.count(f"runs {owned} without the rights that its file gives (set-user-ID)"), 1, f"{words}: {result.stderr}")
    equal(ordinary.sonde("-o", "/dev/null", "id", "-u").stderr, "", "a program without such rights")
    os.chown(owned, 0, 1)
    os.chmod(owned, 0o2755)
    check("(set-group-ID)" in ordinary.sonde("-o", "/dev/null", owned).stderr, "a group's rights")


@scenario()
def a_program_that_is_given_as_to_strace_has_its_hint(world):
    """Words behind a script, and behind -f, that are a program's name; words that are not keep the other hint."""
    world.path("script.d", "BEGIN { exit(0); }")
    for arguments, said in ((["script.d", "ls", "/"], "a program to run with the script goes to -c, before the script or behind it: -c 'ls /'"), (["-n", "BEGIN { exit(0); }", "ls"], ": -c 'ls'"),
                            (["-n", "BEGIN { exit(0); }", "nosuchprogram"], "name it $1 in the program"), (["-n", "BEGIN { exit(0); }", "-c", "true", "ls"], "name it $1 in the program"),
                            (["-f", "ls", "/"], "-f takes the name of a function; a program, with its children, is traced by: sonde PROGRAM ARGS")):
        check(said in world.sonde(*arguments, status=1).stderr, f"{arguments}: {world.last.stderr}")
    check("a program, with its children" in world.sonde("-f", "ls", "-l").stderr, "with an option of the program's")


# ---- --summary by file, thread and process ------------------------------------------------------------------------

ROW_BY = re.compile(r"^ *([\d.]+) +([\d.]+) +(\d+) +(\d+) +(\d+ +)?(\S.*)$", re.M)


def rows_by(text):
    """{name: (calls, errors)}, and the order of the names."""
    found = [(name, (int(calls), int(errors or 0))) for _, _, _, calls, errors, name in ROW_BY.findall(text)]
    return dict(found), [name for name, _ in found[:-1]]


@scenario()
def a_summary_by_file_process_and_thread(world):
    data = world.path("data", "x" * 10)
    by_file, _ = rows_by(world.sonde("--summary=file", "-e", "trace=openat,close", "cat", data, data, "/nonexistent", status=1).stderr)
    equal(by_file[data], (4, 0), f"calls of a file: {by_file}")
    equal(by_file["/nonexistent"], (1, 1), "a file that is not there")
    by_file, _ = rows_by(world.sonde("--summary=file", "-e", "trace=openat,newfstatat,close", "cat", data).stderr)
    equal(by_file[data], (3, 0), f"with newfstatat(N, \"\", ..., AT_EMPTY_PATH): {by_file}")
    command = ["sh", "-c", "/bin/true; /bin/true; exit 0"]
    by_process, _ = rows_by(world.sonde("--summary=process", "-e", "trace=exit_group,close", *command).stderr)
    check(sum(name.startswith("true ") for name in by_process) == 2, f"processes: {by_process}")
    threads = "import threading, os\nt = [threading.Thread(target=lambda: [os.getppid() for n in range(5)]) for n in range(3)]\n[one.start() for one in t]\n[one.join() for one in t]"
    by_thread, _ = rows_by(world.sonde("--summary=thread", "-e", "trace=getppid", "/usr/bin/python3", "-S", "-E", "-B", "-c", threads).stderr)
    equal(sorted(calls for calls, _ in by_thread.values()), [5, 5, 5, 15], f"threads, and their sum: {by_thread}")


@scenario()
def a_summary_in_the_order_that_is_asked_for(world):
    command = ["ls", "/nonexistent", "/"]
    for order, key in (("calls", lambda row: -row[0]), ("errors", lambda row: -row[1])):
        table, names = rows_by(world.sonde("--summary", f"--summary-sort-by={order}", *command, status=None).stderr)
        equal([key(table[name]) for name in names], sorted(key(table[name]) for name in names), f"order by {order}")
    _, names = rows_by(world.sonde("--summary-only", "--summary-sort-by=name", *command, status=None).stderr)
    equal(names, sorted(names), "order by name")
    table, _ = rows_by(world.sonde("--summary", "-Z", *command, status=None).stderr)
    check(all(calls == errors for calls, errors in table.values()), f"failed calls only: {table}")
    check("--summary-sort-by: no order 'size'" in world.sonde("--summary-sort-by=size", "ls", status=1).stderr, "a wrong order")
    check("--summary: no 'size'" in world.sonde("--summary=size", "ls", status=1).stderr, "a wrong kind")


# ---- injection ---------------------------------------------------------------------------------------------------

PYTHON = ["/usr/bin/python3", "-S", "-E", "-B", "-c"]
INJECTIONS = [
    # Each name counts for itself, and the last one that names a call has it.
    ("getppid,getuid:retval=9:when=2", [*PYTHON, "import os\nfor n in range(3): print(os.getppid() == 9, os.getuid() == 9)"], 0),
    (["getppid,getuid:retval=9", "getppid:error=EPERM:when=2"], [*PYTHON, "import os\nprint(os.getppid() == 9, os.getuid(), os.getppid())"], 0),
    ("getppid:retval=9:delay_enter=1000:delay_exit=1ms", [*PYTHON, "import os\nprint(os.getppid())"], 0),
    ("getppid:retval=9:signal=USR1", [*PYTHON, "import os, signal\nsignal.signal(signal.SIGUSR1, lambda *_: print('caught'))\nprint(os.getppid())"], 0),
    ("openat:error=EMFILE:when=3", ["cat", "FILE"], 1),
    ("openat:error=ENOENT:when=2+", ["ls", "/"], None),
    ("getppid:retval=4711", ["/usr/bin/python3", "-S", "-E", "-B", "-c", "import os\nfor n in range(3): print(os.getppid())"], 0),
    ("getppid:error=EPERM:when=2..6+2", ["/usr/bin/python3", "-S", "-E", "-B", "-c", "import os\nfor n in range(9): print(os.getppid() == -1)"], 0),
    ("/^(exit|getppid)$:error=13", ["/usr/bin/python3", "-S", "-E", "-B", "-c", "import os\nprint(os.getppid() == -1)"], 0),
    ("write:retval=0:when=2", ["sh", "-c", "echo a; echo b; echo c"], 0),
    ("mkdir,mkdirat:error=EROFS", ["git", "init", "-q", "repo"], 128),
    ("fdatasync,fsync:error=EIO", ["sh", "-c", "rm -f db*; exec sqlite3 db 'create table t(a);'"], None),
    ("connect:error=EHOSTUNREACH", ["curl", "-sS", "http://127.0.0.1:1/"], 7),
    ("kill:error=ESRCH", ["sh", "-c", "kill -TERM $$; echo lives"], 0),
    ("clone,clone3,vfork,fork:error=EAGAIN", ["sh", "-c", "/bin/true; echo $?"], None),
    ("execve:error=EACCES:when=1", ["sh", "-c", "/bin/true; echo $?"], None),
    ("unlinkat,unlink:retval=0", ["rm", "FILE"], 0),
    ("getppid:signal=USR1:when=2", ["sh", "-c", "trap 'echo caught' USR1; /usr/bin/python3 -S -E -B -c 'import os, signal; signal.signal(signal.SIGUSR1, lambda *_: print(\"caught\")); os.getppid(); os.getppid(); os.getppid()'"], 0),
]


@scenario(only="ptrace", why="the module makes every call")
def what_is_injected_is_what_strace_injects(world):
    """An injected error in real programs: the same output and messages, the same status and the same lines of the calls, which say (INJECTED)."""
    strace()
    for what, command, status in INJECTIONS:
        missing = [name for name in ("git", "sqlite3", "curl") if re.search(rf"\b{name}\b", " ".join(command)) and not shutil.which(name)]
        if missing:
            print(f"  without {missing[0]}")
            continue
        seen = []
        injections = [what] if isinstance(what, str) else what
        names = injections[0].split(":")[0]
        for tool, file in ((["strace", "-f", "-y", "-qq", "-e", "signal=none"], "strace.out"), ([world.binary, "-e", "signal=none"], "sonde.out")):
            path = world.path("file", "text\n")
            world.path(file, "")
            words = [path if word == "FILE" else word for word in command]
            result = world.run([*tool, "-o", world.path(file), "-e", f"trace={names}", *[word for one in injections for word in ("-e", f"inject={one}")], *words])
            lines = [re.sub(r"^(\d+ +|\[pid +\d+\] )", "", line) for line in open(world.path(file), encoding="utf-8").read().splitlines()]
            lines = [masked(line) for line in lines if is_call(line) and not re.search(r"resumed>|unfinished", line)]
            said = [line for line in result.stderr.splitlines() if not line.startswith(("sonde: tracing stopped", "    "))]
            seen.append((result.status, result.stdout, said, os.path.exists(path), [line for line in lines if not line.startswith(("execve(", "vfork", "clone", "fork"))]))
            seen[-1] += (sum("(INJECTED)" in line for line in lines),)
        print(f"  {what}: {seen[1][0]}, {seen[1][-1]} injected")
        equal(seen[1], seen[0], f"status, output, messages, file and lines with {what}")
        check(status is None or seen[1][0] == status, f"status with {what}: {seen[1][0]}")


@scenario(only="ptrace", why="the module makes every call")
def an_injection_in_d_needs_w(world):
    clause = "syscall::getppid:entry /self->n++ == 1/ { inject(-EPERM); } syscall::getppid:return { printf(\"%d %d\\n\", arg1, errno); }"
    command = ["-q", "-n", clause, "-c", f"{world.program('deeds')} getppid:3"]
    check("Destructive actions not allowed" in world.sonde(*command, status=1).stderr, "without -w")
    lines = world.sonde("-w", *command).stdout.split("\n")
    equal([line.split()[-1] for line in lines[:3]], ["0", "1", "0"], "errors of three calls")
    said = world.sonde("-w", "-q", "-n", "syscall::getppid:return { inject(0); }", "-c", f"{world.program('deeds')} getppid:1").stderr
    check("is not at the entry of a system call" in said, f"at a return: {said}")


@scenario(only="ptrace", why="the module makes every call")
def delays_are_injected(world):
    command = ["-T", "-e", "trace=getppid", "-o", world.path("out", "")]
    for what, least in (("delay_enter=30ms", 0.03), ("delay_exit=30000", 0), ("delay_enter=700ms:when=2", 0)):
        world.path("out", "")
        began = time.monotonic()
        world.sonde(*command, "-e", f"inject=getppid:{what}", world.program("deeds"), "getppid:2")
        took = time.monotonic() - began
        lines = open(world.path("out"), encoding="utf-8").read().splitlines()[:2]
        equal([" (DELAYED)" in line for line in lines], [":when=2" not in what, True], f"marks with {what}: {lines}")
        check(took > (0.7 if "700" in what else 0.06), f"the program took {took} s with {what}")


@scenario(only="ptrace", why="the module makes every call")
def the_programs_own_filter_is_not_asked_about_no_call(world):
    """A filter that kills every number that it does not know would kill at -1: there the call is made, and a line says why."""
    program = world.path("filtered.py", """
import ctypes, os, struct
libc = ctypes.CDLL(None)
code = b"".join(struct.pack("HBBI", *one) for one in ((0x20, 0, 0, 0), (0x35, 0, 1, 0x40000000), (6, 0, 0, 0x80000000), (6, 0, 0, 0x7fff0000)))
buffer = ctypes.create_string_buffer(code)
libc.prctl(38, 1, 0, 0, 0)
libc.prctl(22, 2, ctypes.byref(ctypes.create_string_buffer(struct.pack("HxxxxxxP", 4, ctypes.addressof(buffer)))), 0, 0)
print("lives", os.getppid() != 7)
""")
    result = world.sonde("-e", "trace=getppid", "-e", "inject=getppid:retval=7", "/usr/bin/python3", "-S", "-E", "-B", program)
    equal(result.stdout, "lives True\n", "the program")
    check("has a seccomp filter of its own, so its calls are made" in result.stderr, f"{result.stderr}")


@scenario(only="kmod", why="ptrace injects", short=True)
def what_the_module_cannot_inject(world):
    """--inject takes ptrace by itself; the module is refused by its name, and inject() in D says so once."""
    words = ["-e", "trace=getppid", "--inject=getppid:retval=7", world.program("deeds"), "getppid:3"]
    shown = world.sonde(*words).stderr
    equal([line.endswith("= 7 (INJECTED)") for line in shown.splitlines() if line.startswith("getppid(")], [True] * 3, f"by ptrace: {shown}")
    refused = world.sonde("-x", "source=kmod", *words, status=1).stderr
    check("--inject: the kmod source makes every call\n    -x source=ptrace can inject" in refused, f"by the module: {refused}")
    said = world.sonde("-qw", "-n", "syscall::getppid:entry /pid == $target/ { inject(7); }", "-c", world.program("deeds") + " getppid:3").stderr
    equal(said.count("inject(): the kmod source makes every call; ptrace can inject"), 1, f"inject(): {said}")


@scenario()
def injections_are_checked(world):
    for what, said in (("getppid", "what happens to the calls is missing"), ("nosuch:error=EPERM", "no system call 'nosuch'"), ("getppid:error=EFOO", "error=EFOO: no such error"),
                       ("getppid:error=5000", "error=5000: no such error"), ("getppid:retval=-1", "retval=-1: a number from 0"), ("getppid:retval=1:when=0", "when=0: when=FIRST"),
                       ("getppid:retval=1:when=3..2", "when=3..2: when=FIRST"), ("getppid:delay_enter=2h", "delay_enter=2h: a time up to 60s"), ("getppid:delay_exit=61s", "delay_exit=61s: a time up to 60s"),
                       ("getppid:retval=0xfffffffffffff001", "retval=0xfffffffffffff001: a number from 0"), ("getppid:poke_enter=@arg1=00", "poke_enter=@arg1=00: not there"),
                       ("getppid:error=EPERM:error=EIO", "error=EIO: error= is given twice"), ("getppid:error=EPERM:retval=1", "error= or retval=, not both"),
                       ("getppid:signal=none", "signal=none: one signal"), ("none:error=EPERM", "no system call is chosen")):
        check(f"sonde: -e inject: {said}" in world.sonde("-e", f"inject={what}", "ls", status=1).stderr, f"{what}")
        check(f"sonde: --inject: {said}" in world.sonde(f"--inject={what}", "ls", status=1).stderr, f"{what}")
    check("sonde: --fault: signal=TERM: not there; error= and when= are" in world.sonde("--fault=getppid:signal=TERM", "ls", status=1).stderr, "--fault")
    said = world.sonde("--trace=read", "--inject=getppid:retval=1", "ls", status=1).stderr
    check("--inject: --trace shows none of these calls" in said, f"a call that is not shown: {said}")


@scenario(only="ptrace", why="the module makes every call")
def an_injection_keeps_to_the_paths(world):
    """As with strace: other calls are neither changed nor counted."""
    strace()
    path, out = world.path("file", "text\n"), world.path("out", "")
    words = ["-P", path, "-e", "trace=openat", "-e", "inject=openat:error=EPERM:when=2", "cat", path, path]
    with_strace = world.run(["strace", "-qq", "-o", out, *words])
    equal(world.sonde("-o", out, *words, status=1).stdout, with_strace.stdout, "the first is read")
    lines = [line for line in open(out, encoding="utf-8").read().splitlines() if is_call(line)]
    equal([line.endswith(" (INJECTED)") for line in lines][-2:], [False, True], f"{lines}")


@scenario(only="ptrace", why="the module makes every call")
def a_fault_without_an_error_is_enosys(world):
    table = world.sonde("--summary", "--fault=getppid:when=1", world.program("deeds"), "getppid:3").stderr
    check(re.search(r" 3 +1 +getppid", table), f"the summary of calls that fail: {table}")
    out = world.path("out", "")
    world.sonde("-e", "trace=getppid", "--fault=getppid", "-o", out, world.program("deeds"), "getppid:1")
    check("-1 ENOSYS (Function not implemented) (INJECTED)" in open(out, encoding="utf-8").read(), "ENOSYS")
