// SPDX-License-Identifier: MIT OR GPL-2.0-only
// A program that runs on every CPU once in a period
//
//   the clock of CPU 0, 1, ... --> stub --> programs[0] --> program of the fire parts
//
// The clock is a perf event, cpu-clock: a timer in a hard interrupt. We refused cycles: they do not count while a CPU is
// idle, so samples would not be one in each period, and many virtual machines have none.
#pragma once

#include <cstdint>
#include <map>

#include "runtime/base/result.h"
#include "runtime/base/unique_fd.h"

namespace sonde::bpf {

class Sampler {
 public:
  /// `period`: ns.
  explicit Sampler(uint64_t period) : period_(period) {}

  /// Exchanges the program, without a gap; starts the clocks if there was none. `chain` is kept as long as the program.
  Result<void> run(UniqueFd program, UniqueFd chain);
  /// Stops the clocks. None of them is running the program when this has returned.
  void stop();
  bool runs() const { return static_cast<bool>(program_); }
  /// A CPU has come online: its old clock, if it had one, does not run any more.
  Result<void> start_on(uint32_t cpu);
  uint64_t period() const { return period_; }

 private:
  Result<void> begin();

  uint64_t period_;
  UniqueFd program_, chain_, programs_, stub_;
  std::map<uint32_t, UniqueFd> clocks_;  ///< by CPU
};

}  // namespace sonde::bpf
