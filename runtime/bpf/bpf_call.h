// SPDX-License-Identifier: MIT OR GPL-2.0-only
// bpf(2), as far as Sonde uses it: maps, programs, raw tracepoints
//
// Everything is a descriptor, and is pinned nowhere: when the process ends, however it ends, the kernel takes all of it
// away.
#pragma once

#include <linux/bpf.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/base/unique_fd.h"

namespace sonde::bpf {

/// An address as bpf(2) has it.
inline uint64_t address_of(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }

/// What all our programs and maps have in their names, for whoever looks for leftovers. At most 15 bytes with the rest.
inline constexpr char kNamePrefix[] = "sonde_";

struct MapShape {
  bpf_map_type type{};
  uint32_t key_bytes = 0, value_bytes = 0, entries = 0;
  uint32_t flags = 0;
};

/// `name` comes behind kNamePrefix. Errors: EPERM, E2BIG, ENOMEM and others of bpf(2).
Result<UniqueFd> create_map(const char* name, const MapShape& shape);
/// A map of task storage: a thread has `words` u64, which are 0 at first, as long as it lives.
Result<UniqueFd> create_thread_map(const char* name, uint32_t words);
Result<void> update_map(int map, const void* key, const void* value);
Result<void> look_up(int map, const void* key, void* value);
void delete_from_map(int map, const void* key);
/// Of a hash map with keys of 8 bytes.
bool is_empty_map(int map);

/// Loads a program. `attach`: what it expects to be attached to, where its type asks that. Errors: of the verifier, with
/// the end of what it says.
Result<UniqueFd> load_program(const char* name, std::span<const bpf_insn> insns,
                              bpf_prog_type type = BPF_PROG_TYPE_RAW_TRACEPOINT, uint32_t attach = 0);
/// From now on the program runs at this tracepoint, until the descriptor is closed.
Result<UniqueFd> attach_raw_tracepoint(const char* tracepoint, int program);
/// Runs a program once, here, with these words as its arguments. Errors: those of BPF_PROG_TEST_RUN.
Result<uint32_t> run_once(int program, std::span<const uint64_t> arguments);
/// How often the kernel left a program out because it was running on that CPU already.
Result<uint64_t> recursion_misses(int program);
/// Returns when every program that ran before has ended.
void wait_for_programs();

}  // namespace sonde::bpf
