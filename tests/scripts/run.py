#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs golden scripts: tst.<what>.d must print tst.<what>.out, err.<TAG>.<what>.d must be refused with its .err.

Comments at the head of a script, one per line, say how to run it; README.md explains them:
    /* @sonde: -q -x aggsortkey */      options (default -q, for err scripts none); the script comes by -s
    /* @arguments: 17 word */           macro arguments
    /* @command: -e -n BEGIN */         the whole command line instead; @script@ is this file, @scratch@ an empty folder
    /* @stdin: text */                  a line on standard input (default: none)
    /* @environment: DTRACE_OPT_X=1 */  variables of the environment
    /* @status: 5 */                    exit status (default 0)
    /* @stderr: divide-by-zero */       text that standard error must contain; may be repeated (default: no message at all)
    /* @cpu: 0 */                       the CPU column differs from run to run: show this
    /* @ids */                          so do probe ids: show 1
    /* @offsets */                      so do offsets in functions: show +0x..
    /* @program: structs -O2 -g */      tests/programs/structs.c, compiled so; @program@ stands for it
    /* @needs: /sys/kernel/btf */       skipped, and said so, where this file is missing
    /* @only: ptrace because ... */     skipped on other sources, and said why
    /* @rows: agg.count fmt.d */        the rows of rows.txt that this script exercises
