# SPDX-License-Identifier: GPL-3.0-or-later
"""Tools: scripts of tools/ that are run by their name. What each must print is computed from what deeds.c is told to do: as PROGRAM,
as a process that runs already, and as one of all that the machine does."""

import os
import pathlib
import re
import shutil
import time

from in_use import rows
from stock_kernel import apart, bpf_ids, need_it, stop_tracing
from support import Skip, at_rest, attached_to, check, equal, scenario, source_here, wait_until

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"


def environment(**more):
    """The tools of this tree, wherever the binary lies."""
    return {"SONDE_TOOL_PATH": str(TOOLS), **more}


def as_program(world, tool, *deeds, options=()):
    return world.sonde(tool, *options, world.program("deeds"), *deeds, env=environment()).stdout


def as_process(world, tool, *deeds, options=()):
    """deeds.c runs already; it goes on when it is traced."""
    gate = world.path(f"gate-{tool}")
    os.mkfifo(gate)
    program = world.start([world.program("deeds"), f"open:{gate}", "close", *deeds], cwd=world.home)
    wait_until(lambda: pathlib.Path(f"/proc/{program.pid}/wchan").read_text() == "wait_for_partner", what="the program waits")
    sonde = world.start_sonde(tool, *options, "-p", program.pid, env=environment())
    wait_until(lambda: attached_to(sonde, program.pid) and at_rest(sonde), what="it is traced")
    with open(gate, "wb"):
        pass
    return world.finish(sonde).stdout


def start_whole(world, tool, options=()):
    """Of the whole machine: by the module where it is, else by programs in the kernel."""
    sonde = world.start_sonde("-b", "16m", tool, *options, env=environment())
    seen = []

    def armed():
        seen.append(bpf_ids(sonde))
        going = attached_to(sonde, os.getpid()) if source_here() == "kmod" else seen[-1][0]
        return sonde.poll() is not None or (going and seen[-5:] == seen[-1:] * 5 and at_rest(sonde))
    wait_until(armed, what="sonde's start")
    return sonde


def on_machine(world, tool, *deeds, options=()):
    """Other scenarios may run deeds.c meanwhile: this one has a name of its own, which the rows do not show."""
    program = apart(world, world.program("deeds"))
    sonde = start_whole(world, tool, options)
    world.run([program, *deeds], cwd=world.home)
    text = stop_tracing(world, sonde).stdout
    lines = [line for line in text.splitlines(keepends=True) if "deeds" not in line.split()]
    return "".join(lines).replace(os.path.basename(program), "deeds")


def each_way(world, tool, *deeds, options=()):
    """(what it was, what the tool printed), for each way to name whom it looks at."""
    yield "PROGRAM", as_program(world, tool, *deeds, options=options)
    yield "-p", as_process(world, tool, *deeds, options=options)
    if works_on_machine(world):
        yield "machine", on_machine(world, tool, *deeds, options=options)


def works_on_machine(world):
    if source_here() == "kmod":
        return True
    try:
        need_it(world)
    except Skip:
        return False
    return True


def mine(text, *words):
    """The rows that have all of these words."""
    return [row for row in rows(text) if all(word in row for word in words)]


@scenario()
def tool_opensnoop(world):
    file = world.path("there", "text")
    for how, text in each_way(world, "opensnoop", f"open:{file}", "close", f"open:{file}.not"):
        found = [row[1:] for row in rows(text) if row[-1].startswith(file)]
        equal(found, [[str(os.getuid()), "deeds", "3", "-", file], [str(os.getuid()), "deeds", "-1", "ENOENT", f"{file}.not"]], how)
    text = as_program(world, "opensnoop", f"open:{file}", "close", f"open:{file}.not", options=["--failed"])
    equal([row[-1] for row in rows(text) if row[-1].startswith(file)], [f"{file}.not"], "--failed")
    check("deeds" not in as_program(world, "opensnoop", f"open:{file}", options=["--name=other"]), "--name of another program")


