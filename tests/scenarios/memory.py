# SPDX-License-Identifier: GPL-3.0-or-later
"""Strings of the traced program: at entry, from entry to return, in pages that were never accessed."""

from support import check, equal, scenario


@scenario()
def openat_prints_the_path(world):
    result = world.sonde("-q", "-n", 'syscall::openat:entry { printf("%s %s\\n", execname, copyinstr(arg1)); }',
                         "-c", "cat /etc/hostname")
    check("cat /etc/hostname" in result.stdout.splitlines(), "no line 'cat /etc/hostname'")
    check(open("/etc/hostname", encoding="utf-8").read() in result.stdout, "cat's own output is missing")


@scenario(short=True)
def openat_prints_the_path_at_return(world):
    clause = ('syscall::openat:entry { self->p = arg1; } syscall::openat:return /self->p/ '
              '{ printf("%s %d\\n", copyinstr(self->p), (int)arg1 >= 0); self->p = 0; }')
    result = world.sonde("-q", "-n", clause, "-c", "cat /etc/hostname")
    check("/etc/hostname 1" in result.stdout.splitlines(), "no line '/etc/hostname 1'")


@scenario(short=True)
def untouched_page(world):
    """A string in a page that the program has not accessed yet: of a mapped file, of its own data."""
    data = world.path("strings")
    with open(data, "wb") as file:
        file.write(b"\0" * 8192 + b"/mapped/page/of/a/file\0".ljust(4096, b"\0"))
    for clause in ('syscall::open:entry,syscall::openat:entry { printf("%s\\n", copyinstr(arg1)); }',
                   "syscall::openat:entry { self->p = arg1; } "
                   'syscall::openat:return /self->p/ { printf("%s\\n", copyinstr(self->p)); self->p = 0; }'):
        result = world.sonde("-q", "-n", clause, "-c", f"{world.program('untouched')} {data}")
        paths = [path for path in result.stdout.split() if not path.endswith((".so.6", "ld.so.cache"))]
        equal(paths, [data, "/mapped/page/of/a/file", "/data/page"], "paths")


@scenario()
def a_bad_address_faults_that_clause_only(world):
    clause = ('BEGIN { done = 0; seen = 0; } syscall::getppid:entry /!done/ { done = 1; printf("%s\\n", copyinstr(8)); } '
              'syscall::getppid:entry /!seen/ { seen = 1; printf("next clause\\n"); } '
              'dtrace:::ERROR { printf("fault %d at %d\\n", arg4, arg5); }')
    result = world.sonde("-q", "-n", clause, "-c", f"{world.program('mixed')} 10")
    equal(result.stdout.split("\n")[:2], ["fault 1 at 8", "next clause"], "output")
    check("invalid address (0x8)" in result.stderr, "no fault reported")


@scenario(short=True)
def an_address_that_only_the_script_knows(world):
    """The address comes from an array of the script: the thread waits until the clause has read it."""
    clause = 'syscall::write:entry /arg0 == 1/ { a[pid] = arg1; printf("[%s]", copyinstr(a[pid], 6)); }'
    result = world.sonde("-q", "-n", clause, "-c", "/bin/echo hello")
    check("[hello]" in result.stdout, result.stdout)
