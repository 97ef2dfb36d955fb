# SPDX-License-Identifier: GPL-3.0-or-later
"""The kernel in scripts: stack(), sym(), curthread and the data that it leads to."""

import re

from support import check, equal, scenario

SEES = "the others do not see the kernel"
CALL = "syscall::getppid:entry /pid == $target/"


def frames(text):
    """The frames of the first stack in the output."""
    lines = [line.strip() for line in text.splitlines()]
    begin = next(i for i, line in enumerate(lines) if "`" in line)
    end = next((i for i in range(begin, len(lines)) if "`" not in lines[i]), len(lines))
    return lines[begin:end]


def traced(world, script, *options, program="mixed 10"):
    name, _, count = program.partition(" ")
    return world.sonde("-q", *options, "-n", script, "-c", f"{world.program(name)} {count}")


@scenario(only="kmod", why=SEES, short=True)
def kernel_stacks(world):
    """stack() begins in the call that fires, ends at the entry into the kernel, and has no frame of the tracer."""
    result = traced(world, CALL + ' { stack(); printf("%d\\n", stackdepth); exit(0); }')
    found = frames(result.stdout)
    check(re.fullmatch(r"vmlinux`__x64_sys_getppid(\+0x\w+)?", found[0]), f"{result.stdout!r}")
    check(found[-1].startswith("vmlinux`entry_SYSCALL_64"), f"{result.stdout!r}")
    check(not any("sonde`" in one or "traceiter" in one for one in found), f"{result.stdout!r}")
    equal(int(result.stdout.split()[-1]), len(found), "stackdepth")
    for options, script, wanted in (((), "stack(2)", 2), (("-x", "stackframes=1"), "stack()", 1)):
        result = traced(world, CALL + " { " + script + "; exit(0); }", *options)
        equal(frames(result.stdout), found[:wanted], script)


@scenario(only="kmod", why=SEES, short=True)
def kernel_stacks_are_keys(world):
    """Calls of many processes from the same place are one element."""
    script = "syscall::getppid:entry { @[stack(1)] = count(); @m[mod(caller)] = count(); }"
    two = f"sh -c '{world.program('mixed')} 30; {world.program('mixed')} 30'"
    result = world.sonde("-q", "-n", script, "-c", two)
    stacks, modules = (re.findall(pattern, result.stdout, re.M) for pattern in (r"^ +(\d+)$", r"^  vmlinux +(\d+)$"))
    equal((stacks, len(stacks)), (modules, 1), f"elements of {result.stdout!r}")
    check(60 <= int(stacks[0]) < 70, f"{result.stdout!r}")


@scenario(only="kmod", why=SEES)
def kernel_symbols(world):
    """sym(), func() and mod() of kernel addresses, and %a."""
    script = CALL + ' { sym(caller); func(caller); mod(caller); printf("|%a|", caller); exit(0); }'
    result = traced(world, script)
    function = r"vmlinux`(do_syscall_64|x64_sys_call)"
    check(re.fullmatch(rf"\s*{function}{function}vmlinux\|{function}\+0x\w+\|\s*", result.stdout), f"{result.stdout!r}")


@scenario(only="kmod", why=SEES)
def kernel_stacks_of_samples(world):
    """profile: the place where the kernel was interrupted; in user code the stack is empty."""
    script = "profile-97 /arg0 != 0/ { @[stack(1)] = count(); } profile-97 /arg1 != 0/ { @u[stack()] = count(); }"
    result = world.sonde("-q", "-n", script, "-c", "sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done'")
    kernel = [line for line in result.stdout.splitlines() if "`" in line]
    check(not any("sonde`" in line for line in kernel), f"{kernel}")
    check(re.search(r"^\n\n? +\d+$", result.stdout, re.M), f"{result.stdout!r}")


@scenario(only="kmod", why=SEES, short=True)
def curthread_leads_through_the_kernel(world):
    """task_struct and the data it points to, with types from BTF: in captures, in predicates, and stored in variables."""
    script = f"""{CALL[:-1]} && curthread->tgid == $target/ {{ self->t = curthread; }}
        syscall::getppid:return /self->t/ {{
            printf("%s %d %d ", self->t->comm, self->t->pid - tid, self->t->real_parent->tgid - ppid);
            printf("%s ", stringof(curthread->mm->exe_file->f_path.dentry->d_name.name));
            printf("%d\\n", self->t == curthread);
            exit(0);
        }}"""
    equal(traced(world, script).stdout.split(), ["mixed", "0", "0", "mixed", "1"], "members")


@scenario(only="kmod", why=SEES)
def kernel_memory_that_is_not_there(world):
    """An invalid pointer is a fault, with DTrace's arguments; the memory of a process is not kernel memory."""
    script = f"""{CALL} {{ printf("%d\\n", *(int *)((char *)curthread - (uintptr_t)curthread + 16)); }}
        ERROR {{ printf("%d %x\\n", arg4 == DTRACEFLT_BADADDR, arg5); exit(0); }}"""
    result = traced(world, script)
    equal(result.stdout.split(), ["1", "10"], "the fault")
    check("invalid address (0x10)" in result.stderr, f"{result.stderr!r}")
    script = f"""{CALL} {{ printf("%d\\n", *(char *)curthread->mm->arg_start); }}
        {CALL} {{ printf("%s\\n", copyinstr(curthread->mm->arg_start)); exit(0); }}
        ERROR {{ printf("%d\\n", arg4 == DTRACEFLT_BADADDR); }}"""
    equal(traced(world, script).stdout.split(), ["1", str(world.program("mixed"))], "what copyinstr() reads")


@scenario(only="kmod", why=SEES)
def an_ordinary_user_does_not_see_the_kernel(world):
    """Refused when the program is loaded; caller and stackdepth are 0."""
    user = world.as_user()
    for action in ("trace(curthread)", "stack()"):
        script = f"syscall::getppid:entry {{ {action}; exit(0); }}"
        result = user.sonde("-q", "-n", script, "-c", f"{user.program('mixed')} 10", status=1)
        check("run as root" in result.stderr, f"{action}: {result.stderr!r}")
    script = 'syscall::getppid:entry { printf("%d %d\\n", caller, stackdepth); exit(0); }'
    equal(traced(user, script).stdout.split(), ["0", "0"], "caller and stackdepth")
