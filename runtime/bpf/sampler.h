// SPDX-License-Identifier: MIT OR GPL-2.0-only
// A program that runs on every CPU once in a period, or after so many events of another kind
//
//   the counter of CPU 0, 1, ... --> stub --> programs[0] --> program of the fire parts
//
// A counter is a perf event. A period's is cpu-clock: a timer in a hard interrupt. We refused cycles for it: they do not count while a CPU is
// idle, so samples would not be one in each period, and many virtual machines have none.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "kmod/shared/event.h"
#include "runtime/base/result.h"
#include "runtime/base/unique_fd.h"

namespace sonde::bpf {

/// As perf_event_open(2) has it.
struct CounterOfCpu {
  std::string name;
  uint32_t type;
  uint64_t config;
  uint64_t period;  ///< so many events; of a clock: ns
  bool no_user = false, no_kernel = false;
};

/// What a tap of PROFILE or COUNTER counts. `name`: of the event.
CounterOfCpu counter_of(sonde_tap_kind kind, uint32_t number, uint64_t function, uint64_t offset, std::string name);

class Sampler {
 public:
  explicit Sampler(const CounterOfCpu& counter) : counter_(counter) {}

  /// Exchanges the program, without a gap; starts the counters if there was none. `chain` is kept as long as the program.
  Result<void> run(UniqueFd program, UniqueFd chain);
  /// Stops the counters. None of them is running the program when this has returned.
  void stop();
  bool runs() const { return static_cast<bool>(program_); }
  /// A CPU has come online: its old counter, if it had one, does not run any more.
  Result<void> start_on(uint32_t cpu);

 private:
  Result<void> begin();

  CounterOfCpu counter_;
  UniqueFd program_, chain_, programs_, stub_;
  std::map<uint32_t, UniqueFd> counters_;  ///< by CPU
};

}  // namespace sonde::bpf
