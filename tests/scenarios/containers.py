# SPDX-License-Identifier: GPL-3.0-or-later
"""Pid namespaces, cgroups and containers: real ones, which the scenario makes, on each source."""

import os
import pathlib
import re
import shutil
import signal

from stock_kernel import SOURCE, need_it, start_tracing, stop_tracing
from support import Skip, check, equal, scenario, state_of, wait_until

ID = "0123456789abcdef" * 4
FIRED = 'printf("%d %d %s %s %d\\n", vpid == pid, cgroupid, cgroup, container, pidns)'


def hierarchy():
    """Where the v2 hierarchy is mounted, for who may make cgroups in it."""
    found = re.search(r"^\S+ (\S+) cgroup2 ", pathlib.Path("/proc/mounts").read_text(), re.M)
    if os.geteuid() != 0 or not found:
        raise Skip("needs root and a mounted cgroup2 hierarchy")
    return pathlib.Path(found.group(1))


class Cgroup:
    """A new cgroup of that path, below one of the scenario's own; it is gone at the end."""

    def __init__(self, world, path):
        self.top = hierarchy() / f"sonde-{world.marker[:8]}"
        self.folder, self.path = self.top / path, f"/{self.top.name}/{path}"

    def __enter__(self):
        try:
            self.folder.mkdir(parents=True)
        except OSError as error:
            raise Skip(f"no cgroup can be made here: {error}") from None
        return self

    def __exit__(self, *_):
        for folder in sorted([*self.top.rglob("*"), self.top], key=lambda one: -len(one.parts)):
            if folder.is_dir():
                folder.rmdir()

    def inside(self, world, program):
        """A command that runs the program in the cgroup."""
        script = world.path(f"into-{self.folder.name[:8]}", f"#!/bin/sh\necho $$ > {self.folder}/cgroup.procs\nexec {program} 5\n")
        return script

    @property
    def id(self):
        return self.folder.stat().st_ino


def of_own_name(world, name="own"):
    """The program mixed, by a name that no other process has."""
    path = world.path(f"{name}-{world.marker[:8]}")
    if not os.path.exists(path):
        os.symlink(world.program("mixed"), path)
    return path


def in_namespace(world, program):
    """A command that runs the program as process 1 of a new pid namespace, and the file that gets its inode."""
    if os.geteuid() != 0 or not shutil.which("unshare"):
        raise Skip("needs root and unshare: util-linux")
    inode = world.path("inode")
    inner = world.path("inner", f"#!/bin/sh\nreadlink /proc/self/ns/pid > {inode}\nexec {program} 5\n")
    return f"unshare -pf --mount-proc {inner}", pathlib.Path(inode)


def fired(output):
    return {line for line in output.splitlines() if line.strip()}


@scenario(short=True)
def number_in_a_pid_namespace(world):
    """vpid is 1 in a namespace of its own, pidns its inode; pid stays the machine's."""
    command, inode = in_namespace(world, world.program("mixed"))
    script = 'syscall::getppid:entry /vpid == 1 && execname == "mixed"/ { printf("%d %d\\n", pid != vpid, pidns); }'
    result = world.sonde("-q", "-n", script, "-c", command)
    equal(fired(result.stdout), {"1 " + re.sub(r"\D", "", inode.read_text())}, "what was printed")


@scenario(short=True)
def cgroup_of_a_program(world):
    """A program that moves itself into a container's cgroup: id, path and container, also as keys and in predicates."""
    with Cgroup(world, f"docker-{ID}.scope") as cgroup:
        command = cgroup.inside(world, world.program("mixed"))
        script = 'syscall::getppid:entry /execname == "mixed"/ { ' + FIRED + " }"
        line = fired(world.sonde("-q", "-n", script, "-c", command).stdout).pop()
        equal(line.rsplit(" ", 1)[0], f"1 {cgroup.id} {cgroup.path} {ID[:12]}", "what was printed")
        for predicate in (f'cgroup == "{cgroup.path}"', f'container == "{ID[:12]}"', f"cgroupid == {cgroup.id}"):
            script = f"syscall::getppid:entry /{predicate}/ {{ @[cgroup, container] = count(); }}"
            result = world.sonde("-q", "-n", script, "-c", command)
            equal(result.stdout.split()[:2], [cgroup.path, ID[:12]], predicate)


