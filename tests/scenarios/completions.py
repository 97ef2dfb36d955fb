# SPDX-License-Identifier: GPL-3.0-or-later
"""What bash, zsh and fish complete on the command line, and sonde(1)."""

import shutil
import subprocess

from support import Skip, check, equal, patience, scenario

BASH = """
source "$1"
while IFS= read -r line; do
  read -ra COMP_WORDS <<< "$line"; [[ $line == *' ' ]] && COMP_WORDS+=('')
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMPREPLY=(); _sonde; echo "${COMPREPLY[*]}"
done
"""

# A pseudo-terminal with an interactive zsh; each line of input is typed, then Tab, then Ctrl-U.
ZSH = """
zmodload zsh/zpty
zpty shell 'TERM=dumb zsh -f -i'
zpty -w shell "PROMPT=; fpath=($1 \\$fpath); autoload -Uz compinit; compinit -u -D; bindkey '^I' complete-word; echo ready-$((1 + 1))"
zpty -r -m shell seen '*ready-2*'
zpty -w -n shell $'sonde --form\\tjsonl\\t-x aggr\\t\\n'
zpty -r -m shell seen '*not found*'
print -r -- "$seen"
"""

# as a user types it, with bash's own split of `--format=csv` -> one of the candidates, one that is none
TYPED = (
    ("sonde --form", "--format", "--fo"),
    ("sonde --format = js", "jsonl", "csv"),
    ("sonde --format = ", "csv", "--format"),
    ("sonde -x aggra", "aggrate", "aggsize"),
    ("sonde --help = opt", "options", "settings"),
    ("sonde --completion = z", "zsh", "bash"),
    ("sonde -o /etc/host", "/etc/hostname", "--host"),
    ("sonde -n BEGIN -q --dur", "--duration", "--delta"),
    ("sonde ls /etc/host", "/etc/hostname", "--host"),
    ("sonde -n BEGIN -c tru", "true", "--quiet"),
    ("sonde -q -", "--summary", "ls"),
)


def needs(tool):
    if shutil.which(tool) is None:
        raise Skip(f"no {tool}")


def printed(world, option, name):
    """The path of a file with what the option prints."""
    result = world.sonde(option)
    equal(result.stderr, "", f"messages of {option}")
    return world.path(name, result.stdout)


def run(*words, given=""):
    return subprocess.run(words, input=given, text=True, capture_output=True, check=True, timeout=60 * patience).stdout


@scenario()
def bash_completes(world):
    script = printed(world, "--completion=bash", "sonde.bash")
    lines = run("bash", "-c", BASH, "bash", script, given="".join(typed + "\n" for typed, *_ in TYPED)).splitlines()
    equal(len(lines), len(TYPED), "answers")
    for (typed, wanted, unwanted), line in zip(TYPED, lines):
        words = line.split()
        check(wanted in words and unwanted not in words, f"{typed!r}: {line!r}")


@scenario()
def zsh_completes(world):
    needs("zsh")
    script = printed(world, "--completion=zsh", "_sonde")
    run("zsh", "-n", script)
    seen = run("zsh", "-f", "-c", ZSH, "zsh", str(script).rsplit("/", 1)[0])
    check("jsonl" in seen and "aggrate" in seen, f"zsh shows {seen!r}")


@scenario()
def fish_completes(world):
    needs("fish")
    script = printed(world, "--completion=fish", "sonde.fish")
    run("fish", "--no-execute", script)
    for typed, wanted in (("--form", "--format"), ("--format=js", "--format=jsonl"), ("-x aggr", "aggrate"), ("--help=opt", "--help=options")):
        seen = run("fish", "-c", f"source {script}; complete -C 'sonde {typed}'")
        check(wanted in [line.split("\t")[0] for line in seen.splitlines()], f"{typed}: {seen!r}")


@scenario()
def the_manual_page_has_no_warnings(world):
    needs("man")
    page = printed(world, "--help=man", "sonde.1")
    done = subprocess.run(["man", "--warnings", "-l", page], env={**world.environment({}), "LC_ALL": "C.UTF-8", "MANWIDTH": "90"},
                          text=True, capture_output=True, check=True, timeout=60 * patience)
    equal(done.stderr, "", "warnings of man")
    for text in ("SONDE(1)", "-p, --attach=PID", "--completion=SHELL", ":target [-t] [NAME:] COMMAND | PID", "aggsortkeypos"):
        check(text in done.stdout, f"sonde(1) lacks {text!r}")
