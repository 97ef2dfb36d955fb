// SPDX-License-Identifier: GPL-3.0-or-later
// What Tab offers of processes
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sonde {

struct Candidate {
  std::string text;
  std::string note;  ///< a few words that explain it
  auto operator<=>(const Candidate&) const = default;
};

/// Processes whose numbers begin with `digits`, with their command lines.
std::vector<Candidate> processes(std::string_view digits);
/// Programs of $PATH that begin with `word`, with their folders.
std::vector<Candidate> programs(std::string_view word);
/// The modules of a process as the provider pid names them, with their paths.
std::vector<Candidate> modules_of(uint32_t pid);

}  // namespace sonde