--update rewrites the .out and .err files with the output; review the difference.
"""

import argparse
import fcntl
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77
TIMEOUT = 120  # s: on an overloaded machine a process may get no processor for a minute
PROGRAMS = HERE.parent / "programs"
ROW = re.compile(r"^[ \d]{2}\d(?= [ \d]{6} | +(?:[-=]>|<[-=]|\|) )", re.M)


def compiled(words, folder):
    """The path of a test program; each variant is compiled once."""
    name, *flags = words
    source, built = PROGRAMS / f"{name}.c", folder / "-".join([name, *(re.sub(r"\W", "", flag) for flag in flags)])
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w", encoding="ascii") as lock:  # another script may need the program at the same time
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not built.exists() or built.stat().st_mtime < source.stat().st_mtime:
            fresh = folder / f"{built.name}.fresh"
            subprocess.run(["gcc", *flags, "-o", fresh, source], check=True, timeout=120)
            os.replace(fresh, built)
    return built


def source_here():
    """The source that -x source=auto selects here."""
    return "kmod" if os.path.exists("/dev/sonde") else "ptrace"


def programs_folder(binary):
    return pathlib.Path(binary).parent / "golden-programs"


def processes_left(mark):
    """Living processes with this mark in their environment: {pid: command line}. Those that end by themselves have a second; the others are
    killed."""
    end = time.monotonic() + 1
    while True:
        found = {}
        for entry in filter(str.isdigit, os.listdir("/proc")):
            try:
                if f"SONDE_GOLDEN={mark}".encode() in pathlib.Path(f"/proc/{entry}/environ").read_bytes():
                    found[int(entry)] = pathlib.Path(f"/proc/{entry}/cmdline").read_text(errors="replace").replace("\0", " ")
            except OSError:
                continue
        if not found or time.monotonic() > end:
            break
        time.sleep(0.01)
    for pid in found:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    return found


def files_left(folder, before):
    """Files that the folder did not have before. Those of a script that runs at the same time have a second."""
    end = time.monotonic() + 1
    while (found := set(os.listdir(folder)) - before) and time.monotonic() < end:
        time.sleep(0.05)
    return sorted(found)


class Script:
    """A golden script and the settings of its head."""

    def __init__(self, path):
        self.path = path
        self.text = path.read_text(errors="surrogateescape")
        self.said = {}
        for name, value in re.findall(r"^/\* @(\w+):? *(.*?) *\*/$", self.text, re.M):
            self.said.setdefault(name, []).append(value)
        self.is_error = path.name.startswith("err.")
        self.golden = path.with_suffix(".err" if self.is_error else ".out")

    def get(self, name, default=""):
        return self.said.get(name, [default])[0]

    def why_not(self):
        """Why it cannot run here; empty if it can."""
        for path in self.said.get("needs", []):
            if not pathlib.Path(path).exists():
                return f"no {path}"
        only, _, reason = self.get("only").partition(" ")
        return f"only for the source {only}: {reason}" if only and only != source_here() else ""

    def command(self, binary, scratch):
        if "command" in self.said:
            words = shlex.split(self.get("command"))
        else:
            words = [*shlex.split(self.get("sonde", "" if self.is_error else "-q")), "-s", "@script@",
                     *shlex.split(self.get("arguments"))]
        if self.is_error:
            words = ["-x", "errtags", *words]
        program = ""
        if "program" in self.said:
            program = str(compiled(shlex.split(self.get("program")), programs_folder(binary)))
        replaced = {"@script@": self.path.name, "@scratch@": scratch, "@program@": program}
        return [str(binary), *(re.sub("@(script|scratch|program)@", lambda m: replaced[m[0]], w) for w in words)]

    def run(self, binary, patience):
        """(standard output, standard error, exit status, what is left over)"""
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("SONDE_", "DTRACE_"))}
        environment |= {"TZ": "UTC", "LC_ALL": "C"} | dict(e.split("=", 1) for e in self.said.get("environment", []))
        stdin = self.said["stdin"][0] + "\n" if "stdin" in self.said else ""
        with tempfile.TemporaryDirectory(prefix="sonde-golden-") as scratch:
            before = set(os.listdir(self.path.parent))
            environment["SONDE_GOLDEN"] = scratch  # the mark of all its processes
            try:
                done = subprocess.run(self.command(binary, scratch), cwd=self.path.parent, input=stdin, capture_output=True, text=True,
                                      errors="replace", timeout=TIMEOUT * patience, env=environment, check=False,
                                      start_new_session=True)  # session and group must not depend on the caller
            finally:
                left = [f"process {pid}: {command}" for pid, command in processes_left(scratch).items()]
            left += [f"file {name}" for name in files_left(self.path.parent, before)]
            return (done.stdout.replace(scratch, "@scratch@"), done.stderr.replace(scratch, "@scratch@"), done.returncode, left)


def normalised(script, out):
    if "cpu" in script.said:
        out = re.sub(r"\[CPU \d+\]", f"[CPU {script.get('cpu')}]", ROW.sub(f"{script.get('cpu'):>3}", out))
    if "ids" in script.said:
        out = re.sub(r"^([ \d]{2}\d) [ \d]{6} ", r"\1      1 ", out, flags=re.M)
    if "offsets" in script.said:
        out = re.sub(r"\+0x[0-9a-f]+", "+0x..", out)
    return out


def complaints_of_error(script, out, err, status):
    wanted = script.golden.read_text(errors="replace")
    if err != wanted:
        yield f"on standard error:\n{err}---- instead of:\n{wanted}----"
    if out:
        yield f"printed:\n{out}----"
    if status != int(script.get("status", "1")):
        yield f"exit status {status}"


def complaints_of_success(script, out, err, status):
    wanted = script.golden.read_text(errors="replace")
    if out != wanted:
        yield f"printed:\n{out}---- instead of:\n{wanted}----"
    if status != int(script.get("status", "0")):
        yield f"exit status {status}"
    missing = [text for text in script.said.get("stderr", []) if text not in err]
    if missing or err and "stderr" not in script.said:
        yield f"on standard error:\n{err}----" + "".join(f"\nwithout {text!r}" for text in missing)


def check(binary, path, update, patience):
    script = Script(path)
    if why := script.why_not():
        return [], f"skipped: {why}"
    try:
        out, err, status, left = script.run(binary, patience)
    except subprocess.TimeoutExpired:
        return [f"took over {TIMEOUT * patience} s"], ""
    out = normalised(script, out)
    err = re.sub(r"^\w+: (script '.*'|description '.*') matched \d+ probes?\n", "", err, flags=re.M) \
        if "stderr" not in script.said else err
    if script.is_error:
        err = re.sub(r"^sonde: ", "", err, flags=re.M)
    if update:
        script.golden.write_text(err if script.is_error else out)
    judge = complaints_of_error if script.is_error else complaints_of_success
    return [*judge(script, out, err, status), *(f"left behind: {each}" for each in left)], ""


def at_once(run, scripts):
    """The results of run() for each script, in their order. Many scripts wait for a tick, so more run than there are processors."""
    if len(scripts) == 1:  # as ctest has it, a thousand times: the import takes a fifth of such a run
        yield run(scripts[0])
        return
    import concurrent.futures
    with concurrent.futures.ThreadPoolExecutor(2 * (os.cpu_count() or 1)) as pool:
        yield from pool.map(run, scripts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=pathlib.Path, default=HERE.parents[1] / "build/bin/sonde")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--errors", action="store_true", help="only the err scripts")
    parser.add_argument("-k", metavar="TEXT", default="", help="only scripts whose name contains TEXT")
    parser.add_argument("--part", metavar="I/N", help="only the I-th of N parts")
    parser.add_argument("--compile", action="store_true", help="compile the scripts' programs, run nothing")
    parser.add_argument("--patience", type=int, default=1, help="multiplies the time-out: for emulated machines")
    parser.add_argument("scripts", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()

    scripts = arguments.scripts or sorted(p for p in HERE.glob("*.d") if arguments.k in p.name)
    if arguments.errors:
        scripts = [p for p in scripts if p.name.startswith("err.")]
    if arguments.part:
        part, parts = map(int, arguments.part.split("/"))
        scripts = scripts[part - 1::parts]
    if arguments.compile:
        for script in map(Script, scripts):
            if "program" in script.said:
                compiled(shlex.split(script.get("program")), programs_folder(arguments.binary.resolve()))
        return 0
    failed = skipped = 0
    binary = arguments.binary.resolve()
    def run(path):
        return check(binary, path.resolve(), arguments.update, arguments.patience)
    for path, (wrong, note) in zip(scripts, at_once(run, scripts)):
        failed += bool(wrong)
        skipped += bool(note)
        for text in [*wrong, note] if note else wrong:
            print(f"{path.name}: {text}", flush=True)
    print(f"{len(scripts)} scripts, {failed} failed, {skipped} skipped")
    if failed or not scripts:
        return 1
    return SKIPPED if skipped == len(scripts) else 0


if __name__ == "__main__":
    sys.exit(main())
