# SPDX-License-Identifier: GPL-3.0-or-later
"""A name belongs to a time: addresses that get another meaning while they are traced, in every use of names."""

import json
import os
import pathlib
import shutil
import subprocess

from support import Skip, at_rest, attached_to, check, equal, patience, scenario, wait_until

ON = "syscall::getppid:entry"
# The function that calls getppid(), as each use shows it: (arguments, clause, what to look for in the output).
USES = {
    "printed stack": ([], "{ ustack(4); }", lambda name: f"`{name}+0x"),
    "stack as key": ([], "{ @[ustack(4)] = count(); }", lambda name: f"`{name}+0x"),
    "ufunc": ([], "{ @[ufunc(ucaller)] = count(); }", lambda name: f"`{name} "),
    "usym": ([], "{ @[usym(ucaller)] = count(); }", lambda name: f"`{name} "),
    "uaddr": ([], "{ @[uaddr(ucaller)] = count(); }", lambda name: f"`{name}+0x"),
    "%A": ([], '{ printf("%A\\n", ucaller); }', lambda name: f"`{name}+0x"),
    "%a": ([], '{ printf("%a\\n", ucaller); }', lambda name: f"`{name}+0x"),
    "jsonl": (["-x", "format=jsonl"], "{ @[ustack(4)] = count(); }", lambda name: f"`{name}"),
    "folded": (["-x", "format=folded"], "{ @[ustack(4)] = count(); }", lambda name: f"`{name}"),
}


def count_of(name, use, text):
    """How many calls the output counts in a function of that name."""
    if use == "jsonl":
        found = 0
        for line in text.splitlines():
            value = json.loads(line)
            if f"`{name}" in line and value.get("value") is not None:
                found += value["value"]
        return found
    mark, found, pending = USES[use][2](name), 0, False
    for line in text.splitlines():
        number = line.split()[-1] if line.split() else ""
        if use in ("printed stack", "%A", "%a"):
            found += mark in line + " "
        elif use == "stack as key":
            pending = pending or mark in line
            if number == line.strip() and number.isdigit():
                found, pending = found + (int(number) if pending else 0), False
        elif mark in line + " ":
            found += int(number)
    return found


def names_of(path):
    """The functions of a file, by nm."""
    text = subprocess.run(["nm", path], check=True, stdout=subprocess.PIPE, text=True, timeout=60 * patience).stdout
    return {line.split()[2] for line in text.splitlines() if line.split()[-2:-1] == ["t"] or line.split()[-2:-1] == ["T"]}


def traced(world, use, words, started, before=None):
    """The output of a run with that use of names; with `started`, of -c, else of -p."""
    options, clause, _mark = USES[use]
    arguments = ["-q", *options, "-n", f"{ON} {clause}"]
    if started:
        return world.sonde(*arguments, "-c", " ".join([words[0], "go", *words[1:]])).stdout
    program = world.start([words[0], "wait", *words[1:]], stdin=subprocess.PIPE)
    sonde = world.start_sonde(*arguments, "-p", str(program.pid))
    wait_until(lambda: attached_to(sonde, program.pid) and at_rest(sonde), what="the attach")
    program.stdin.write("\n")
    program.stdin.flush()
    if before is not None:
        before()
    program.stdin.write("\n")
    program.stdin.close()
    program.stdin = None
    world.finish(program)
    return world.finish(sonde).stdout


def expect(world, words, wanted, uses=None, ways=(True, False), fresh=lambda: None):
    """`wanted`: function name -> calls in it. `fresh()` makes the files again before each run."""
    for use in uses or USES:
        for started in ways:
            fresh()
            text = traced(world, use, words, started)
            found = {name: count_of(name, use, text) for name in wanted}
            equal(found, wanted, f"{use}, {'-c' if started else '-p'}, of {text}")


SOME = ["stack as key", "ufunc", "%A"]