@scenario()
def tool_execsnoop(world):
    again = shutil.copy(world.program("deeds"), world.path("again"))  # a path of less than 80 bytes, which is all that is shown
    for how, text in each_way(world, "execsnoop", "run:true:a:b c", f"run:{again}:getppid", "run:nix"):
        found = [row for row in rows(text) if row[-1] in ("c", "getppid") or "nix" in " ".join(row)]
        equal([row[2:] for row in found], [[str(os.getuid()), "true", "true", "a", "b", "c"], [str(os.getuid()), "again", again, "getppid"]], how)
    text = as_program(world, "execsnoop", "run:/nix/nix", options=["--failed"])
    equal([row[3:] for row in mine(text, "/nix/nix:")], [["deeds", "cannot", "start", "/nix/nix:", "ENOENT"]], "--failed")


@scenario()
def tool_exitsnoop(world):
    for how, text in each_way(world, "exitsnoop", "fork:3", "fork:0", "die:9", "fork:7"):
        found = [row for row in rows(text) if row[3:4] == ["deeds"] and row[4] != "-"]  # an age: born while we looked
        if how == "machine":
            found = found[:-1]  # the program itself
        equal([" ".join(row[5:]) for row in found], ["exited with 3", "exited with 0", "killed by SIGKILL", "exited with 7"], how)
        check(all(int(row[4]) < 5000 for row in found), f"ages: {found}")
    text = as_program(world, "exitsnoop", "fork:3", "fork:0", "die:9", "sleep:30", options=["--failed"])
    equal([" ".join(row[5:]) for row in rows(text)[1:]], ["exited with 3", "killed by SIGKILL"], "--failed")
    text = world.sonde("exitsnoop", "sh", "-c", "sleep 0.05; exit 0", env=environment()).stdout
    check(50 <= int(mine(text, "sleep")[0][4]) < 5000, f"an age of 50 ms: {text}")


@scenario()
def tool_killsnoop(world):
    for how, text in each_way(world, "killsnoop", "usr1:3", "die:15"):
        found = [row[1:] for row in mine(text, "deeds")]
        equal([row[:2] + row[3:] for row in found], [["deeds", "SIGUSR1", "-", "kill"]] * 3 + [["deeds", "SIGTERM", "-", "kill"]], how)
        check(all(row[0] == row[3] for row in mine(text, "deeds")), f"each kills itself: {text}")
    text = world.sonde("killsnoop", "--failed", "sh", "-c", "kill -0 $$; kill -USR1 999999999; exit 0", env=environment()).stdout
    equal([row[1:] for row in mine(text, "sh")], [["sh", "SIGUSR1", "999999999", "ESRCH", "kill"]], "--failed")


@scenario()
def tool_statsnoop(world):
    for how, text in each_way(world, "statsnoop", "stat:/etc/passwd", "stat:/nonexistent/x"):
        found = [row[1:] for row in mine(text, "deeds") if row[-1] in ("/etc/passwd", "/nonexistent/x")]
        equal([[row[0], row[2], row[3]] for row in found], [["deeds", "-", "/etc/passwd"], ["deeds", "ENOENT", "/nonexistent/x"]], how)
    text = as_program(world, "statsnoop", "stat:/etc/passwd", "stat:/nonexistent/x", options=["--failed"])
    check("/etc/passwd" not in text and "/nonexistent/x" in text, f"--failed: {text}")


@scenario()
def tool_errinfo(world):
    for how, text in each_way(world, "errinfo", *["open:/nonexistent/x"] * 5, "mkdir:/etc"):
        found = {tuple(row[1:3]): int(row[3]) for row in mine(text, "deeds") if len(row) == 4}
        equal(found.get(("mkdir", "EEXIST")), 1, how)
        check(found[("openat", "ENOENT")] >= 5, f"{how}: {found}")
    text = as_program(world, "errinfo", *["open:/nonexistent/x"] * 5, options=["--each"])
    equal(len(re.findall(r'deeds +openat\(AT_FDCWD, "/nonexistent/x", O_RDONLY\) = -1 ENOENT', text)), 5, f"--each: {text}")