@scenario(only="ptrace", why="the module stops no thread")
def a_frozen_process_is_refused(world):
    """It stops for nobody: -p says so at once, and works when the process is thawed."""
    with Cgroup(world, "frozen") as cgroup:
        program = world.start(["sleep", "60"])
        try:
            (cgroup.folder / "cgroup.procs").write_text(str(program.pid))
            (cgroup.folder / "cgroup.freeze").write_text("1")
            wait_until(lambda: "frozen 1" in (cgroup.folder / "cgroup.events").read_text(), what="the process is frozen")
            for words in ([], ["-n", "syscall::: { }"], ["-n", "pid$target:libc*:malloc:entry { }"]):
                result = world.sonde("-q", *words, "-p", program.pid, status=1, seconds=10)
                check("a cgroup has frozen it, as docker pause does, and it stops for nobody; thaw it first" in result.stderr, f"{words}: {result}")
            (cgroup.folder / "cgroup.freeze").write_text("0")
            result = world.sonde("-q", "--duration=0", "-p", program.pid)
            check(re.search(r"(nanosleep|restart_syscall)\(", result.stdout + result.stderr), f"thawed: {result}")
        finally:
            program.kill()
            program.wait()


@scenario(short=True)
def without_a_hierarchy(world):
    """Where no cgroup2 is mounted there are no paths and no containers, and no error."""
    hierarchy()
    if not shutil.which("unshare"):
        raise Skip("needs unshare: util-linux")
    points = re.findall(r"^\S+ (\S+) cgroup2 ", pathlib.Path("/proc/mounts").read_text(), re.M)
    away = " && ".join(f"umount {point}" for point in points)
    script = 'syscall::exit_group:entry { printf("[%s][%s]\\n", cgroup, container); }'
    result = world.run(["unshare", "-m", "sh", "-c", f'{away} && exec "$@"', "sh", world.binary, "-qn", script, "-c", "true"])
    equal((result.status, result.stdout.split()), (0, ["[][]"]), f"what was printed, {result.stderr}")


@scenario()
def stock_kernel_namespaces(world):
    """The whole machine by a stock kernel: vpid and pidns of a process 1 of another namespace."""
    need_it(world)
    name = f"own-{world.marker[:8]}"
    command, inode = in_namespace(world, of_own_name(world))
    script = f'syscall::getppid:entry /execname == "{name}"/ {{ @[vpid, pidns, pid != vpid] = count(); }}'
    sonde = start_tracing(world, "-n", script)
    equal(world.run(command.split()).status, 0, "the program's status")
    equal(stop_tracing(world, sonde).stdout.split()[:3], ["1", re.sub(r"\D", "", inode.read_text()), "1"], "what was printed")


@scenario()
def stock_kernel_cgroups(world):
    """The whole machine by a stock kernel: id, path and container, of a cgroup that is made while sonde traces, too."""
    need_it(world)
    name = f"own-{world.marker[:8]}"
    program = of_own_name(world)
    for early in (True, False):
        cgroup = Cgroup(world, f"docker/{ID}")
        if early:
            cgroup.__enter__()
        sonde = start_tracing(world, "-n", f'syscall::getppid:entry /execname == "{name}"/ {{ @[cgroupid, cgroup, container] = count(); }}')
        if not early:
            cgroup.__enter__()
        try:
            equal(world.run([cgroup.inside(world, program)]).status, 0, "the program's status")
            found = stop_tracing(world, sonde).stdout.split()
            equal(found[:3], [str(cgroup.id), cgroup.path, ID[:12]], f"early: {early}")
        finally:
            cgroup.__exit__()


def two_programs(world, cgroup):
    """A command that runs mixed twice, once inside of the cgroup."""
    return world.path("both", f"#!/bin/sh\n{world.program('mixed')} 5\n{cgroup.inside(world, world.program('mixed'))}\n")


@scenario(only="ptrace", why="the kernel has the names of mounts as they are")
def mounts_have_the_names_that_they_were_given(world):
    """/proc writes blanks, tabs and backslashes of a mount point as octal digits: in the middle, and at the end."""
    if os.geteuid() != 0 or not shutil.which("unshare"):
        raise Skip("needs root and unshare: util-linux")
    for name in ("a b", "a ", "a\\040", "a\tb"):
        point = pathlib.Path(world.path("file", "")).with_name(name)
        point.mkdir()
        reader = world.path("reads", f"#!/bin/sh\nmount -t tmpfs none '{point}' && echo x > '{point}/f' && exec cat '{point}/f'\n")
        os.chmod(reader, 0o755)
        script = 'syscall::read:entry /fds[arg0].fi_name == "f"/ { printf("<%s>", fds[arg0].fi_mount); exit(0); }'
        found = world.sonde("-q", "-n", script, "-c", f"unshare -m {reader}").stdout
        check(f"<{point}>" in found, f"{name!r}: {found!r}")


