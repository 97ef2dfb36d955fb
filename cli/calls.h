// SPDX-License-Identifier: GPL-3.0-or-later
// What the command traces where no script says it.
#pragma once

#include <utility>

namespace sonde {

/// Every system call of the targets, a line a call, as strace prints them. A thread that is not the first is named by its number; so are
/// all from then on. A line comes at the return, when all is known; a new process' own return from fork is no call of its.
inline constexpr char kCallsScript[] = R"D(
syscall:::entry
/tid != $target/
{
	several = 1;
}

syscall::exit:entry,
syscall::exit_group:entry
{
	printf("%s%-39s = ?\n", several ? strjoin("[pid ", strjoin(lltostr(tid), "] ")) : "",
	    strjoin(probefunc, strjoin("(", strjoin(argstr, ")"))));
}

syscall:::return
/arg1 != 0 || (probefunc != "clone" && probefunc != "clone3" && probefunc != "fork" && probefunc != "vfork")/
{
	printf("%s%-39s = %s\n", several ? strjoin("[pid ", strjoin(lltostr(tid), "] ")) : "",
	    strjoin(probefunc, strjoin("(", strjoin(argstr, ")"))), retstr);
}
)D";

/// Options that it needs; those of the command line come later.
inline constexpr std::pair<const char*, const char*> kCallsSettings[] = {
    {"quiet", ""}, {"strsize", "4096"}, {"switchrate", "50ms"}};

}  // namespace sonde