@scenario()
def tool_syscount(world):
    for how, text in each_way(world, "syscount", "getppid:1000", "sleep:20:5", "open:/nonexistent/x", options=["--both"]):
        found = {row[5]: row for row in mine(text, "deeds")}
        equal(found["getppid"][1:3], ["1000", "0"], how)
        # glibc's nanosleep() is clock_nanosleep
        sleeps = found["clock_nanosleep"]
        equal(sleeps[1:3], ["5", "0"], how)
        check(100_000 <= int(sleeps[0]) < 2_000_000, f"{how}: five times 20 ms, in us: {sleeps}")
        check(int(found["openat"][2]) >= 1, f"{how}: an open that fails: {found['openat']}")
    found = {row[3]: row for row in rows(as_program(world, "syscount", "getppid:500"))[1:]}
    equal(found["getppid"][1:3], ["500", "0"], "by call")
    found = rows(as_program(world, "syscount", "getppid:500", "fork:0", options=["--process"]))[1:]
    equal([row[4] for row in found], ["deeds", "deeds"], "by process")
    check(max(int(row[1]) for row in found) >= 500, f"by process: {found}")


@scenario()
def tool_filetop(world):
    file, made = world.path("data", "x" * 50000), world.path("made")
    for how, text in each_way(world, "filetop", f"open:{file}", "read:1000:20", "close", f"creat:{made}", "write:300:7", "close"):
        equal([row[:5] for row in rows(text) if row[-1] == file], [["20000", "20", "0", "0", "deeds"]], f"{how}: reads")
        equal([row[:5] for row in rows(text) if row[-1] == made], [["0", "0", "2100", "7", "deeds"]], f"{how}: writes")
    text = as_program(world, "filetop", f"open:{file}", "read:1000:3", "close", "pipe:500", options=["--files"])
    equal([row[:4] for row in rows(text) if row[-1] == file], [["3000", "3", "0", "0"]], "--files")
    check("pipe:" not in text, f"--files: {text}")
    check("pipe:" in as_program(world, "filetop", "pipe:500"), "a pipe is named")


@scenario()
def tool_fileslower(world):
    file = world.path("data", "x" * 50000)
    for how, text in each_way(world, "fileslower", f"open:{file}", "read:1000:5", "close", options=["--min=0"]):
        found = [row[1:] for row in rows(text) if row[-1] == file]
        equal([row[:3] for row in found], [["deeds", "read", "1000"]] * 5, how)
        check(all(int(row[3]) < 5_000_000 for row in found), f"{how}: microseconds: {found}")
    check(file not in as_program(world, "fileslower", f"open:{file}", "read:1000:5", options=["--min=5s"]), "none takes five seconds")


@scenario()
def tool_rwtop(world):
    file, made = world.path("data", "x" * 50000), world.path("made")
    for how, text in each_way(world, "rwtop", f"open:{file}", "read:1000:20", "close", f"creat:{made}", "write:300:7"):
        row = mine(text, "deeds")[-1]
        check(int(row[0]) >= 20000 and int(row[1]) >= 20, f"{how}: reads, with the loader's: {row}")
        equal(row[2:4], ["2100", "7"], how)


@scenario()
def tool_syncsnoop(world):
    zeros = world.path("zeros")
    text = world.sonde("syncsnoop", "dd", "if=/dev/zero", f"of={zeros}", "bs=64k", "count=1", "conv=fsync", env=environment()).stdout
    found = mine(text, "dd")
    equal([[row[1], row[2], row[4], row[5]] for row in found], [["dd", "fsync", "-", zeros]], "fsync")
    if not works_on_machine(world):
        return
    sonde = start_whole(world, "syncsnoop")
    world.run(["dd", "if=/dev/zero", f"of={zeros}", "bs=64k", "count=1", "conv=fdatasync"])
    text = stop_tracing(world, sonde).stdout
    equal([[row[1], row[2], row[4], row[5]] for row in mine(text, zeros)], [["dd", "fdatasync", "-", zeros]], "fdatasync, of the whole machine")