def libraries(world):
    """Paths of two libraries of the same layout, whose functions differ, made again at each call of the third."""
    built = [world.program("times_library", "-shared", "-fPIC", "-O1", f"-DFUNC={name}") for name in ("first_one", "other_one")]
    check("first_one" in names_of(built[0]) and "other_one" in names_of(built[1]), "nm names other functions")
    paths = [world.path("one.so"), world.path("two.so")]

    def fresh():
        for source, path in zip(built, paths):
            pathlib.Path(path).unlink(missing_ok=True)
            shutil.copy(source, path)
            os.chmod(path, 0o755)
            if world.user is not None:
                os.chown(path, world.user, world.user)
    fresh()
    return paths[0], paths[1], fresh


@scenario(short=True)
def names_across_an_exec_at_the_same_addresses(world):
    """Two programs that are not position-independent: the stacks of each have its own names, printed when both have
    ended. Programs as Go makes them, and static ones, do this every day."""
    first, second = (world.program("times", "-no-pie", "-O1", f"-DFUNC={name}") for name in ("alpha", "omega"))
    expect(world, [first, "exec", second], {"alpha": 3, "omega": 3}, None if world.full else [*SOME, "jsonl", "folded"])


@scenario()
def names_across_an_exec_without_randomisation(world):
    """The same with position-independent programs that the kernel loads at fixed addresses."""
    first, second = (world.program("times", "-O1", f"-DFUNC={name}") for name in ("alpha", "omega"))
    script = ["-q", "-n", f"{ON} {{ @[ufunc(ucaller)] = count(); @s[ustack(3)] = count(); }}"]
    result = world.sonde(*script, "-c", f"setarch -R {first} go exec {second}")
    for name in ("alpha", "omega"):
        equal(count_of(name, "ufunc", result.stdout), 3, f"calls in {name}")


@scenario()
def one_program_twice_is_one_element(world):
    """A program that executes itself: its stacks have the same names, and are the same elements, as before."""
    program = world.program("times", "-no-pie", "-O1", "-DFUNC=alpha")
    result = world.sonde("-q", "-n", f"{ON} {{ @[ufunc(ucaller)] = count(); }}", "-c", f"{program} go exec {program}")
    equal([line.split()[-1] for line in result.stdout.splitlines() if line.strip()], ["6"], "elements")


@scenario()
def names_of_a_library_in_the_place_of_another(world):
    """dlclose(), then dlopen() of another library at the same addresses; and a library that is not loaded any more."""
    program = world.program("times", "-O1", "-DFUNC=alpha")
    first, second, _ = libraries(world)
    expect(world, [program, "reload", first, second], {"first_one": 3, "other_one": 3}, None if world.full else [*SOME, "folded"])
    expect(world, [program, "unload", first], {"first_one": 3}, SOME)


@scenario()
def names_of_a_file_that_is_replaced(world):
    """A package manager puts another file in the place of a mapped one: names are those of the file that is mapped."""
    program = world.program("times", "-O1", "-DFUNC=alpha")
    first, second, fresh = libraries(world)
    expect(world, [program, "replace", first, second], {"first_one": 6, "other_one": 0}, USES if world.full else SOME, fresh=fresh)
    if os.geteuid() == 0:
        user = world.as_user()
        program = user.program("times", "-O1", "-DFUNC=alpha")
        first, second, fresh = libraries(user)
        expect(user, [program, "replace", first, second], {"first_one": 6, "other_one": 0}, SOME, fresh=fresh)


@scenario()
def never_the_names_of_another_file(world):
    """An ordinary user attaches when the file is another by now: there is no name, but the reason."""
    user = world.as_user()
    program = user.program("times", "-O1", "-DFUNC=alpha")
    first, second, _ = libraries(user)
    target = user.start([program, "wait", "replace-and-wait", first, second], stdin=subprocess.PIPE)
    target.stdin.write("\n")
    target.stdin.flush()
    wait_until(lambda: not pathlib.Path(second).exists(), what="the other file")
    sonde = user.start_sonde("-q", "-n", f"{ON} {{ @[ustack(4)] = count(); }}", "-p", str(target.pid))
    wait_until(lambda: attached_to(sonde, target.pid) and at_rest(sonde), what="the attach")
    target.stdin.write("\n\n")
    target.stdin.close()
    target.stdin = None
    user.finish(target)
    result = user.finish(sonde)
    check("one.so`0x" in result.stdout, f"no address in the library: {result.stdout}")
    check("other_one" not in result.stdout, f"a name of the other file: {result.stdout}")
    equal(result.stderr.count("one.so was replaced by another file"), 1, f"reasons in {result.stderr!r}")


