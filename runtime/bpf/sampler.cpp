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
  return clocks_.empty() ? begin() : Result<void>();
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
  attr.type = PERF_TYPE_SOFTWARE;
  attr.size = sizeof attr;
  attr.config = PERF_COUNT_SW_CPU_CLOCK;
  attr.sample_period = period_;
  attr.disabled = 1;
  clocks_.erase(cpu);
  UniqueFd clock(
      static_cast<int>(syscall(SYS_perf_event_open, &attr, -1, static_cast<int>(cpu), -1, PERF_FLAG_FD_CLOEXEC)));
  if (!clock && errno == ENODEV) return {};  // it has gone meanwhile
  if (!clock) return Error::from_errno("start a clock on CPU " + std::to_string(cpu));
  if (ioctl(clock.get(), PERF_EVENT_IOC_SET_BPF, stub_.get()) != 0 || ioctl(clock.get(), PERF_EVENT_IOC_ENABLE, 0) != 0)
    return Error::from_errno("run a program by the clock of CPU " + std::to_string(cpu));
  clocks_[cpu] = std::move(clock);
  return {};
}

void Sampler::stop() {
  clocks_.clear();
  stub_.reset();
  program_.reset();
  chain_.reset();
}

}  // namespace sonde::bpf
