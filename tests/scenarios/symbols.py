# SPDX-License-Identifier: GPL-3.0-or-later
"""Stacks and symbols of real programs: Debian's, which have no frame pointers."""

import os
import pathlib
import re
import shutil
import subprocess

from support import PROGRAMS, Skip, at_rest, attached_to, check, counts, equal, patience, scenario, wait_until


def frames(text):
    return [line.strip() for line in text.splitlines() if "`" in line]


@scenario()
def stacks_of_debians_programs(world):
    """ls writes its listing: from write() in libc, through ls, to the start of the program."""
    result = world.sonde("-q", "-n", "syscall::write:entry { ustack(); }", "-c", "/bin/ls /")
    found = frames(result.stdout)
    check(found and found[0].startswith("libc.so.6`"), f"innermost {found[:1]}")
    check(any(frame.startswith("ls`") for frame in found), f"no frame of ls: {found}")
    check(any("__libc_start_main" in frame for frame in found), f"not down to the start: {found}")
    check(len(found) >= 8, f"only {len(found)} frames: {found}")


@scenario()
def symbols_of_a_deleted_program(world):
    """A program that removes its own file still has its symbols."""
    program = world.path("leaving")
    shutil.copy(world.program("frames"), program)
    os.chmod(program, 0o755)
    result = world.sonde("-q", "-n", "syscall::getppid:entry { @[ufunc(ucaller)] = count(); ustack(); }", "-c", f"{program} remove")
    found = frames(result.stdout)
    check(any("leaving`bottom" in frame for frame in found), f"frames {found}")
    check(any("leaving`main" in frame for frame in found), f"frames {found}")


@scenario()
def stacks_after_the_end(world):
    """Stacks as keys, printed after the program has ended."""
    result = world.sonde("-q", "-n", "syscall::getppid:entry { @[ustack()] = count(); }", "-c", world.program("frames"))
    found = frames(result.stdout)
    equal(sum("`main+" in frame for frame in found), 3, "stacks that reach main()")
    check(any("`handler+" in frame for frame in found), f"no signal handler: {found}")


@scenario(short=True)
def stacks_of_children(world):
    """Children that have ended before their addresses are printed: each has its names, including those of its
    libraries."""
    result = world.sonde("-q", "-n", "syscall::getppid:entry { @[pid, ustack()] = count(); }", "-c", f"{world.program('forks')} 40")
    for name in ("forks`compare+", "forks`main+", "libc.so.6`__libc_start_main+"):
        equal(sum(frame.startswith(name) for frame in frames(result.stdout)), 40, f"stacks with {name}")
    check(" 0x" not in result.stdout, "an address without a name")


@scenario(short=True)
def stacks_from_before_an_exec(world):
    """A shell and its children exec other programs: the shell's names are still right, printed at once and at the end."""
    shell = "bash -c 'for i in 1 2 3 4 5 6 7 8 9 10; do (exec /bin/true); done; exec ls /'"
    for clause in ("{ @[pid, ustack()] = count(); }", "{ ustack(); }"):
        result = world.sonde("-q", "-n", f'syscall::execve:entry /execname == "bash"/ {clause}', "-c", shell)
        found = frames(result.stdout)
        for name in ("libc.so.6`execve", "bash`shell_execve", "libc.so.6`__libc_start_main"):
            equal(sum(frame.startswith(name) for frame in found), 11, f"stacks with {name}")
        check(" 0x" not in result.stdout, f"an address without a name: {result.stdout}")