@scenario()
def tool_pidpersec(world):
    for how, text in each_way(world, "pidpersec", *["fork:0"] * 6, "sleep:1200", "fork:0", options=["--by"]):
        first = text.split("PROGRAM")[0]
        counts = [int(row[-1]) for row in rows(first)[1:]]
        makers = {row[0]: int(row[1]) for row in rows(text.split("PROGRAM")[1])[1:]}
        equal(makers["deeds"], 7, f"{how}: makers")
        if how != "machine":
            equal(sum(counts), 7, f"{how}: {counts}")
        check(len(counts) >= 2, f"{how}: one row a second: {counts}")


@scenario()
def tool_sigdist(world):
    for how, text in each_way(world, "sigdist", "usr1:5", "fork:0", "fork:0"):
        found = {row[1]: row for row in mine(text, "deeds")}
        equal(found["SIGUSR1"][3], "5", how)
        equal(sum(int(row[3]) for row in mine(text, "deeds", "SIGCHLD")), 2, how)


@scenario()
def tool_mmapsnoop(world):
    for how, text in each_way(world, "mmapsnoop", "mmap:7340032", "mmap:4096", options=["--memory"]):
        found = [row[2:] for row in mine(text, "deeds") if row[2] == "7340032"]
        equal([row[0] for row in found], ["7340032"], how)
        equal(found[0][2:], ["-", "-"], f"{how}: memory without a file")
    text = world.sonde("mmapsnoop", "true", env=environment()).stdout
    check(re.search(r"true +\d+ r-xp - +/\S+/libc\.so\.6$", text, re.M), f"libc's code: {text}")


@scenario()
def tool_whyexit(world):
    result = world.sonde("whyexit", "cat", "/nonexistent/x", env=environment())
    text = result.stdout
    check(re.search(r"^cat, process \d+, exited with 1\n", text, re.M), f"how it ended: {text}")
    check(re.search(r'^    write\(2<.*>, "/nonexistent/x", 14\) = 14\n', text, re.M), f"its message: {text}")
    check(text.index("write(2") < text.index("libc.so.6`_Exit"), f"the stack is below: {text}")
    calls = [line for line in text.splitlines() if re.match(r"    \w+\(", line)]
    equal(len(calls), 8, "eight calls")
    text = world.sonde("whyexit", "--last=3", world.program("deeds"), "fork:0", "getppid:9", "die:11", env=environment()).stdout
    check(re.search(r"^deeds, process \d+, killed by SIGSEGV\n", text, re.M), f"a signal: {text}")
    equal(len(re.findall(r"^    \w+\(.*= \S", text, re.M)), 3, f"three calls: {text}")
    equal(text.count(", process "), 1, f"what ends well is not there: {text}")
    equal(world.sonde("whyexit", "--last=99", "true", status=1, env=environment()).stdout, "--last is a number from 1 to 16\n\n", "--last=99")


@scenario()
def tool_environ(world):
    child = ["env", "-i", "A=1", "LONG=" + "y" * 300, "EMPTY=", "/bin/true"]
    text = world.sonde("environ", "sh", "-c", " ".join(child) + "; exit 0", env=environment()).stdout
    check(re.search(rf"^\d+ +/bin/true\n {{8}}A=1\n {{8}}LONG={'y' * 300}\n {{8}}EMPTY=\n(?! )", text, re.M), f"three variables, whole: {text}")
    text = world.sonde("environ", "--var=A", "sh", "-c", " ".join(child) + "; exit 0", env=environment()).stdout
    check(re.search(r"^\d+ +/bin/true\n {8}A=1\n(?! )", text, re.M), f"--var: {text}")
    many = [f"V{n}={n}" for n in range(70)]
    text = world.sonde("environ", "sh", "-c", f"env -i {' '.join(many)} /bin/true; exit 0", env=environment()).stdout
    equal(re.findall(r"^ {8}(V\d+=\d+)$", text, re.M), many[:64], "the first 64")
    if not works_on_machine(world):
        return
    sonde = start_whole(world, "environ")
    world.run(["env", "-i", "A=1", "B=two words", "/bin/true"])
    time.sleep(0.1)
    text = stop_tracing(world, sonde).stdout
    check(re.search(r"^\d+ +/bin/true\n {8}A=1\n {8}B=two words\n(?! )", text, re.M), f"the whole machine: {text}")