@scenario()
def names_of_files_without_a_path(world):
    """A deleted library, one in a memfd, and a program that runs from a memfd as runc does."""
    program = world.program("times", "-no-pie", "-O1", "-DFUNC=alpha")
    other = world.program("times", "-no-pie", "-O1", "-DFUNC=omega")
    first, _second, fresh = libraries(world)
    for change in ("delete", "memory"):
        expect(world, [program, change, first], {"first_one": 3}, SOME, fresh=fresh)
    expect(world, [program, "memory-exec", other], {"alpha": 3, "omega": 3}, SOME)


# Many programs, all of whose events and records wait for sonde.
STOPS_SONDE = """
sonde=$(cut -d' ' -f4 /proc/$PPID/stat)
kill -STOP $sonde
for round in $(seq 60); do {first} go memory-exec {second}; done
kill -CONT $sonde
"""


@scenario(only="ptrace", why="the module keeps its events where sonde reads them")
def names_after_sonde_was_stopped(world):
    """The socket has no room for the events of so many programs. Their records, in the ring, have names all the same."""
    first, second = (world.program("times", "-no-pie", "-O1", f"-DFUNC={name}") for name in ("alpha", "omega"))
    script = pathlib.Path(world.path("stops.sh"))
    script.write_text(STOPS_SONDE.replace("{first}", first).replace("{second}", second))
    result = world.sonde("-q", "-n", f'{ON} {{ printf("%A\\n", ucaller); }}', "-c", f"sh {script}")
    equal([count_of(name, "%A", result.stdout) for name in ("alpha", "omega")], [180, 180], "named calls")


@scenario()
def names_of_text_that_was_moved(world):
    """Text in memory of its own, as node --use-largepages has it: named by the file around it."""
    program = world.program("times", "-O1", "-DFUNC=alpha")
    expect(world, [program, "move"], {"alpha": 6}, ["stack as key", "%A"], ways=(False,))


@scenario()
def names_in_a_chroot_of_a_mount_namespace(world):
    """As schroot and mock start programs: paths begin at the namespace's root, not at the program's."""
    if os.geteuid() != 0:
        raise Skip("needs root, for chroot")
    jail = pathlib.Path(world.path("jail"))
    for folder in ("bin", "proc"):
        (jail / folder).mkdir(parents=True)
    shutil.copy(world.program("times", "-static", "-no-pie", "-O1", "-DFUNC=alpha"), jail / "bin" / "times")
    result = world.sonde("-q", "-Z", "-n", f"{ON} {{ @[ufunc(ucaller)] = count(); }}",
                         "-c", f"unshare -m chroot {jail} /bin/times go calls")
    equal(count_of("alpha", "ufunc", result.stdout), 3, "named calls")
    target = world.start(["unshare", "-m", "chroot", jail, "/bin/times", "wait", "calls"], stdin=subprocess.PIPE)
    wait_until(lambda: os.readlink(f"/proc/{target.pid}/exe").endswith("/bin/times"), what="the program")
    sonde = world.start_sonde("-q", "-n", "pid$target:a.out:alpha:entry { @[probefunc] = count(); }", "-p", str(target.pid))
    wait_until(lambda: attached_to(sonde, target.pid) and at_rest(sonde), what="the attach")
    target.stdin.write("\n\n")
    target.stdin.close()
    target.stdin = None
    world.finish(target)
    check("alpha" in world.finish(sonde).stdout, "the function has a probe")


@scenario()
def names_of_a_pid_that_is_used_again(world):
    """Two programs at the same addresses that have the same pid, one after the other."""
    if os.geteuid() != 0:
        raise Skip("needs root, for a pid namespace")
    first, second = (world.program("times", "-no-pie", "-O1", f"-DFUNC={name}") for name in ("alpha", "omega"))
    result = world.run(["unshare", "-pf", "--mount-proc", world.binary, "-q", "-n", f"{ON} {{ @[pid, ufunc(ucaller)] = count(); }}",
                        "-c", f"{first} go pids {first} {second}"])
    if "ns_last_pid" in result.stderr or "not 300" in result.stderr:
        raise Skip("the kernel lets us choose no pid: " + result.stderr.strip())
    equal(result.status, 0, "status of sonde: " + result.stderr)
    equal([count_of(name, "ufunc", result.stdout) for name in ("alpha", "omega")], [3, 3], "calls of " + result.stdout)