@scenario()
def calls_that_do_not_return(world):
    """A function that ends with such a call is named, not the one after it; for a frame that a signal interrupted the
    exact pc counts."""
    program = world.program("noreturn")
    result = world.sonde("-q", "-n", "syscall::getppid:entry { ustack(); }", "-c", program)
    found = [frame for frame in frames(result.stdout) if frame.startswith("noreturn`") and "_start" not in frame]
    names = [frame.split("`")[1].split("+")[0] for frame in found]
    equal(names, ["gone", "leave", "main", "handler", "faulty", "main"], "functions of the program")
    equal([found[1], found[4]], ["noreturn`leave+0x9", "noreturn`faulty"], "the frame that calls, and the one interrupted")
    result = world.sonde("-q", "-n", "pid$target:a.out:gone:entry { @[ufunc(ucaller), usym(ucaller)] = count(); printa(\"%A %A\\n\", @); "
                         "trace(uaddr(ucaller)); trace(ufunc(uregs[R_PC])); printf(\"<%a %A>\", ucaller, ucaller); self->copy = ucaller; "
                         "printf(\"<copy %a>\", self->copy); }", "-c", program)
    check("noreturn`leave noreturn`leave\n" in result.stdout, f"as keys: {result.stdout}")
    check("noreturn`leave+0x9" in result.stdout, f"uaddr(): {result.stdout}")
    check("<noreturn`leave+0x9 noreturn`leave+0x9>" in result.stdout, f"printf: {result.stdout}")
    check("<copy noreturn`behind>" in result.stdout, f"a copy is an address like others: {result.stdout}")
    check("noreturn`gone" in result.stdout, f"an address that is none of a return: {result.stdout}")


@scenario()
def stacks_of_stripped_programs(world):
    """Code without symbols is shown by its address as linked: the stacks of two runs are equal."""
    program = world.path("bare")
    shutil.copy(world.program("frames"), program)
    subprocess.run(["strip", program], check=True)
    runs = [frames(world.sonde("-q", "-n", "syscall::getppid:entry { ustack(); }", "-c", program).stdout) for _ in range(2)]
    check(any(re.fullmatch(r"bare`\+0x[0-9a-f]{4}", frame) for frame in runs[0]), f"frames {runs[0]}")
    equal(runs[0], runs[1], "two runs")


@scenario()
def indirect_functions(world):
    """strlen and the like are probed at their implementations, whenever probes are created."""
    program, still = world.program("indirect"), world.path("indirect-static")
    subprocess.run(["gcc", "-O1", "-static", "-o", still, PROGRAMS / "indirect.c"], check=True)
    clause = "{ @[probefunc] = count(); }"
    for name in ("strlen", "memcpy", "strcmp", "memset", "strcspn"):
        for more in ([], ["-Z", "-x", "evaltime=exec"]):
            result = world.sonde("-q", *more, "-n", f"pid$target:libc*:{name}:entry {clause}", "-c", program)
            equal(counts(result.stdout), {name: 100}, f"calls of {name} {more}")
        result = world.sonde("-q", "-n", f"pid$target:a.out:{name}:entry {{ @[probefunc, ufunc(ucaller)] = count(); }}", "-c", still)
        equal(counts(result.stdout).get((name, "indirect-static`main")), 100, f"calls of {name} in a static program")
    result = world.sonde("-q", "-n", "pid$target::memcpy:entry { @[probemod] = count(); }", "-c", program)
    equal(counts(result.stdout).get("libc.so.6"), 100, "memcpy of any module")
    check("ld-linux-x86-64.so.2" in counts(result.stdout), "the linker's own memcpy is another one")
    listing = world.sonde("-l", "-n", "pid$target:libc*:*:entry", "-c", program).stdout.split()
    check("strlen" in listing and "memset" in listing, "indirect functions are listed")


