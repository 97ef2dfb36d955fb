# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables of the thread on the whole machine without the module: what the ptrace source says of the same program, this source says, too."""

import os
import re
import shutil
import subprocess

from stock_kernel import apart, need_it, start_tracing, stop_tracing
from support import check, equal, scenario, wait_until


def by_ptrace(world, script, *command):
    return world.sonde("-q", "-x", "source=ptrace", "-n", script, "-c", " ".join(command)).stdout


def by_bpf(world, script, *command, hooks=1):
    sonde = start_tracing(world, "-n", script, hooks=hooks)
    equal(world.run(command).status, 0, f"status of {command}")
    return stop_tracing(world, sonde).stdout


def same_on_both(world, script, *command, hooks=1):
    """The lines with a | that the script prints of the command, which no other process of the machine is called as."""
    script = script.replace("NAME", os.path.basename(command[0]))
    wanted, found = ([line for line in text.splitlines() if "|" in line]
                     for text in (by_ptrace(world, script, *command), by_bpf(world, script, *command, hooks=hooks)))
    equal(found, wanted, script)
    return found


@scenario()
def stock_variables_of_user_stacks(world):
    """ucaller and ustackdepth: as keys, values, in a predicate, kept from the entry to the return; of a program that waits for us, so that its
    frame information is there."""
    need_it(world)
    program = apart(world, world.program("turns"))
    name = os.path.basename(program)
    script = (f'syscall::getppid:entry /execname == "{name}" && ustackdepth > 2/ {{ @callers[ufunc(ucaller)] = count(); @depth[ustackdepth + 100] = count(); '
              "self->depth = ustackdepth; @sums = sum(ustackdepth); }} "
              'syscall::getppid:return /self->depth/ { @kept[self->depth, self->depth == ustackdepth] = count(); printf("%a\\n", ucaller); self->depth = 0; } '
              f'syscall::getppid:entry /execname == "{name}" && ustackdepth > 100/ {{ @none = count(); }}').replace("}}", "}")
    outputs = []
    for source in ("ptrace", "bpf"):
        turns = world.start([program], stdin=subprocess.PIPE)
        equal(turns.stdout.readline(), "ready\n", "what it says first")
        out = world.path(f"out-{source}")
        if source == "bpf":
            sonde = start_tracing(world, "-o", out, "-n", script, hooks=2)
        else:
            sonde = world.start_sonde("-q", "-x", "source=ptrace", "-o", out, "-n", script + ' BEGIN { printf("begun\\n"); }', "-p", turns.pid)
            wait_until(lambda: os.path.exists(out) and "begun" in open(out).read() or sonde.poll() is not None, what="sonde's start")
        turns.stdin.write("\n")
        turns.stdin.flush()
        wait_until(lambda: len(re.findall(r"^turns.*work", open(out).read(), re.M)) == 100, what="100 calls")
        stop_tracing(world, sonde)
        turns.stdin.close()
        outputs.append([line for line in open(out).read().splitlines() if line not in ("", "begun")])
    equal(outputs[1], outputs[0], "what both print")
    check(re.search(r"`work +100$", "\n".join(outputs[1]), re.M), f"{outputs[1][-10:]}")


@scenario()
def stock_variables_of_descriptors(world):
    """fds[] of a file, a deleted one, the null device and one that is not open."""
    need_it(world)
    cat = apart(world, shutil.which("cat"))
    file = world.path("plain", "text\n")
    of = 'printf("%s|%s|%s|%s|%s|%d|%x\\n", fds[#].fi_name, fds[#].fi_dirname, fds[#].fi_pathname, fds[#].fi_fs, fds[#].fi_mount, fds[#].fi_offset, fds[#].fi_oflags);'
    script = 'syscall::read:entry /execname == "NAME"/ { self->fd = arg0; self->is = 1; } ' \
             'syscall::read:return /execname == "NAME" && self->is/ { ' + "".join(of.replace("#", fd) for fd in ("self->fd", "0", "55")) + ' } ' \
             'syscall::exit_group:entry /execname == "NAME"/ { printf("cwd|%s\\n", cwd); }'
    found = "\n".join(same_on_both(world, script, cat, file, hooks=2))
    check(f"plain|{world.home}|{world.home}/plain|" in found and "|5|" in found, found)
    check("null|/dev|/dev/null|" in found and "<none>|<none>|<none>|<none>|<none>|0|0" in found, found)


@scenario()
def stock_variables_in_text_of_calls(world):
    """argstr and retstr with the paths of descriptors and of the working directory: of all calls of a program, as ptrace has them."""
    need_it(world)
    cat = apart(world, shutil.which("cat"))
    file = world.path("plain", "text\n")
    script = 'syscall::read:return,syscall::close:return,syscall::fstat:return,syscall::newfstatat:return,syscall::openat:return,syscall::write:entry /execname == "NAME"/ ' \
             '{ printf("%s(%s) = %s\\n", probefunc, argstr, retstr); }'
    plain = lambda text: [re.sub(r"0x[0-9a-f]+|st_[a-z]+=[^,}]*", "#", line) for line in text.splitlines() if "plain" in line]
    script = script.replace("NAME", os.path.basename(cat))
    wanted, found = plain(by_ptrace(world, script, cat, file)), plain(by_bpf(world, script, cat, file, hooks=2))
    equal(found, wanted, "calls")
    check(any(line.startswith("read(3<") and "plain>" in line for line in found), f"{found}")


@scenario()
def stock_variables_of_time(world):
    """vtimestamp: what a call of a busy program takes, and a sleep does not."""
    need_it(world)
    program = apart(world, world.program("deeds"))
    name = os.path.basename(program)
    script = (f'syscall::getppid:entry /execname == "{name}"/ {{ printf("%d %d\\n", vtimestamp, timestamp); self->at = vtimestamp; }} '
              f'syscall::getppid:return /self->at/ {{ @[vtimestamp >= self->at] = count(); self->at = 0; }}')
    found = by_bpf(world, script, program, "getppid:1", "sleep:400", "getppid:1", "spin:200", "getppid:1", hooks=3)
    used = [tuple(map(int, line.split())) for line in found.splitlines() if re.fullmatch(r"\d+ \d+", line)]
    equal(len(used), 3, found)
    check(re.search(r"^ +1 +3$", found, re.M), found)
    slept, spun = used[1][0] - used[0][0], used[2][0] - used[1][0]
    check(0 <= slept < 200_000_000 <= 400_000_000 <= used[1][1] - used[0][1], f"a sleep of 400 ms took {slept} ns of the processor")
    check(20_000_000 < spun <= used[2][1] - used[1][1], f"200 million additions took {spun} ns")
