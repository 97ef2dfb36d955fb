// SPDX-License-Identifier: GPL-3.0-or-later
// Which op of which provider a thread runs
//
// Each thread knows its own op: for the contexts of calls (context.h), and for the line about a crash. What plug-ins run
// is also in a table that every thread can read, so that somebody can look from outside at a thread that is in an op for
// too long (runtime/plugin/watchdog.h).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "runtime/framework/aftermath.h"

namespace sonde {

/// What the framework is doing on this thread.
enum class ProviderOp : uint8_t {
  None,
  Provide,
  ProvideModule,
  Enable,
  Disable,
  Suspend,
  Resume,
  GetArgDesc,
  GetArgVal,
  UserMode,
  Destroy,
  Start,  ///< sonde_plugin's start() and stop(); for the contexts of calls they are outside of any op
  Stop,
  OnTarget,       ///< a hook of sonde_on_target or sonde_on_target_end; outside of any op, too
  OnDescription,  ///< a hook of sonde_on_description; outside of any op, too
};

const char* op_name(ProviderOp op);

/// Whose code it is. Both texts live for ever: see lasting_text().
struct OpOwner {
  const char* provider = "";  ///< its name; empty: the code is no provider's
  const char* file = "";      ///< the plug-in's file, without its folder; empty: built in
};

/// The text, for as long as the process lives. Takes a lock.
const char* lasting_text(const std::string& text);

/// The file, without its folder, of the plug-in that contains this code; empty: sonde itself does. Takes locks.
const char* plugin_of(const void* code);

/// A row of the table: what a thread runs of a plug-in. `call` changes whenever the rest does. Readers may see a mixture
/// of two calls: they compare `call` before and after.
struct alignas(64) OpUnderWay {
  std::atomic<uint32_t> thread{0};  ///< its tid; 0: the row is free
  std::atomic<uint32_t> call{0};
  std::atomic<ProviderOp> op{ProviderOp::None};
  std::atomic<const char*> provider{""}, file{""};
};

/// The table. When all rows are taken, further ops are not in it.
using OpsUnderWay = std::array<OpUnderWay, 64>;
const OpsUnderWay& ops_under_way();

/// While it lives, this thread runs `op` of `owner`. May be nested: for a series of calls of one op a scope stands around
/// those of the calls, and what a plug-in must leave as it was is looked at once, for all of them. Takes no lock.
class OpScope {
 public:
  OpScope(ProviderOp op, OpOwner owner);
  ~OpScope();
  OpScope(const OpScope&) = delete;
  OpScope& operator=(const OpScope&) = delete;

  /// The innermost one of this thread; null: it runs no op. Async-signal-safe.
  static const OpScope* current();
  ProviderOp op() const { return op_; }
  const OpOwner& owner() const { return owner_; }

 private:
  void show() const;

  ProviderOp op_;
  OpOwner owner_;
  const OpScope* outer_;
  OpUnderWay* row_ = nullptr;
  std::optional<BeforeOp> before_;  ///< of a plug-in's op
};

/// Async-signal-safe.
ProviderOp current_op();

}  // namespace sonde