@scenario(only="ptrace", why="uprobes need a file, which the vdso is not", signals=True)
def functions_of_the_vdso(world):
    """time() of the C library is that of the vdso, if there is one; the int3 is in the process's own copy, so others
    are unharmed."""
    source = world.path("clock.c", "#include <time.h>\nint main(void) { long s = 0; for (int i = 0; i < 50; i++) s += time(0); return s == 0; }")
    program = world.path("clock")
    subprocess.run(["gcc", "-O1", "-fno-builtin", "-o", program, source], check=True)
    if "[vdso]" not in open("/proc/self/maps").read():
        raise Skip("no vdso")
    result = world.sonde("-q", "-n", "pid$target:*vdso*:*time:entry { @[probemod, probefunc] = count(); }", "-c", program)
    equal(counts(result.stdout).get(("[vdso]", "time")), 50, "calls of the vdso's function")
    result = world.sonde("-q", "-n", "pid$target:libc*:time:entry { @[ufunc(ucaller)] = count(); }", "-c", program)
    equal(counts(result.stdout), {"clock`main": 50}, "calls by the name that people write")
    listing = world.sonde("-l", "-n", "pid$target:*vdso*::entry", "-c", program).stdout
    check("clock_gettime" in listing, f"listed: {listing}")


@scenario()
def a_program_with_a_long_name(world):
    """A file name may have 255 bytes; DTrace's field has 64, which left such a program without probes."""
    program = pathlib.Path(world.path("x" * 240))
    shutil.copy(world.program("worker"), program)
    result = world.sonde("-q", "-n", "pid$target:xxx*:one_round:entry { @[probemod] = count(); }", "-c",
                         f"{program} {world.path('result')} 5")
    equal(counts(result.stdout), {program.name: 20}, "calls")


@scenario()
def functions_by_their_names_in_the_source(world):
    """C++ functions with the names of the source: each description counts the calls that names.cpp states, under the
    name that stacks print."""
    program = world.program("names", "-O1", "-fno-inline")
    wanted = {
        "pid$target::app::fib:entry": {"app::fib(int)": 25},
        "pid$target:a.out:_ZN3app3fibEi:entry": {"app::fib(int)": 25},
        "pid$target:a.out:*fib*:return": {"app::fib(int)": 25},
        "pid$target:a.out:app::twice<int>(int):entry": {"app::twice<int>(int)": 3},
        "pid$target:a.out:app::twice<*>:entry": {"app::twice<int>(int)": 3, "app::twice<double>(double)": 1},
        "pid$target:a.out:app::pick<int>:entry": {"app::pick<int>(int)": 1},
        "pid$target:a.out:(anonymous namespace)::hidden:entry": {"(anonymous namespace)::hidden(int)": 2},
        "pid$target:a.out:app::Number::operator<:entry": {"app::Number::operator<(app::Number const&) const": 1},
        "pid$target:a.out:app::Number::operator bool:entry": {"app::Number::operator bool() const": 1},
        "pid$target:a.out:app::Number::get:entry": {"app::Number::get() const &": 1},
        "pid$target:a.out:app::Number::?Number:entry": {"app::Number::~Number()": 4},
        "pid$target:a.out:std::vector<int>::push_back(int const&):entry":
            {"std::vector<int, std::allocator<int>>::push_back(int const&)": 5},
        "pid$target::app::greet(std::string const&):entry":
            {"app::greet(std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char>> const&)": 1},
    }
    for description, calls in wanted.items():
        result = world.sonde("-q", "-n", description + ' { @[probefunc] = count(); } END { printa("%s=%@d\\n", @); }', "-c", program)
        equal(dict((line.rsplit("=", 1)[0], int(line.rsplit("=", 1)[1])) for line in result.stdout.splitlines() if "=" in line),
              calls, description)
    result = world.sonde("-q", "-n", 'pid$target::app::fib:entry /arg0 == 6/ { ustack(1); printf("%s\\n", probefunc); }', "-c", program)
    check("names-O1-fno-inline`app::fib(int)\n" in result.stdout, f"stacks say otherwise: {result.stdout}")
    result = world.sonde("-l", "-n", "pid$target::app::*:entry", "-c", program)
    check(" app::Number::operator+(app::Number const&) const entry\n" in result.stdout, f"-l: {result.stdout}")