COUNT = "syscall::getppid:entry { @[cgroup] = count(); } END { printf(\"end \"); }"


@scenario(short=True)
def only_a_cgroup(world):
    """--cgroup by path, id and pattern: what runs in it, or below it, and END as ever."""
    with Cgroup(world, "a/b") as cgroup:
        program = two_programs(world, cgroup)
        above = cgroup.path.removesuffix("/a/b")
        for named in (cgroup.path, above, above + "/", str(cgroup.id), above + "/*", above[:-1] + "?", above + "/a/[ab]"):
            words = world.sonde("-q", f"--cgroup={named}", "-n", COUNT, "-c", program).stdout.split()
            equal(words[:2], ["end", cgroup.path], f"{named}: {words}")
            equal(len(words), 3, f"{named}: {words}")
        mixed = "BEGIN, syscall::getppid:entry { @[probename] = count(); }"
        found = world.sonde("-q", f"--cgroup={cgroup.path}", "-n", mixed, "-c", program).stdout.split()
        equal(found[:3] + found[4:], ["BEGIN", "1", "entry"], f"a clause that sonde's own process fires, too: {found}")
        everywhere = world.sonde("-q", "--cgroup=/", "-n", COUNT, "-c", program).stdout.split()
        equal(len(everywhere), 5, f"with the root's: {everywhere}")
        lines = world.sonde(f"--cgroup={cgroup.path}", "--trace=getppid", "-c", program).stderr
        alone = world.sonde("--trace=getppid", "-c", program).stderr
        check(0 < lines.count("getppid(") < alone.count("getppid("), f"calls in the list: {lines!r}, {alone!r}")


@scenario(short=True)
def only_a_container(world):
    """--container by the beginning of an id, by a whole id, and by a name."""
    for path, names in ((f"docker-{ID}.scope", (ID[:3], ID[:12], ID)), ("lxc/web", ("web",))):
        with Cgroup(world, path) as cgroup:
            program = two_programs(world, cgroup)
            for name in names:
                words = world.sonde("-q", f"--container={name}", "-n", COUNT, "-c", program).stdout.split()
                equal(words[:2], ["end", cgroup.path], f"{name}: {words}")
                equal(len(words), 3, f"{name}: {words}")


@scenario(short=True)
def no_such_cgroup(world):
    """A cgroup or container that does not exist: status 1, and what there is."""
    with Cgroup(world, "lxc/web") as cgroup:
        for option, said in ((f"--cgroup={cgroup.path[:-1]}c", f"did you mean '{cgroup.path}'?"), ("--cgroup=/no/such/*", "no cgroup '/no/such/*'"),
                             ("--cgroup=18446744073709551615", "no cgroup '18446744073709551615'"), ("--container=wob", "web")):
            result = world.sonde("-q", option, "-n", "BEGIN { exit(0); }", status=1)
            equal(said in result.stderr, True, f"{option}: {result.stderr}")


@scenario()
def stock_kernel_cgroup_that_is_gone(world):
    """One that was there when the script was enabled keeps its name, though it went before sonde had its first record."""
    need_it(world)
    program, name = of_own_name(world), f"own-{world.marker[:8]}"
    with Cgroup(world, "lxc/web") as cgroup:
        sonde = start_tracing(world, "-n", f'syscall::getppid:entry /execname == "{name}"/ {{ @[cgroup, container, pid] = count(); }}')
        sonde.send_signal(signal.SIGSTOP)
        wait_until(lambda: state_of(sonde.pid, sonde.pid) == "T", what="sonde's stop")
        equal(world.run([cgroup.inside(world, program)]).status, 0, "the program's status")
        cgroup.folder.rmdir()
        sonde.send_signal(signal.SIGCONT)
        equal(stop_tracing(world, sonde).stdout.split()[:2], [cgroup.path, "web"], "what was printed")


@scenario()
def stock_kernel_only_a_cgroup(world):
    """The whole machine by a stock kernel: aggregations stay in the kernel, and only the cgroup's calls are in them."""
    need_it(world)
    with Cgroup(world, f"docker-{ID}.scope") as cgroup:
        for option in (f"--cgroup={cgroup.path}", f"--container={ID[:12]}"):
            sonde = start_tracing(world, option, "-n", "syscall::getppid:entry { @[cgroupid] = count(); }")
            equal(world.run([two_programs(world, cgroup)]).status, 0, "the program's status")
            found = stop_tracing(world, sonde).stdout.split()
            equal((found[0], len(found)), (str(cgroup.id), 2), f"{option}: {found}")
