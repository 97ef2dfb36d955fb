// SPDX-License-Identifier: GPL-3.0-or-later
// Where code makes the system calls clone and clone3, found by the instructions that load their numbers
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace sonde::guard {

/// An instruction that loads the number of clone or clone3, from which every path leads to a system call with it.
struct CloneLoad {
  uint64_t offset = 0;  ///< of the instruction
  /// The function that gets the number as its first argument, as the distance from the instruction; 0: the code makes
  /// the call itself.
  int64_t callee = 0;
  bool by_pointer = false;  ///< there is the address of the function
};

/// Finds them in [begin, end) of `bytes`, which are code. What is around that helps: kCloneContext bytes on each side.
/// Offsets are those in `bytes`.
std::vector<CloneLoad> find_clone_loads(std::span<const uint8_t> bytes, size_t begin, size_t end);
inline constexpr size_t kCloneContext = 256;

using ReadBytes = std::function<bool(uint64_t address, void* to, size_t length)>;

/// The same load after the straight calls behind it, as far as `read`, which takes offsets, has the functions: it makes
/// the call itself then, or by a pointer, or in a function that is elsewhere. Nothing: it does not lead to the call.
std::optional<CloneLoad> follow_straight(CloneLoad load, const ReadBytes& read);

enum class MakesCall {
  No,
  NotYetKnown,  ///< the dynamic linker has not looked the function up yet
  Yes
};
/// Whether a function makes the system call whose number is its first argument, as syscall() does. `by_pointer`:
/// `function` is where its address is.
MakesCall makes_call(uint64_t function, bool by_pointer, const ReadBytes& read);

}  // namespace sonde::guard