@scenario()
def names_of_the_linker(world):
    """demangle=no: probefunc, stacks and symbols have the mangled names; descriptions may still use the names of the
    source."""
    program = world.program("names", "-O1", "-fno-inline")
    clause = "pid$target:a.out:app::fib:entry { @n[probefunc] = count(); @s[ustack(1)] = count(); @u[usym(uregs[R_PC])] = count(); }"
    result = world.sonde("-q", "-x", "demangle=no", "-n", clause, "-c", program)
    equal(counts(result.stdout).get("_ZN3app3fibEi"), 25, f"probefunc in {result.stdout}")
    equal(result.stdout.count("names-O1-fno-inline`_ZN3app3fibEi"), 2, f"stack and symbol in {result.stdout}")
    check("app::fib" not in result.stdout, result.stdout)


@scenario()
def functions_of_rust(world):
    """Names in rustc's default mangling, and in the newer one."""
    for flags in ((), ("-Csymbol-mangling-version=v0",)):
        program = world.program("rusty", *flags)
        for description, name, calls in (("pid$target::rusty::app::fib:entry", "rusty::app::fib", 25),
                                         ("pid$target:a.out:*Shape>::area:return", "<rusty::app::Square as rusty::app::Shape>::area", 3),
                                         ("pid$target:a.out:rusty::main::*closure*:entry", None, 6)):
            result = world.sonde("-q", "-n", description + ' { @[probefunc] = count(); } END { printa("%s=%@d\\n", @); }', "-c", program)
            found = dict(line.rsplit("=", 1) for line in result.stdout.splitlines() if "=" in line)
            equal(sum(int(count) for count in found.values()), calls, f"{flags} {description} {found}")
            check(name in (None, *found), f"{flags} {description} {found}")


def run_compiled(world, mode, *arguments):
    """The program `compiled` under sonde -p; returns sonde's result and the program's exit status."""
    program = world.start([world.program("compiled"), mode], marked=False, stdin=subprocess.PIPE)
    equal(program.stdout.readline(), "ready\n", "first line")
    sonde = world.start_sonde("-q", *arguments, "-p", program.pid)
    wait_until(lambda: attached_to(sonde, program.pid) and at_rest(sonde), what="the attach")
    program.stdin.close()
    status = program.wait(60 * patience)
    return world.finish(sonde), status, f"perf-{program.pid}.map"


@scenario()
def names_of_code_compiled_at_run_time(world):
    """In stacks, after the process and its map are gone, and with -l."""
    result, status, module = run_compiled(world, "", "-n", "syscall::getppid:entry { @[ustack()] = count(); }")
    equal(status, 0, "exit status of the program")
    check(f"{module}`caller+0x6" in result.stdout, f"no name in the stack: {result.stdout}")
    program = world.start([world.program("compiled")], marked=False, stdin=subprocess.PIPE)
    equal(program.stdout.readline(), "ready\n", "first line")
    result = world.sonde("-l", "-n", f"pid{program.pid}:perf*::entry")
    names = sorted(line.split(None, 3)[3] for line in result.stdout.splitlines()[1:])
    equal(names, ["app::fib(int) entry", "caller entry", "hot spot entry"], "functions of the map")
    result = world.sonde("-n", f"pid{program.pid}::hot spot:entry {{ }}".replace(" spot", "?spot"), status=1)
    check("D_PROC" in result.stderr or "match" in result.stderr, f"it was not asked for by module: {result.stderr}")
    # The same after an earlier clause has used the module.
    result = world.sonde("-e", "-n", f"pid{program.pid}:perf*:*fib*:entry {{ }}", "-n", f"pid{program.pid}::*fib*:entry {{ }}", status=1)
    check(f"pid{program.pid}::*fib*:entry does not match any probes" in result.stderr, f"the second description: {result.stderr}")
    program.stdin.close()
    equal(program.wait(30 * patience), 0, "exit status of the program")


