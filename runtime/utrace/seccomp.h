// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <linux/filter.h>

#include <cstdint>
#include <span>
#include <vector>

namespace sonde {

/// A seccomp program that stops `calls` (numbered as in utrace_syscall_set), seccomp, prctl(PR_SET_SECCOMP), clone3 and clone with
/// CLONE_UNTRACED, and allows all others. It is a binary search over the ranges of numbers: at most some nine comparisons for any set. `mark`: the data
/// of its verdicts, which PTRACE_GETEVENTMSG returns at the stop.
std::vector<sock_filter> make_syscall_filter(std::span<const uint32_t> calls, uint16_t mark);

/// A seccomp program with the effect of SECCOMP_MODE_STRICT: all calls but read, write, exit and sigreturn kill the
/// thread.
std::vector<sock_filter> make_strict_filter();

/// Installs it on the calling thread. Sets no_new_privs only if the kernel requires it.
/// Returns 0 or -errno. Context: a child before exec; allocates nothing.
int install_syscall_filter(std::span<const sock_filter> program);

}  // namespace sonde
