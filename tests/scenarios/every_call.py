# SPDX-License-Identifier: GPL-3.0-or-later
"""Each system call of the machine as a line: compared with strace's where strace is installed, and everywhere with every_call.txt.

The program every_call makes each call, and says before each which it is. every_call.txt has our lines; a difference from
strace is either mended or has its call's name, with the reason, in DIFFERENT, which docs/providers/syscall.md explains. Then the line is
compared with every_call.txt only. `python3 every_call.py BINARY` writes that file anew: read the difference."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from support import Skip, check, equal, lines_of_calls, scenario

TABLE = pathlib.Path(__file__).with_suffix(".txt")
TEXT = r'"(?:[^"\\]|\\.)*"'

# Everywhere: names for numbers that have none, dates beside times, the directory of AT_FDCWD, the order of flags, the errno of a call that a signal ends, which
# strace shows as the kernel has it. Numbers of inodes differ by run.
EVERYWHERE = [(r"= \? ERESTART\w* \(.*\)$", "= -1 EINTR (Interrupted system call)"), (r",  \{", ", {"), (r" +=", " ="), (r"\( +\)", "()"), (r" /\* \w*\?\?\?? \*/", ""), (r"AT_FDCWD<[^>]*>", "AT_FDCWD"), (r"(pipe|socket):\[\d+\]", r"\1:[N]"),
              (r" /\* \d{4}-\d\d-[^*]* \*/", ""), (r"(\d) \(\d{4}-\d\d-\d\dT[^)]*\)", r"\1")]
# What the machine, the user or the moment decides; for strace, which runs at another moment, and for the table.
MOMENT = {name: [(r"\d+", "N")] for name in ("clock_gettime", "gettimeofday", "time", "getrusage", "sysinfo", "statfs", "fstatfs", "getpid", "getppid", "gettid", "getpgrp",
                                             "setsid", "fork", "vfork", "clone", "set_tid_address", "getcpu", "inotify_add_watch")}
MOMENT |= {name: [(r"(ru_\w+|tv_u?sec|si_pid|si_uid|si_[us]time)=\d+", r"\1=N"), (r"= \d+$", "= N")] for name in ("wait4", "waitid", "rt_sigtimedwait")}
MOMENT |= {name: [(r"(\}, \{tv_sec=)\d+(, tv_nsec=)\d+", r"\1N\2N")] for name in ("nanosleep", "clock_nanosleep")}
MOMENT |= {"msgget": [(r"= \d+$", "= N")]}
MOMENT |= {"times": [(r" /\* [0-9.]+ s \*/", ""), (r"\d+", "N")], "getrandom": [(TEXT, "RANDOM")], "brk": [(r"= 0x\w+", "= ADDRESS")]}
MACHINE = {name: [(r"(?<=\{).*(?=\})", "..."), (r"(?<= = )\d+", "N")] for name in ("uname", "capget", "statfs", "fstatfs", "sysinfo", "getdents", "getdents64", "getrlimit", "prlimit64", "sched_rr_get_interval")}
MACHINE |= {name: [(r"\d+", "N")] for name in ("getresuid", "getresgid", "getuid", "geteuid", "getgid", "getegid", "setresuid", "setfsuid", "setfsgid", "getpriority", "prctl", "personality")}
MACHINE |= {name: [(r"\[.*\]", "[...]"), (r"(?<= = )\d+", "N")] for name in ("getgroups", "sched_getaffinity", "get_robust_list")}
MACHINE |= {name: [(r"(st_mode=\S*DIR\S*) st_size=\d+", r"\1 st_size=N"), (r"stx_mask=[\w|]+", "stx_mask=...")] for name in ("lstat", "newfstatat", "statx")}
MACHINE |= {"getcwd": [(TEXT, "FOLDER"), (r"(?<= = )\d+", "N")], "rt_sigreturn": [(r"= .*", "= N")]}

NUMBERS = "sonde knows no names for the numbers of this call"
STRUCTURES = "sonde does not decode what this call points to"
GONE = "no kernel has this call: sonde knows no arguments of it"
REFUSED = "strace does not show what the kernel refuses to read"
PATHS = "sonde shows descriptors in sets and poll entries without their files"
RESULT = "sonde shows the address of what this call gives"
DIFFERENT = {
    **dict.fromkeys(("membarrier", "fanotify_init", "fanotify_mark", "io_uring_enter", "perf_event_open", "landlock_add_rule", "mbind", "get_mempolicy", "move_mount", "fsopen",
                     "fsmount", "fspick", "open_tree", "delete_module", "kexec_load", "msgsnd", "msgrcv", "quotactl", "quotactl_fd", "swapon", "kcmp", "move_pages",
                     "ustat", "openat2", "request_key", "add_key", "futex", "seccomp", "rseq", "reboot", "setsockopt"), NUMBERS),
    **dict.fromkeys(("ioctl", "io_uring_setup", "vmsplice", "process_vm_writev", "fsconfig", "kexec_file_load", "clone3", "prctl", "memfd_secret", "io_uring_register", "bpf",
                     "sysfs", "mount_setattr", "set_mempolicy_home_node", "process_mrelease", "futex_waitv", "modify_ldt"), STRUCTURES),
    **dict.fromkeys(("epoll_ctl_old", "epoll_wait_old", "set_thread_area", "get_thread_area", "_sysctl", "create_module", "get_kernel_syms", "query_module", "nfsservctl", "getpmsg",
                     "putpmsg", "afs_syscall", "tuxcall", "security", "vserver"), GONE),
    **dict.fromkeys(("rt_sigtimedwait", "rt_sigsuspend", "select", "pselect6", "epoll_pwait", "epoll_pwait2", "ppoll", "signalfd", "setgroups", "sethostname", "setdomainname"), REFUSED),
    **dict.fromkeys(("readv", "preadv", "preadv2"), "strace shows the vector, though nothing was read into it"),
    "poll": PATHS, "arch_prctl": RESULT, "clone": RESULT, "get_robust_list": "sonde shows the address as a number",
    "rt_sigreturn": "sonde shows only the result", "restart_syscall": "strace guesses which call goes on",
    "truncate": "strace shows a negative length as if it were unsigned", "ftruncate": "strace shows a negative length as if it were unsigned",
    "readlinkat": "strace shows 64 bits of an int", "getpeername": "sonde shows only what comes out of a length", "getsockopt": "sonde shows only what comes out of a length",
    "wait4": "a flag with two names",
}


def calls(path):
    """{row: (its call's name, its line)}."""
    announced, found = {}, {}
    for thread, text in lines_of_calls(path):
        if text.startswith(("---", "+++")):
            continue
        if said := re.match(r'write\(-1, "row (\d+) (\w+)"', text):
            announced[thread] = int(said[1]), said[2]
        elif thread in announced:
            row, name = announced.pop(thread)
            found[row] = name, text
    return found


def masked(name, line, *tables):
    for rules in [EVERYWHERE, *(table.get(name, ()) for table in tables)]:
        for pattern, to in rules:
            line = re.sub(pattern, to, line)
    return re.sub(r"\w+(?:\|\w+)+", lambda flags: "|".join(sorted(flags.group(0).split("|"))), line)


def kept(found, folder):
    """The lines of every_call.txt."""
    return {row: masked(name, line.replace(folder, "HERE"), MOMENT, MACHINE) for row, (name, line) in found.items()}


def split(line):
    """(call with its arguments, whether it failed)"""
    arguments, _, result = line.rpartition(") = ")
    return arguments, result.startswith(("-1 ", "-N ", "?"))


def compared(line):
    """The line; of a call that failed, without its errno, which the rights of the user and the kernel decide."""
    arguments, failed = split(line)
    return arguments if failed else line


def run(world, tool, program, name):
    folder, out = world.path("work"), world.path(name, "")
    shutil.rmtree(folder, ignore_errors=True)
    pathlib.Path(folder).mkdir()
    if world.user is not None:
        shutil.chown(folder, world.user, world.user)
    equal(world.run([*tool, "-o", out, program], cwd=folder).status, 0, f"status below {tool[0]}")
    return calls(out), folder


@scenario(short=True)
def every_call_as_in_the_table(world):
    """The lines are those of every_call.txt: all, where the call does here what it did there."""
    found, folder = run(world, [world.binary], world.program("every_call"), "sonde.out")
    ours, table = kept(found, folder), dict(enumerate(TABLE.read_text(encoding="utf-8").splitlines()))
    equal(sorted(ours), sorted(table), "rows")
    elsewhere = [row for row in table if split(ours[row])[1] != split(table[row])[1]]
    if any(table[row].startswith("setxattr(") for row in elsewhere):  # no attributes on this file system, so none to list
        elsewhere += [row for row in table if "listxattr(" in table[row] and row not in elsewhere]
    wrong = [f"{row}: {table[row]}\n     here: {ours[row]}" for row in table if row not in elsewhere and compared(ours[row]) != compared(table[row])]
    check(not wrong, "lines that are not those of the table:\n    " + "\n    ".join(wrong))
    print(f"  {len(table) - len(elsewhere)} calls as in the table; {len(elsewhere)} have another fate here: {[table[row].split('(')[0] for row in elsewhere][:30]}")
    check(len(elsewhere) < len(table) / 5, "most of the table was not compared")


@scenario(only="ptrace", why="on kmod the user changes only which calls are refused")
def user_every_call_as_in_the_table(world):
    every_call_as_in_the_table(world.as_user())


@scenario(only="ptrace", why="the module shows the same arguments, and the table has them")
def every_call_as_strace_does(world):
    if not shutil.which("strace"):
        raise Skip("no strace: strace")
    version = world.run(["strace", "-V"]).stdout.split("\n", maxsplit=1)[0]
    if "version 6.1" not in version:
        raise Skip(f"every_call.py knows strace 6.1, not {version}")
    program = world.program("every_call")
    (theirs, _), (ours, _) = run(world, ["strace", "-f", "-y"], program, "strace.out"), run(world, [world.binary], program, "sonde.out")
    equal(sorted(ours), sorted(theirs), "rows")
    differing = {}
    for row, (name, line) in theirs.items():
        one, two = masked(name, line, MOMENT), masked(name, ours[row][1], MOMENT)
        if one != two:
            differing.setdefault(name, []).append(f"strace: {one}\n     sonde:  {two}")
    unknown = [text for name, texts in differing.items() if name not in DIFFERENT for text in texts]
    check(not unknown, "lines that differ, without a reason in DIFFERENT:\n    " + "\n    ".join(unknown))
    equal([name for name in DIFFERENT if name not in differing], [], "calls that differ no longer, but stand in DIFFERENT")
    print(f"  {len(theirs)} calls, {sum(map(len, differing.values()))} lines of {len(differing)} calls differ for known reasons")


def main():
    source = pathlib.Path(__file__).parents[1] / "programs/every_call.c"
    with tempfile.TemporaryDirectory() as folder:
        program, out, work = pathlib.Path(folder, "every_call"), pathlib.Path(folder, "out"), pathlib.Path(folder, "work")
        work.mkdir()
        subprocess.run(["gcc", "-O2", "-o", program, source], check=True)
        subprocess.run([pathlib.Path(sys.argv[1]).resolve(), "-o", out, program], check=True, cwd=work, start_new_session=True, stdin=subprocess.DEVNULL)
        lines = kept(calls(out), str(work))
    TABLE.write_text("".join(lines[row] + "\n" for row in sorted(lines)), encoding="utf-8")


if __name__ == "__main__":
    main()