@scenario()
def names_of_code_compiled_in_a_container(world):
    """The map is in the container's file system, under the number that the process has there."""
    if world.run(["unshare", "--mount", "--pid", "--fork", "true"]).status != 0:
        raise Skip("no namespaces here")
    folder = pathlib.Path(world.path("container"))
    folder.mkdir()
    shutil.copy(world.program("compiled"), folder)
    inside = world.start(["unshare", "--mount", "--pid", "--fork", "sh", "-c", f"mount --bind {folder} /tmp && exec /tmp/compiled"],
                         marked=False, stdin=subprocess.PIPE)
    equal(inside.stdout.readline(), "ready\n", "first line")
    pid = int(pathlib.Path(f"/proc/{inside.pid}/task/{inside.pid}/children").read_text())
    sonde = world.start_sonde("-q", "-n", "syscall::getppid:entry { @[ustack()] = count(); }", "-p", pid)
    wait_until(lambda: attached_to(sonde, pid) and at_rest(sonde), what="the attach")
    inside.stdin.close()
    equal(inside.wait(60 * patience), 0, "exit status of the program")
    check("perf-1.map`caller+0x6" in world.finish(sonde).stdout, f"no name in the stack: {world.last.stdout}")


def counts_of_turns(world, program, pid, *descriptions):
    """The calls of process `pid`, which runs turns.c, in 100 turns."""
    sonde = world.start_sonde("-q", "-n", ",".join(descriptions) + ' { @[probefunc] = count(); ustack(1); } END { printa("%s %@d\\n", @); }',
                              "-p", pid)
    wait_until(lambda: attached_to(sonde, pid) and at_rest(sonde), what="the attach")
    equal(program.communicate("go\n", timeout=60 * patience)[0], "100\n", "the program's result")
    result = world.finish(sonde)
    equal(result.status, 0, f"exit status of sonde: {result.stderr}")
    return result.stdout


def replace(path, by):
    """As an upgrade does: the old file exists while it is mapped, without a name."""
    shutil.copy(by, path + ".new")
    os.rename(path + ".new", path)


def start_turns(world, program, command=(), **more):
    process = world.start([*command, program], marked=False, stdin=subprocess.PIPE, **more)
    equal(process.stdout.readline(), "ready\n", "first line")
    return process


@scenario()
def functions_of_files_that_were_replaced(world):
    """Program and library were upgraded since the program started: it runs the old ones, and these are probed, not the
    new files."""
    program, library = world.path("upgraded"), world.path("libc.so.6")
    shutil.copy(world.program("turns"), program)
    shutil.copy("/lib/x86_64-linux-gnu/libc.so.6", library)
    for path in (program, library):
        process = start_turns(world, program, env={"LD_LIBRARY_PATH": os.path.dirname(library)})
        replace(path, world.program("frames"))
        if path == library and (world.user is not None or os.geteuid() != 0):
            result = world.sonde("-n", f"pid{process.pid}:libc:getppid:entry {{ }}", status=1)
            check("its file was replaced since the program mapped it" in result.stderr, f"the reason: {result.stderr}")
            process.communicate("", timeout=60 * patience)
            continue
        found = counts_of_turns(world, process, process.pid, "pid$target:a.out:work:entry", "pid$target:libc:getppid:return")
        for name in ("work", "getppid"):
            check(f"{name} 100\n" in found, f"calls of {name}, {path} replaced: {found[-200:]}")
        check("upgraded`work\n" in found and "libc.so.6`getppid+" in found, f"names in stacks: {found[:300]}")
        replace(path, world.program("turns") if path == program else "/lib/x86_64-linux-gnu/libc.so.6")


@scenario()
def functions_of_replaced_files_for_a_user(world):
    """The program's own file is accessible to users who may trace it; that of a library needs root, and a message says
    so."""
    functions_of_files_that_were_replaced(world.as_user())


