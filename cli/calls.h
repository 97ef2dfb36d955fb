// SPDX-License-Identifier: GPL-3.0-or-later
// What the command traces where no script says it.
#pragma once

#include <utility>

namespace sonde {

/// Every system call of the targets, a line a call, and their signals and ends, as strace prints them. A thread is named by its number while there are
/// several. A line comes at the return, when all is known; a new process' own return from fork is no call of its. A process ends with its last thread,
/// its first thread with it.
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

/// Options that it needs; those of the command line come later.
inline constexpr std::pair<const char*, const char*> kCallsSettings[] = {
    {"quiet", ""}, {"evaltime", "exec"}, {"strsize", "4096"}, {"switchrate", "50ms"}};

}  // namespace sonde
