// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/calls.h"
#include "runtime/consumer/consumer.h"

namespace sonde {

// The words of --summary= and --summary-sort-by=, in the order of Summary's enums. Literals, for sentences that are made
// when this is compiled.
#define SONDE_SUMMARY_BY "call, file, process, thread"
#define SONDE_SUMMARY_ORDERS "time, calls, errors, name"

struct Summary {
  enum class By : uint8_t { Call, File, Process, Thread };
  enum class Order : uint8_t { Time, Calls, Errors, Name };
  By by = By::Call;  ///< what has a row of its own; File: only calls that have a path or a descriptor
  Order order = Order::Time;
};

/// Errors: it is none of the words.
Result<Summary::By> parse_summary_by(std::string_view word);
Result<Summary::Order> parse_summary_order(std::string_view word);

/// --summary: the script that counts the chosen calls; table_of_calls() prints its counts. Of the execve that starts a
/// program only the return is traced.
std::string summary_script(const Summary& summary, const CallList& calls);

/// Calls, errors and the time from entry to return, one row per system call as in strace -c, or per what was asked for;
/// the longest time comes first, or the most of what was asked for. The counts are not printed a second time.
/// `units`: times have units.
std::string table_of_calls(Consumer& consumer, const Summary& summary, bool units);

}  // namespace sonde
