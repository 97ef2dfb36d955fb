// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "runtime/framework/provider.h"

namespace sonde::pid {

/// One field of a description: a glob; if it has no wildcards, also its text.
class Field {
 public:
  explicit Field(std::string_view pattern) : pattern_(pattern) {
    exact_ = !pattern.empty();
    for (size_t i = 0; i < pattern.size() && exact_; i++) {
      exact_ = pattern[i] != '*' && pattern[i] != '?' && pattern[i] != '[';
      if (pattern[i] == '\\' && i + 1 < pattern.size()) i++;
      literal_ += pattern[i];
    }
  }

  bool matches(const std::string& text) const {
    return exact_ ? text == literal_ : sonde_glob_match(pattern_.c_str(), text.c_str()) != 0;
  }
  bool is_exact() const { return exact_; }
  /// Only when is_exact().
  const std::string& literal() const { return literal_; }

 private:
  std::string pattern_, literal_;
  bool exact_;
};

}  // namespace sonde::pid
