// SPDX-License-Identifier: GPL-3.0-or-later
// What code of a plug-in must leave as it found it
//
// A plug-in, or a library that it uses, may change what belongs to the whole process. Sonde could then not be ended by
// Ctrl-C, would go on twice after a fork(), or lose its guard. So after each op what can be put back is put back, and a
// line names the plug-in and the op. What its threads do is looked at before each op, and once a second
// (runtime/plugin/watchdog.h).
//
//   signal mask of the thread      put back
//   SIGINT, SIGTERM, SIGHUP        the handlers are put back
//   descriptors that sonde had     standard output and error are opened again; others are only reported, and tracing
//                                  then ends by what they were for
//   fork() that returns to sonde   the child ends
//
// Not for dtps_getargval and dtps_usermode, which run at each firing: their threads' masks are their own. It costs 3 us
// an op, or a series of one (OpScope).
#pragma once

#include <csignal>
#include <cstdint>

namespace sonde {

enum class ProviderOp : uint8_t;
struct OpOwner;
class OpScope;

/// From now on plug-ins may run: remembers which descriptors are sonde's. Context: before the first start(); more calls
/// have no effect.
void expect_plugins();

/// What a thread has when an op of a plug-in begins.
class BeforeOp {
 public:
  /// `outer`: the op that has led to this one, and is to blame for what is wrong already; null: none has.
  explicit BeforeOp(const OpScope* outer);
  /// Puts back what the op has changed, and reports it.
  void check(ProviderOp op, const OpOwner& owner) const;

 private:
  sigset_t mask_;
};

/// Puts back what threads of plug-ins have changed, and reports it. What sonde itself may close is not looked at.
void check_process_of_plugins();

/// True in a child that code of a plug-in made by fork(), and that still runs this program.
bool is_forked_by_plugin();
/// Ends such a child with a line about what has returned there.
[[noreturn]] void end_forked_child();

/// Lets this thread take the signals of a crash: one that is blocked ends the process without a word.
void let_crashes_through();

}  // namespace sonde
