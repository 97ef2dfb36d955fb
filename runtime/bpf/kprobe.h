// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Programs at functions of the kernel: where they begin, and where they return
//
//   attach_kprobes()       one link for any number of functions, by the kernel's fprobe; Linux 5.18 and later
//   attach_one_kprobe()    a perf event and a link for one function
//
// A program gets struct pt_regs of the function's first instruction, or of its return, and by bpf_get_attach_cookie()
// the cookie. Returns pass through code of the kernel's own: when a link is gone, nothing of it is left on a stack.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/bpf/uprobe.h"

namespace sonde::bpf {

/// How this kernel attaches them. Errors: EOPNOTSUPP, it does not; those of bpf(2).
Result<UprobeLink> find_kprobe_link();
/// Loads a program. Errors: of the verifier, with the end of what it says.
Result<UniqueFd> load_kprobe_program(const char* name, std::span<const bpf_insn> insns, UprobeLink link);
/// From now on the program runs at the functions with these addresses, each with its cookie, until the descriptor is
/// closed. Errors: EINVAL, ENOENT or ESRCH: the kernel lets nobody into one of them.
Result<UniqueFd> attach_kprobes(int program, bool returns, std::span<const uint64_t> addresses,
                                std::span<const uint64_t> cookies);
Result<UniqueFd> attach_one_kprobe(int program, bool returns, uint64_t address, uint64_t cookie);
/// How often the kernel left out what is attached by attach_kprobes(), because the CPU was in it already. 0 before Linux
/// 6.7, which does not say.
uint64_t kprobe_misses(int link);

}  // namespace sonde::bpf
