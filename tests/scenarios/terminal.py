# SPDX-License-Identifier: GPL-3.0-or-later
"""A terminal with a shell, for job control; and a tmux session, for the contents of a screen."""

import contextlib
import os
import pathlib
import pty
import select
import subprocess
import time

import support
from support import Skip, check, wait_until


def processor_nanoseconds(pid):
    """What all threads of a process have used so far; one that has just ended counts nothing."""
    used = 0
    for tid in os.listdir(f"/proc/{pid}/task"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            used += int(pathlib.Path(f"/proc/{pid}/task/{tid}/schedstat").read_text().split()[0])
    return used


class Terminal:
    """A program on its own pseudo-terminal; without `argv`: bash."""

    def __init__(self, world, argv=(), env=None):
        self.text = ""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(world.home)
            environment = world.environment({"PS1": "ready> ", "TERM": "dumb", "BASH_SILENCE_DEPRECATION_WARNING": "1"} | (env or {}))
            argv = [str(word) for word in argv] or ["/bin/bash", "--norc", "--noprofile", "-i"]
            os.execve(argv[0], argv, environment)
        self.expect("sonde> " if argv else "ready> ")

    def send(self, text):
        os.write(self.fd, text.encode())

    def read(self, seconds):
        if select.select([self.fd], [], [], seconds)[0]:
            try:
                self.text += os.read(self.fd, 65536).decode(errors="replace").replace("\r\n", "\n")
            except OSError:
                return False
        return True

    def expect(self, wanted, seconds=60):
        """Reads until `wanted` appears; returns and drops all text up to its end."""
        seconds *= support.patience
        end = time.monotonic() + seconds
        while wanted not in self.text:
            check(time.monotonic() < end and self.read(0.1), f"no {wanted!r} on the terminal, but {self.text!r}")
        before, _, self.text = self.text.partition(wanted)
        return before + wanted

    def tab(self, typed, wanted):
        """Types a text and Tab; returns the time until `wanted` is shown: seconds, and seconds of the program's own processor
        time. The line is empty again."""
        self.send(typed)
        self.expect(typed)
        used, began = processor_nanoseconds(self.pid), time.perf_counter()
        self.send("\t")
        self.expect(wanted)
        seconds, used = time.perf_counter() - began, processor_nanoseconds(self.pid) - used
        self.send("\x15:nosuch\n")
        self.expect("unknown command")
        self.expect("sonde> ")
        return seconds, used / 1e9

    def close(self):
        os.close(self.fd)
        deadline = time.monotonic() + 3
        while os.waitpid(self.pid, os.WNOHANG) == (0, 0):
            if time.monotonic() > deadline:
                os.kill(self.pid, 9)
                os.waitpid(self.pid, 0)
                return
            time.sleep(0.02)


class Screen:
    """A tmux session on its own server."""

    def __init__(self, world, argv, columns=100, rows=30):
        self.environment = world.environment({"TERM": "xterm"})
        self.tmux = ["tmux", "-L", f"sonde-{world.marker[:12]}", "-f", "/dev/null"]
        try:
            self.begin(3, "new-session", "-d", "-s", "t", "-x", str(columns), "-y", str(rows), *argv)
        except FileNotFoundError:
            raise Skip("no tmux: tmux") from None
        self.call("set-option", "-g", "remain-on-exit", "on")

    def begin(self, times, *arguments):
        """tmux may say "server exited unexpectedly" where its server has only begun: then nothing was started."""
        try:
            self.call(*arguments)
        except subprocess.CalledProcessError:
            if times == 1:
                raise
            self.begin(times - 1, *arguments)

    def call(self, *arguments):
        done = subprocess.run([*self.tmux, *arguments], env=self.environment, timeout=60 * support.patience, check=True,
                              stdout=subprocess.PIPE, text=True)
        return done.stdout

    def type(self, text):
        self.call("send-keys", "-t", "t", "-l", text)

    def key(self, name):
        self.call("send-keys", "-t", "t", name)

    def line(self, text):
        self.type(text)
        self.key("Enter")

    def lines(self):
        """The contents of the screen, with history, without empty lines at the end."""
        return self.call("capture-pane", "-p", "-t", "t", "-S", "-200").rstrip().splitlines()

    def expect(self, wanted, seconds=60):
        """Waits until a line contains `wanted` (or, if it is a function, it returns true for all lines)."""
        test = wanted if callable(wanted) else lambda lines: any(wanted in line for line in lines)
        try:
            wait_until(lambda: test(self.lines()), seconds, pause=0.05)
        except AssertionError:
            shown = "\n    ".join(self.lines())
            raise AssertionError(f"the screen never showed {wanted!r}:\n    {shown}") from None
        return self.lines()

    def dead(self):
        """True when the program on the screen has ended."""
        return self.call("list-panes", "-t", "t", "-F", "#{pane_dead}").strip() == "1"

    def close(self):
        subprocess.run([*self.tmux, "kill-server"], env=self.environment, timeout=60 * support.patience, check=False,
                       stderr=subprocess.DEVNULL)
