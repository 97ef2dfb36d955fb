// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/base/suggest.h"

#include <algorithm>

namespace sonde {

namespace {
constexpr size_t kLongestCompared = 256;  ///< bytes: the time is quadratic
}

uint32_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<uint32_t> before(b.size() + 1), row(b.size() + 1), next(b.size() + 1);
  for (uint32_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (uint32_t i = 1; i <= a.size(); ++i) {
    next[0] = i;
    for (uint32_t j = 1; j <= b.size(); ++j) {
      next[j] = std::min({row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] != b[j - 1])});
      bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) next[j] = std::min(next[j], before[j - 2] + 1);
    }
    before.swap(row);
    row.swap(next);
  }
  return row[b.size()];
}

// Up to a third of the letters may differ, and one of a short name: of thousands of functions, some are two letters from
// any name of four.
Suggestion::Suggestion(std::string_view wanted)
    : wanted_(wanted), distance_(static_cast<uint32_t>(std::max<size_t>(wanted.size() / 3, 1)) + 1) {}

void Suggestion::offer(std::string_view candidate) { offer(candidate, candidate); }

void Suggestion::offer(std::string_view candidate, std::string_view shown) {
  size_t longer = std::max(candidate.size(), wanted_.size()), shorter = std::min(candidate.size(), wanted_.size());
  if (longer > kLongestCompared) return;
  if (longer - shorter >= distance_ || candidate == wanted_) return;
  uint32_t distance = edit_distance(wanted_, candidate);
  if (distance >= distance_ || distance >= shorter) return;
  distance_ = distance;
  best_ = shown;
}

std::string Suggestion::hint() const { return best_.empty() ? std::string() : "did you mean '" + best_ + "'?"; }

}  // namespace sonde
