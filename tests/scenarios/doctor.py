# SPDX-License-Identifier: GPL-3.0-or-later
"""sonde doctor: what it says here is what happens here, on every source."""

import ctypes
import json
import os
import pathlib
import re
import shutil
import struct

from support import NOBODY, Skip, check, equal, scenario, source_here

ROOT = pathlib.Path(__file__).resolve().parents[2]


def findings(world, *words, status=0, **more):
    result = world.sonde("doctor", "--json", *words, status=status, **more)
    equal(result.stderr, "", "messages")
    said = json.loads(result.stdout)
    equal(said["ready"], world.last.status == 0, "ready, and the exit status")
    return {one["name"]: one for one in said["findings"]}


@scenario()
def doctor_says_which_sources_work(world):
    said = findings(world)
    equal(said["kmod"]["state"] == "works", source_here() == "kmod", f"kmod: {said['kmod']}")
    equal(said["ptrace"]["state"] == "works", world.sonde("-x", "source=ptrace", "/bin/true", status=None).status == 0, f"ptrace: {said['ptrace']}")
    text = world.sonde("doctor").stdout
    for one in said.values():
        check(one["text"] in text and one.get("command", "") in text, f"the text lacks {one}")


@scenario()
def doctor_names_modprobe_only_where_there_is_a_module(world):
    release = os.uname().release
    dependencies = pathlib.Path(f"/lib/modules/{release}/modules.dep")
    there = dependencies.exists() and re.search(r"^([^:]*/)?sonde\.ko[^/:]*:", dependencies.read_text(encoding="utf-8"), re.M)
    if source_here() == "kmod":
        equal(findings(world)["module"]["state"], "works", "the module is loaded")
        return
    text = world.sonde("doctor").stdout
    equal("modprobe sonde" in text, bool(there), text)
    missing = world.as_user().sonde("-n", "syscall:::entry", status=1).stderr
    equal("modprobe sonde" in missing, bool(there), missing)


@scenario()
def doctor_knows_the_kernels_of_the_docs(world):
    if not (page := ROOT / "docs/kernel-module.md").exists():
        raise Skip("no docs here")
    kernels = re.search(r"^Kernels: Debian's (.*), x86-64", page.read_text(encoding="utf-8"), re.M).group(1)
    wanted = re.findall(r"\d+\.\d+(?!\.)\b", re.sub(r"\(.*?\)", "", kernels))
    said = findings(world)["kernel"]
    ours = ".".join(os.uname().release.split(".")[:2])
    if ours in wanted:
        equal(said["state"], "works", str(said))
    else:
        check(all(one in said["text"] for one in wanted), f"{wanted}: {said}")


def deny_ptrace(call=101):
    """A seccomp filter: ptrace(), or another call, is refused with EPERM."""
    load, jump, answer = 0x20, 0x15, 0x06
    allow, errno_eperm = 0x7FFF0000, 0x00050001
    code = b"".join(struct.pack("HBBI", *one) for one in
                    ((load, 0, 0, 0), (jump, 0, 1, call), (answer, 0, 0, errno_eperm), (answer, 0, 0, allow)))
    libc = ctypes.CDLL(None, use_errno=True)
    buffer = ctypes.create_string_buffer(code)
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(buffer)))
    if libc.prctl(38, 1, 0, 0, 0) != 0 or libc.prctl(22, 2, program, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "seccomp")


@scenario()
def doctor_under_a_filter_that_denies_ptrace(world):
    said = findings(world, status=None, preexec_fn=deny_ptrace)
    equal(world.last.status, 0 if "works" in (said["kmod"]["state"], said["bpf"]["state"]) else 1, "exit status")
    equal(said["ptrace"]["state"], "lacks", "ptrace")
    check("seccomp filter" in said["ptrace"]["text"], said["ptrace"]["text"])


@scenario()
def doctor_for_an_ordinary_user(world):
    user = world.as_user()
    said = findings(user, status=None) if source_here() == "kmod" else findings(user)
    check(f"uid {NOBODY if os.geteuid() == 0 else os.geteuid()}" in said["user"]["text"], str(said["user"]))
    for one in said.values():
        if "command" in one:
            check(one["command"].startswith("sudo "), f"a command for root without sudo: {one}")


@scenario()
def doctor_where_the_headers_are_closed(world):
    """A user who cannot look into the folder of the kernel's modules does not read that headers lack."""
    if os.geteuid() != 0 or not shutil.which("unshare") or not shutil.which("setpriv"):
        raise Skip("needs root, unshare and setpriv")
    layer = world.path("layer")  # over /usr/lib, which /lib is: this machine may have no folder of modules
    closed = ('mkdir "$0" && mount -t tmpfs none "$0" && mkdir "$0/upper" "$0/work" && '
              'mount -t overlay none -o "lowerdir=/usr/lib,upperdir=$0/upper,workdir=$0/work" /usr/lib && '
              "mkdir -p /lib/modules && chmod 700 /lib/modules || exit 77; "
              'exec setpriv --reuid 65534 --clear-groups "$@"')
    result = world.run(["unshare", "-m", "sh", "-c", closed, layer, world.as_user().binary, "doctor", "--json"])
    if result.status == 77:
        raise Skip(f"no overlay: {result.stderr}")
    said = {one["name"]: one for one in json.loads(result.stdout)["findings"]}["headers"]
    check("uid 65534 cannot read /lib/modules/" in said["text"], str(said))
    equal(said["command"], "sudo sonde doctor", "the command")


@scenario()
def doctor_looks_at_a_program(world):
    program = world.program("silent")
    said = findings(world, program)
    equal((said["symbols"]["state"], said["debug information"]["state"]), ("works", "works"), "a program with -g")
    stripped = world.program("silent", "-s", "-g0")
    said = findings(world, stripped)
    equal((said["symbols"]["state"], said["debug information"]["state"]), ("lacks", "lacks"), "a stripped program")
    result = world.sonde("doctor", program, "more", status=1)
    check("doctor: no word more" in result.stderr, result.stderr)
