# SPDX-License-Identifier: GPL-3.0-or-later
"""What D says of a process in which no two facts are equal: ids, group, session, priority, descriptors."""

import os
import re

from support import Skip, check, equal, scenario

FACTS = {"uid": "uid", "euid": "curpsinfo->pr_euid", "gid": "gid", "egid": "curpsinfo->pr_egid", "pid": "pid", "ppid": "ppid", "pgid": "curpsinfo->pr_pgid",
         "sid": "curpsinfo->pr_sid", "pri": "curlwpsinfo->pr_pri",
         # the same by their other names
         "uid ": "curpsinfo->pr_uid", "gid ": "curpsinfo->pr_gid", "pid ": "curpsinfo->pr_pid", "ppid ": "curpsinfo->pr_ppid"}
KINDS = {"pipe": "pipefs", "socket": "sockfs", "memfd": None, "null": None} | dict.fromkeys(("eventpoll", "eventfd", "timerfd", "signalfd", "inotify"), "anon_inodefs")


def facts_of(world):
    """({name: number} as the program prints them, the same as D has them, {kind: (file system, name)} of its descriptors)"""
    numbers = " ".join(f'printf("d:{name}=%d\\n", {expression});' for name, expression in FACTS.items())
    descriptors = " ".join(f'printf("f:{fd}=%s|%s\\n", fds[{fd}].fi_fs, fds[{fd}].fi_name);' for fd in range(3, 16))
    result = world.sonde("-q", "-x", "strsize=128", "-n", f"syscall::getpgid:entry /(int)arg0 == -7/ {{ {numbers} {descriptors} }}", "-c", world.program("facts"))
    own = {name: int(value) for name, value in re.findall(r"^(\w+) (-?\d+)$", result.stdout, re.M)}
    said = {name: int(value) for name, value in re.findall(r"^d:([\w ]+)=(-?\d+)$", result.stdout, re.M)}
    files = {int(fd): (kind, name) for fd, kind, name in re.findall(r"^f:(\d+)=(.*)\|(.*)$", result.stdout, re.M)}
    equal(said, {name: own[name.strip()] for name in FACTS}, "facts")
    return own, files


@scenario(short=True)
def facts_of_a_process_are_its_own(world):
    if os.geteuid() != 0:
        raise Skip("needs root, for a process whose ids differ")
    own, files = facts_of(world)
    equal((own["uid"], own["euid"], own["gid"], own["egid"], own["pri"], own["nice"]), (1001, 1002, 2001, 2002, 25, 5), "what the program became")
    numbers = [own[name] for name in ("uid", "euid", "gid", "egid", "pid", "ppid", "pgid", "sid")]
    equal(len(set(numbers)), len(numbers) - (own["ppid"] == own["pgid"]), f"different numbers: {numbers}")
    for name, kind in KINDS.items():
        found = files[own[name]]
        check(kind in (None, found[0]), f"{name}: fi_fs is {found[0]}, not {kind}")
        if kind == "anon_inodefs":
            check(name in found[1], f"{name}: fi_name is {found[1]}")
    check("some memory" in files[own["memfd"]][1] and files[own["null"]][1] == "null", f"names: {files}")


@scenario()
def user_facts_of_a_process(world):
    facts_of(world.as_user())