@scenario()
def functions_in_another_mount_namespace(world):
    """The same path may be another file here."""
    if world.run(["unshare", "--mount", "true"]).status != 0:
        raise Skip("no namespaces here")
    program, folder = world.path("both"), pathlib.Path(world.path("theirs"))
    folder.mkdir()
    shutil.copy(world.program("turns"), folder)
    shutil.copy(world.program("frames"), program)
    enter = ["unshare", "--mount", "sh", "-c", f"mount --bind {folder}/turns {program} && exec {program}"]
    process = start_turns(world, "-", enter)
    found = counts_of_turns(world, process, process.pid, "pid$target:a.out:work:entry")
    check("work 100\n" in found, f"calls: {found}")


@scenario(only="ptrace", why="uprobes need a file")
def probes_in_code_compiled_at_run_time(world):
    """Each call counts; the program may overwrite such code: its new code is not changed."""
    clause = 'pid$target:perf*:hot*:entry { @[probefunc] = count(); } END { printa("%s %@d\\n", @); }'
    for mode, calls in (("", 100), ("zap", 100), ("move", 0)):
        result, status, _ = run_compiled(world, mode, "-n", clause)
        equal(status, 0, f"exit status of the program, {mode or 'plain'}")
        equal(result.stdout.split(), ["hot", "spot", str(calls)] if calls else [], f"calls, {mode or 'plain'}")
    result, status, module = run_compiled(world, "", "-n", "pid$target:perf*:caller:entry { ustack(); printf(\"%s\\n\", probemod); }")
    equal((status, result.stdout.count(module + "`caller\n")), (0, 3), "stacks in it")
    program = world.start([world.program("compiled"), ""], stdin=subprocess.PIPE)
    equal(program.stdout.readline(), "ready\n", "first line")
    result = world.sonde("-q", "-n", "pid$target:perf*:caller:return { }", "-p", program.pid, status=1)
    stars = world.sonde("-q", "-n", "BEGIN { exit(0); } pid$target:*:hot*:entry { }", "-p", program.pid, status=1)
    check("does not match any probes" in stars.stderr, f"a module of stars means files: {stars.stderr}")
    program.communicate("", timeout=60 * patience)
    check("code that was compiled at run time has entry probes only" in result.stderr, f"returns: {result.stderr}")


@scenario(seconds=120, only="ptrace", why="uprobes need a file")
def functions_that_node_has_compiled(world):
    """JavaScript, with the map that node writes: names in stacks, and the calls of a function."""
    if not shutil.which("node"):
        raise Skip("no node: nodejs")
    script = world.path("loop.js", """
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
for (let i = 0; i < 30; i++) fib(20);
console.log('ready');
let rounds = 0;
process.stdin.on('end', () => { let sum = 0; for (let i = 0; i < 5; i++) sum += fib(10); console.log(sum); });
process.stdin.resume();
""")
    node = world.start(["node", "--perf-basic-prof", "--max-opt=1", script], marked=False, stdin=subprocess.PIPE)
    equal(node.stdout.readline(), "ready\n", "first line")
    sonde = world.start_sonde("-q", "-n", "BEGIN { done = 0; } pid$target:perf*:*fib*:entry { @ = count(); } "
                              "pid$target:perf*:*fib*:entry /!done/ { done = 1; ustack(4); }", "-p", node.pid)
    wait_until(lambda: attached_to(sonde, node.pid) and at_rest(sonde), what="the attach")
    node.stdin.close()
    equal(node.stdout.read(), "275\n", "what the program says")
    equal(node.wait(60 * patience), 0, "exit status of node")
    result = world.finish(sonde)
    pathlib.Path(f"/tmp/perf-{node.pid}.map").unlink(missing_ok=True)
    check(re.search(rf"perf-{node.pid}\.map`.*fib", result.stdout), f"no name in the stack: {result.stdout}")
    equal(int(result.stdout.split()[-1]), 5 * 177, "calls of fib(10), which are 177 each")
