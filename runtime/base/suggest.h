// SPDX-License-Identifier: GPL-3.0-or-later
// "did you mean ...?"
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sonde {

/// How many letters must be inserted, removed, replaced or swapped with a neighbour to turn `b` into `a`.
uint32_t edit_distance(std::string_view a, std::string_view b);

/// Collects candidates for a name that was not found and keeps the nearest.
class Suggestion {
 public:
  explicit Suggestion(std::string_view wanted);
  void offer(std::string_view candidate);
  void offer(std::string_view candidate, std::string_view shown);  ///< compares one text, shows the other
  /// "did you mean 'open'?", or empty when no candidate is near enough.
  std::string hint() const;
  const std::string& best() const { return best_; }

 private:
  std::string wanted_;
  std::string best_;
  uint32_t distance_;
};

}  // namespace sonde
