// SPDX-License-Identifier: GPL-3.0-or-later
// The options of the list of calls, in strace's words
//
//   -e QUAL=SET, --trace=SET, -t, -ff ... --arguments.cpp--> CallOptions::set() --> Arguments::calls, injections, settings
#pragma once

#include <string>
#include <string_view>

#include "cli/arguments.h"
#include "cli/options_table.h"
#include "runtime/base/result.h"

namespace sonde {

/// What can follow strace's -e, and the long option with that meaning; null: Sonde has none.
struct StraceQualifier {
  std::string_view name;
  const char* option;
};
/// Null: the word is no QUAL=SET.
const StraceQualifier* find_qualifier(std::string_view word);

/// Whether the value of -P is a path. A provider has no slash, but a predicate, which ends in one, may follow it.
bool is_path(const std::string& text);

class CallOptions {
 public:
  explicit CallOptions(Arguments& arguments) : arguments_(arguments) {}

  /// `typed`: the option, as it was typed. Errors: what is wrong with the value.
  Result<void> set(OfCalls::What what, const std::string& value, const std::string& typed);
  /// Called when all options are known. False: --output-separately was given, and no -o.
  bool separate_files();

 private:
  Result<void> add_injection(Result<Injection> injection);
  Result<void> set_status(const std::string& value);
  Result<void> set_clock(const std::string& value);
  Result<void> set_descriptors(const std::string& value);
  Result<void> set_names(const std::string& value);

  Arguments& arguments_;
  std::string typed_;
  int clocks_ = 0, descriptors_ = 0;  ///< how many -t and -y were given
  bool separately_ = false;
};

}  // namespace sonde
