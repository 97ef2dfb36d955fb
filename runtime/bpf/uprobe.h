// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Probes at instructions of files (uprobes), in every process that has them mapped, now or later
//
//   attach_uprobes()       one link for any number of places; Linux 6.6 and later
//   attach_one_uprobe()    a perf event and a link for one place; any kernel, slow to take away (50 to 110 ms each)
//
// A program gets the thread's struct pt_regs, and by bpf_get_attach_cookie() the cookie of the place. We refused the
// kernel's return probes: they change the return address on the stack, which breaks programs that throw exceptions, and
// Go's.
#pragma once

#include <linux/bpf.h>
#include <linux/perf_event.h>

#include <cstdint>
#include <span>
#include <string>

#include "runtime/base/result.h"
#include "runtime/base/unique_fd.h"

namespace sonde::bpf {

/// How a program is attached: what it is loaded for must be the same.
enum class UprobeLink : uint8_t { Many, One };

/// Loads a program for uprobes. Errors: of the verifier, with the end of what it says.
Result<UniqueFd> load_uprobe_program(const char* name, std::span<const bpf_insn> insns, UprobeLink link);
/// From now on the program runs at these file offsets, each with its cookie, until the descriptor is closed. Meanwhile the
/// kernel raises the 16-bit counters at `counters`, file offsets, in each process by 1; 0: the place has none. Errors: EOPNOTSUPP or ENOTSUPP (524) the kernel refuses one of these instructions, EINVAL it has no such links or an
/// offset is bad; those of path look-up.
Result<UniqueFd> attach_uprobes(int program, const std::string& path, std::span<const uint64_t> offsets,
                                std::span<const uint64_t> cookies, std::span<const uint64_t> counters);
Result<UniqueFd> attach_one_uprobe(int program, const std::string& path, uint64_t offset, uint64_t cookie,
                                   uint64_t counter);
/// The kernel's number for perf events of that name; 0: it has none.
uint32_t perf_type(const char* what);
/// Attaches a program to a perf event of all CPUs. `what`: for messages.
Result<UniqueFd> attach_by_event(int program, perf_event_attr& event, uint64_t cookie, const std::string& what);
/// Whether this kernel has links for many places.
bool has_uprobe_links();

}  // namespace sonde::bpf
