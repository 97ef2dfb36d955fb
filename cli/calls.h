// SPDX-License-Identifier: GPL-3.0-or-later
// The script that the command uses when no script is given.
#pragma once

#include <utility>

namespace sonde {

/// Prints every system call of the targets, one per line, and their signals and ends, in strace's style. A thread is
/// identified by its number while there are several. A line is printed at the return, when everything is known; a new
/// process's own return from fork is not a call of its own. A process ends with its last thread, the first thread with
/// its process.
inline constexpr char kCallsScript[] = R"D(
int born, attached;
inline string named[int number] = born > 0 || attached ? strjoin("[pid ", strjoin(lltostr(number), "] ")) : "";
inline string call = strjoin(named[tid], strjoin(probefunc, strjoin("(", strjoin(argstr, ")"))));

proc:::lwp-start
{
	self->born = 1;
	born++;
}

syscall::exit:entry,
syscall::exit_group:entry
{
	attached = attached || (tid != $target && !self->born);
	printf("%-39s = ?\n", call);
}

syscall:::return
/arg1 != 0 || (probefunc != "clone" && probefunc != "clone3" && probefunc != "fork" && probefunc != "vfork")/
{
	attached = attached || (tid != $target && !self->born);
	printf("%-39s = %s\n", call, retstr);
}

signal:::deliver,
signal:::discard
{
	attached = attached || (tid != $target && !self->born);
	printf("%s--- %s ---\n", named[tid], argstr);
}

proc:::lwp-exit
/tid != pid/
{
	attached = attached || (tid != $target && !self->born);
	printf("%s+++ %s +++\n", named[tid], argstr);
	born--;
}

proc:::exit
{
	attached = attached || (tid != $target && !self->born);
	printf("%s+++ %s +++\n", named[pid], argstr);
	born--;
}
)D";

/// Options that the script needs; those of the command line override them.
inline constexpr std::pair<const char*, const char*> kCallsSettings[] = {
    {"quiet", ""}, {"evaltime", "exec"}, {"strsize", "4096"}, {"switchrate", "50ms"}};

}  // namespace sonde
