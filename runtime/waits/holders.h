// SPDX-License-Identifier: GPL-3.0-or-later
// Waits for whoever has the other end of something open
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/waits/facts.h"
#include "runtime/waits/graph.h"

namespace sonde {

/// A wait that nobody who is known can end: `text` says for what.
Wait wait_outside(std::string text);
/// "process 12 (srv), process 13 (sh) and 4 more"; `self`: that of the waiter.
std::string names_of(Facts& facts, const std::vector<uint32_t>& pids, uint32_t self);
/// A wait that any thread of the holders may end; `text`: the sentence up to their names.
Wait wait_for_holders(Facts& facts, const ThreadFacts& thread, const std::vector<HeldFile>& holders,
                      const std::string& text);
/// The same wait; if its own process is one of the holders and has signal handlers, these may end it.
Wait unless_handler_writes(Facts& facts, const ThreadFacts& thread, const std::vector<HeldFile>& holders, Wait wait);
/// Whether a signal may end a poll() of the process, other than the one that somebody types.
bool has_handlers(Facts& facts, const ThreadFacts& thread);

}  // namespace sonde
