// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Tried before trusted, of what fires by itself: tracepoints, and the clock of a CPU
//
//   armed --> this thread makes known events, one by one --> after each: one hit more, with its words --> taken away
//
// trial.h has the reasons, and the same for instructions of programs. A tracepoint is tried by system calls of this
// thread, so each event is known: it must be one hit, counted when the call has returned, with the call's number,
// arguments and result. What the kernel says it has left out, as Linux 7 does while another thread is within the program,
// is made again. Where a thread may lose its CPU within the program of a tracepoint, too much is left out: the count of
// reasons not to preempt it, as such a program finds it, tells that. A clock fires when it likes: while this thread goes round a loop of its own there must be hits, and those
// must be in that loop, on that stack.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

#include "runtime/base/result.h"
#include "runtime/bpf/hooks.h"
#include "runtime/bpf/kernel_layout.h"

namespace sonde::bpf {

inline constexpr size_t kHookWords = 8;

/// What a mechanism has shown of this thread.
struct HookHit {
  uint64_t count;
  uint64_t words[kHookWords];  ///< of the last one, in the order of a row of kTriedHooks
};

/// What is known of the event that has been made last.
struct KnownEvent {
  uint64_t made = 0;  ///< so far
  std::array<uint64_t, kHookWords> words{};
};

/// A mechanism under trial.
class HookMechanism {
 public:
  virtual ~HookMechanism() = default;
  /// Arms it for this thread. `known`: valid until disarm().
  virtual Result<void> arm(const KnownEvent& known) = 0;
  virtual HookHit hit() = 0;
  /// Whether the kernel has left out events of any thread since the last time, and says so. To ask may be an event.
  virtual bool missed() { return false; }
  virtual void disarm() = 0;
};

/// Whether there is a trial of that tracepoint. We refused signals to ourselves: who debugs sonde would see them, and so
/// would the kernel, twice.
bool can_try(Hook hook);

/// Arms, makes events, compares and takes away. Errors: EOPNOTSUPP, the mechanism is wrong: the text says how; others: it
/// cannot be tried.
Result<void> try_hook(Hook hook, HookMechanism& mechanism);
/// Whether a thread keeps its CPU within a program that is there by TracepointLink::Raw, on a kernel that preempts threads
/// within itself: others may not count. `mechanism`: its word is that count. Errors: as above.
Result<void> try_keeping_cpu(Hook hook, HookMechanism& mechanism);
/// The same of a CPU's clock.
Result<void> try_clock(HookMechanism& mechanism);

/// The kernel's.
std::unique_ptr<HookMechanism> tracepoint_mechanism(Hook hook, TracepointLink link);
/// Its hits have one word, the count of reasons not to preempt the CPU. `layout`: as long as the mechanism lives.
std::unique_ptr<HookMechanism> preemption_mechanism(Hook hook, KernelLayout& layout);
std::unique_ptr<HookMechanism> clock_mechanism();

}  // namespace sonde::bpf