@scenario()
def tools_print_for_programs(world):
    """--format of a tool: each line is an object, with the values of its row."""
    file = world.path("there", "text")
    text = world.sonde("--format=jsonl", "opensnoop", world.program("deeds"), f"open:{file}", env=environment()).stdout
    import json
    args = [one["args"] for one in map(json.loads, text.splitlines()) if one.get("action") == "printf"]
    equal([row[2:] for row in args if row[-1] == file], [["deeds", 3, "-", file]], "opensnoop")
    text = world.sonde("--format=jsonl", "errinfo", world.program("deeds"), "open:/nonexistent/x", env=environment()).stdout
    check('"ENOENT"' in text and all(json.loads(line) for line in text.splitlines()), f"errinfo: {text}")


@scenario()
def tools_of_ones_own(world):
    """The script of docs/tools.md, in a folder of SONDE_TOOL_PATH."""
    page = (TOOLS.parent / "docs" / "tools.md").read_text()
    script = re.search(r"((?:    .*\n|\n)*    /\*\n     \* slowcalls(?:    .*\n|.*\n)*?    }\n\n(?:    .*\n)*?    }\n)", page)[1]
    own = pathlib.Path(world.path("own"))
    own.mkdir()
    (own / "slowcalls.d").write_text("".join(line[4:] if line.strip() else "\n" for line in script.splitlines(keepends=True)))
    env = {"SONDE_TOOL_PATH": f"{own}:{TOOLS}"}
    text = world.sonde("slowcalls", "clock_nanosleep", "--min=20ms", world.program("deeds"), "sleep:5:3", "sleep:30:2", env=env).stdout
    found = rows(text)
    equal([row[:2] for row in found], [["deeds", "clock_nanosleep"]] * 2, "two of five calls")
    check(all(30_000 <= int(row[2]) < 5_000_000 for row in found), f"microseconds: {text}")
    check("slowcalls" in world.sonde("--help=tools", env=env).stdout, "it is in the list")
    said = world.sonde("slowcals", "read", status=None, env=env).stderr
    check("did you mean 'slowcalls'?" in said, f"a name that is nearly right: {said}")
    (own / "opensnoop.d").write_text('/* opensnoop: is another one */ BEGIN { printf("mine\\n"); exit(0); }')
    check("mine" in world.sonde("-q", "opensnoop", "true", env=env).stdout, "the first folder wins")


def counts(text):
    """{call: (calls, errors)} of the table of calls."""
    found = {}
    for row in rows(text):
        if len(row) in (5, 6) and re.fullmatch(r"[0-9.]+", row[0]) and row[-1] != "total":
            found[row[-1]] = (int(row[3]), int(row[4]) if len(row) == 6 else 0)
    return found


def built_in(world, tool, *words):
    """What the tool prints of deeds.c, each way. Its lines go to standard error, as strace's."""
    deeds = ["getppid:2", "sleep:1"]
    yield "PROGRAM", world.sonde(tool, *words, world.program("deeds"), *deeds).stderr
    gate = world.path(f"gate-{tool}")
    os.mkfifo(gate)
    program = world.start([world.program("deeds"), f"open:{gate}", "close", *deeds], cwd=world.home)
    wait_until(lambda: pathlib.Path(f"/proc/{program.pid}/wchan").read_text() == "wait_for_partner", what="the program waits")
    sonde = world.start_sonde(tool, *words, "-p", program.pid)
    wait_until(lambda: attached_to(sonde, program.pid) and at_rest(sonde), what="it is traced")
    with open(gate, "wb"):
        pass
    yield "-p", world.finish(sonde).stderr
    if works_on_machine(world):
        sonde = start_whole(world, tool, words)
        world.run([world.program("deeds"), *deeds], cwd=world.home)
        yield "machine", stop_tracing(world, sonde).stderr


