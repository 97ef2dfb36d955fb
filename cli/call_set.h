// SPDX-License-Identifier: GPL-3.0-or-later
// Which system calls: the SET of --trace and --inject, as strace's
//
//   openat,close    names            %file    a class (runtime/syscall/classes.h)      all, none
//   /^open          a regular expression, extended     !SET    all but these       ?name    may be unknown
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"

namespace sonde {

struct CallSet {
  bool all = true;
  std::vector<std::string> names;  ///< probe functions, by rising number; of `all`: none

  bool none() const { return !all && names.empty(); }
};

/// The calls that are in both.
CallSet in_both(const CallSet& one, const CallSet& other);
/// The calls of `one` that are not in `other`.
CallSet only_in(const CallSet& one, const CallSet& other);

/// Errors: an item that names no call, with what is near to it.
Result<CallSet> parse_call_set(std::string_view text);

/// The parts between commas. Empty parts are kept.
std::vector<std::string_view> items_of(std::string_view list);

/// The words of an option such as --status=failed,!detached, in the order of `known`. `!` before them: all others.
/// Errors: a word that is not known; `what` names its kind.
Result<std::vector<std::string_view>> parse_words(std::string_view text, const std::vector<std::string_view>& known,
                                                  std::string_view what);

}  // namespace sonde
