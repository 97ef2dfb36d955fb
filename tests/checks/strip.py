#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fails if an option can be removed from every golden script that sets it, and none fails.

An option is set by `-x NAME`, `#pragma D option NAME` or DTRACE_OPT_NAME. Options that change nothing by design are
listed here, each with its reason; so are those that only a scenario can test. `strip.py NAME...` checks only these
options and prints the script that failed.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shlex
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "tests/scripts"
sys.path.insert(0, str(SCRIPTS))
import run  # noqa: E402

NO_EFFECT = dict.fromkeys(
    "core kdefs knodefs late lazyload ldpath linktype pgmax preallocate procfspath strip udefs unodefs jstackstrsize".split(),
    "accepted, and documented to change nothing")
ENDLESS = {"amin", "duration", "eofexit"}  # without them a script waits for ever: a time-out shows it, if the script with them ends in time
SHOWN_ELSEWHERE = {
    "argstr": "scenarios decoded_plain_and_cut, syscall_arg_type_says_more",
    "cgroup": "scenario only_a_cgroup",
    "children": "scenario children_of_a_target",
    "cleanrate": "consumer_test, ConsumerTest.CleanrateSaysWhenASpeculationIsFree",
    "container": "scenario only_a_container",
    "demangle": "scenario names_of_the_linker",
    "errtags": "every err script",
    "host": "tests/formats/run.py, Jsonl.start",
    "labels": "tests/formats/run.py, Jsonl.start",
    "samestack": "scenario a_stack_that_is_the_same_is_one_line",
    "setenv": "scenario a_variable_for_the_program",
    "source": "tests/scenarios/run.py --source",
    "stackframes": "scenario kernel_stacks",
    "switchrate": "scenario switchrate_says_when_output_comes",
    "syscall_arg_type": "scenario syscall_arg_type_says_more",
    "title": "tests/formats/run.py, Stacks.svg",
    "user": "scenario a_program_runs_as_another_user",
}


def options():
    text = (ROOT / "runtime/lang/options.h").read_text()
    return re.findall(r'^\s*\{"(\w+)",\s*OptionKind::', text, re.M)


def without_in_words(line, name):
    """A command line without -x NAME and -xNAME."""
    words, kept = shlex.split(line), []
    setting = re.compile(rf"{name}(=.*)?", re.S)
    while words:
        word = words.pop(0)
        if word == "-x" and words and setting.fullmatch(words[0]):
            words.pop(0)
        elif not (word.startswith("-x") and setting.fullmatch(word[2:])):
            kept.append(word)
    return shlex.join(kept)


def stripped(text, name):
    """The script without the option."""
    def head(match):
        return f"/* @{match[1]}: {without_in_words(match[2], name)} */" if re.search(rf"-x\s*['\"]?{name}\b", match[2]) else match[0]

    def pragma(match):
        return " ".join(word for word in match[0].split() if not re.fullmatch(rf"{name}(=.*)?", word)) + "\n" \
            if len(match[1].split()) > 1 else "" if re.fullmatch(rf"{name}(=.*)?", match[1].strip()) else match[0]

    text = re.sub(r"^/\* @(sonde|command): *(.*?) *\*/$", head, text, flags=re.M)
    text = re.sub(r"^#pragma D option +(.*)\n", pragma, text, flags=re.M)
    return re.sub(rf"^/\* @environment: DTRACE_OPT_{name}=.*\n", "", text, flags=re.M | re.I)


def complaints(script, text, binary):
    """With this text in the place of its own; the golden and what scripts include stand beside it."""
    with tempfile.TemporaryDirectory(prefix="sonde-strip-") as folder:
        here = pathlib.Path(folder)
        for path in [script.with_suffix(".out"), *(p for p in SCRIPTS.iterdir() if p.suffix not in (".d", ".out", ".err"))]:
            (here / path.name).symlink_to(path)
        (here / script.name).write_text(text, errors="surrogateescape")
        wrong, skipped = run.check(binary, here / script.name, False, 1)
        return [] if skipped else wrong


def is_red(script, name, changed, text, binary):
    """Whether it fails without the option. A time-out alone shows nothing: the machine may be busy."""
    wrong = complaints(script, changed, binary)
    if all(each.startswith("took over") for each in wrong):
        return bool(wrong) and name in ENDLESS and not complaints(script, text, binary)
    return True


def witness(name, binary, scripts):
    """The first script that turns red without the option; those that bear its name come first."""
    for script in sorted(scripts, key=lambda path: (name not in path.name, path.name)):
        text = scripts[script]
        changed = stripped(text, name)
        if changed != text and is_red(script, name, changed, text, binary):
            return script.name
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=pathlib.Path, default=ROOT / "build/bin/sonde")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    binary = arguments.binary.resolve()
    run.TIMEOUT = 10  # without its option a script may wait for ever
    excused = NO_EFFECT | SHOWN_ELSEWHERE
    names = arguments.names or [name for name in options() if name not in excused]
    scripts = {path: path.read_text(errors="surrogateescape") for path in SCRIPTS.glob("tst.*.d")}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        told = dict(zip(names, pool.map(lambda name: witness(name, binary, scripts), names)))
    wrong = [f"{name}: no golden script turns red without it" for name, script in told.items() if not script]
    wrong += [f"{name}: excused in strip.py, but there is no such option" for name in excused if name not in options()]
    if arguments.names:
        print("\n".join(f"{name}: {script}" for name, script in told.items()))
    print("\n".join([*wrong, f"{len(names)} options, {len(wrong)} complaints"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