@scenario()
def tool_calls(world):
    for how, text in built_in(world, "calls", "--trace=getppid,clock_nanosleep"):
        calls = re.findall(r"(getppid\(\)|clock_nanosleep\(.*\)) +=", text)
        check(calls.count("getppid()") >= 2 and any("tv_nsec=1000000" in call for call in calls), f"{how}: {text}")
        if how != "machine":
            equal((calls.count("getppid()"), len(calls)), (2, 3), how)
        else:
            check(all(re.match(r"\[pid \d+<.+>\] ", line) for line in text.splitlines() if "getppid()" in line) and "<deeds>] getppid()" in text, f"whose it is, from the first line: {text}")
    lines = world.sonde("calls", "--trace=getppid", "--format=jsonl", world.program("deeds"), "getppid:1").stdout.splitlines()
    check(sum("getppid" in line for line in lines) >= 1 and all(line.startswith("{") for line in lines), f"JSON: {lines}")
    check("sonde calls [OPTIONS]" in world.sonde("calls", "--help").stdout, "its help")


@scenario()
def tool_summary(world):
    for how, text in built_in(world, "summary", "--trace=getppid,clock_nanosleep"):
        found = counts(text)
        if how == "machine":
            check(found["getppid"][0] >= 2 and found["clock_nanosleep"][0] >= 1, f"{how}: {text}")
        else:
            equal(found, {"getppid": (2, 0), "clock_nanosleep": (1, 0)}, how)
    file = world.path("there", "text")
    deeds = [world.program("deeds"), f"open:{file}", "close", f"open:{file}.not"]
    equal(counts(world.sonde("summary", "--trace=openat", f"--trace-path={file}", *deeds).stderr), {"openat": (1, 0)}, "of a path")
    equal(counts(world.sonde("summary", "--trace=openat", f"--trace-path={file}.not", *deeds).stderr), {"openat": (1, 1)}, "of one that is not there")
    equal(counts(world.sonde("--summary", "--trace=none", *deeds).stderr), {}, "of no call")
    lines = world.sonde("summary", "--trace=getppid", "--format=jsonl", world.program("deeds"), "getppid:2").stdout.splitlines()
    check(any('"getppid"' in line and "2" in line for line in lines), f"JSON: {lines}")


@scenario()
def tools_say_what_they_are(world):
    """Each tool answers to --help and has a page that man shows without a warning; the list has each of them."""
    listed = {row[0] for row in rows(world.sonde("--help=tools", env=environment()).stdout)}
    page_of_all = (TOOLS.parent / "docs" / "tools.md").read_text()
    for path in sorted(TOOLS.glob("*.d")):
        name = path.stem
        if path.is_symlink():
            check(f"`{name}` ({path.resolve().stem})" in page_of_all, f"docs/tools.md names {name}")
            check(world.sonde(name, "--help", env=environment()).stdout.startswith(f"{path.resolve().stem}: "), f"{name} is another name")
            continue
        check(f"`{name}`" in page_of_all, f"docs/tools.md names {name}")
        check(name in listed, f"{name} is in the list")
        text = world.sonde(name, "--help", env=environment()).stdout
        check(text.startswith(f"{name}: ") and f"Usage: sonde {name}" in text and f"\n    sonde {name}" in text, f"{name} --help: {text}")
        page = world.path(f"sonde-{name}.1", world.sonde(name, "--help=man", env=environment()).stdout)
        shown = world.run(["man", "--warnings", "-l", page], env={"MANWIDTH": "100", "LC_ALL": "C.UTF-8"})
        equal(shown.stderr, "", f"warnings on the page of {name}")
        check(f"sonde-{name}" in shown.stdout, f"the page of {name}")
    for name in ("calls", "summary"):
        page = world.path(f"sonde-{name}.1", world.sonde(name, "--help=man").stdout)
        equal(world.run(["man", "--warnings", "-l", page], env={"MANWIDTH": "100", "LC_ALL": "C.UTF-8"}).stderr, "", f"warnings on the page of {name}")
    equal([row[0] for row in rows(world.sonde("--help=tools").stdout)[:2]], ["calls", "summary"], "the first two of the list")
