// SPDX-License-Identifier: MIT OR GPL-2.0-only
#include "runtime/bpf/sampler.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/bpf/bpf_call.h"
#include "runtime/bpf/cpus.h"
#include "runtime/bpf/hook_program.h"

namespace sonde::bpf {

CounterOfCpu counter_of(sonde_tap_kind kind, uint32_t number, uint64_t function, uint64_t offset, std::string name) {
  if (kind == SONDE_TAP_PROFILE) return {"time", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, offset};
  constexpr uint32_t kFlags = SONDE_COUNTER_NO_USER | SONDE_COUNTER_NO_KERNEL;
  return {std::move(name),
          number & ~kFlags,
          function,
          offset,
          (number & SONDE_COUNTER_NO_USER) != 0,
          (number & SONDE_COUNTER_NO_KERNEL) != 0};
}

Result<void> Sampler::run(UniqueFd program, UniqueFd chain) {
  if (!programs_) {
    auto programs = create_map("programs", {BPF_MAP_TYPE_PROG_ARRAY, 4, 4, 1, 0});
    if (!programs) return std::move(programs).error();
    programs_ = std::move(*programs);
  }
  const uint32_t first = 0;
  const auto fd = static_cast<uint32_t>(program.get());
  if (auto done = update_map(programs_.get(), &first, &fd); !done) return done;
  program_ = std::move(program);
  if (chain_) wait_for_programs();  // who is in its first part must find the others
  chain_ = std::move(chain);
  return counters_.empty() ? begin() : Result<void>();
}

Result<void> Sampler::begin() {
  auto stub = load_program("stub", build_stub(programs_.get(), 0), BPF_PROG_TYPE_PERF_EVENT);
  if (!stub) return std::move(stub).error();
  stub_ = std::move(*stub);
  for (const uint32_t cpu : online_cpus())
    if (auto started = start_on(cpu); !started) return started;
  return {};
}

Result<void> Sampler::start_on(uint32_t cpu) {
  perf_event_attr attr{};
  attr.type = counter_.type;
  attr.size = sizeof attr;
  attr.config = counter_.config;
  attr.sample_period = counter_.period;
  attr.disabled = 1;
  attr.exclude_user = counter_.no_user;
  attr.exclude_kernel = counter_.no_kernel;
  counters_.erase(cpu);
  UniqueFd counter(
      static_cast<int>(syscall(SYS_perf_event_open, &attr, -1, static_cast<int>(cpu), -1, PERF_FLAG_FD_CLOEXEC)));
  if (!counter && errno == ENODEV) return {};  // it has gone meanwhile
  if (!counter) return Error::from_errno("count " + counter_.name + " on CPU " + std::to_string(cpu));
  if (ioctl(counter.get(), PERF_EVENT_IOC_SET_BPF, stub_.get()) != 0 ||
      ioctl(counter.get(), PERF_EVENT_IOC_ENABLE, 0) != 0)
    return Error::from_errno("run a program by the count of " + counter_.name + " on CPU " + std::to_string(cpu));
  counters_[cpu] = std::move(counter);
  return {};
}

void Sampler::stop() {
  counters_.clear();
  stub_.reset();
  program_.reset();
  chain_.reset();
}

}  // namespace sonde::bpf