@scenario(only="ptrace", why="the module walks stacks itself, and reads what the process has")
def stacks_of_what_is_not_dumpable(world):
    """ssh-agent and its like: an ordinary user who starts one sees whole stacks, also where function probes have read its
    memory before, and the words in pages that it has not accessed itself."""
    user = world.as_user()
    program, path = user.program("undumpable"), user.path("path", "/a/path/in/an/untouched/page")
    for also in ("", "pid$target:a.out:work:entry { }"):
        result = user.sonde("-q", "-n", 'syscall::getppid:entry { @[ustack()] = count(); } syscall::openat:entry /arg2 & 0x10000/ '
                            '{ printf("<%s>", copyinstr(arg1)); @o[ustack()] = count(); } ' + also, "-c", f"{program} {path}")
        stacks = result.stdout.count("`getppid+") + result.stdout.count("`open+")
        check(result.stdout.count("undumpable`work") == stacks - 1 >= 1, f"{also}: work() makes all calls but one: {result.stdout}")
        for name in ("undumpable`main", "__libc_start_call_main", "undumpable`_start"):
            equal(result.stdout.count(name), stacks, f"{also}: frames of {name}: {result.stdout} {result.stderr}")
        check("</a/path/in/an/untouched/page>" in result.stdout, f"{also}: the path: {result.stdout} {result.stderr}")


@scenario(only="ptrace", why="the module reads the kernel's own structures")
def descriptors_of_what_is_not_dumpable(world):
    """An ordinary user may not read its links in /proc: they are unknown, which is neither a fault nor a closed descriptor."""
    clause = ('syscall::openat:entry /arg2 & 0x10000/ { printf("%s %s %s %s %s %s", fds[3].fi_pathname, fds[3].fi_dirname, '
              'fds[3].fi_fs, fds[3].fi_mount, cwd, fds[77].fi_pathname); }')
    for of, known in ((world, os.geteuid() == 0), (world.as_user(), False)):
        path = of.path("path", "/a/path")
        result = of.sonde("-q", "-n", clause, "-c", f"{of.program('undumpable')} {path}")
        equal(result.stderr, "", "messages")
        words = result.stdout.split()
        if known:
            equal([*words[:2], *words[4:]], [path, os.path.dirname(path), str(of.home), "<none>"], "names that root sees")
        else:
            equal(words, ["<unknown>"] * 6, "names that an ordinary user may not see")


@scenario(only="ptrace", why="Go's table is read where the guard walks")
def callers_of_frameless_go_functions(world):
    """A function without a frame leaves its caller's frame pointer in place: its caller is found by Go's own table."""
    program = world.program("go_leaf")
    result = world.sonde("-q", "-x", "ustackframes=8", "-n", "profile-997 /arg1/ { @[ustack()] = count(); }",
                         "-c", program, status=None)
    stacks = [stack for stack in result.stdout.split("\n\n") if "`main.leaf" in stack.strip().splitlines()[0:1].__str__()]
    check(len(stacks) >= 1, f"no sample in the leaf: {result.stdout} {result.stderr}")
    for stack in stacks:
        check("`main.middle" in stack and "`main.outer" in stack and "`main.main" in stack, f"a caller is lost: {stack}")


@scenario()
def the_path_of_an_exec_by_descriptor(world):
    """execveat(fd, "", AT_EMPTY_PATH), as fexecve() makes it: args[0] is the descriptor's file."""
    program = world.program("times", "-no-pie", "-O1", "-DFUNC=alpha")
    result = world.sonde("-q", "-n", 'proc:::exec /pid == $target/ { printf("%s\\n", args[0]); }', "-c", f"{program} go memory-exec {program}")
    check("memfd:copy" in result.stdout, f"paths {result.stdout!r}")
