// SPDX-License-Identifier: GPL-3.0-or-later
// The ring is the kernel's: a page with the positions of writer and reader, then records, which may wrap around its
// end. A record of ours has the words ABI, registers, size of the stack, the stack, and the number of its bytes that
// could be read.
#include "runtime/guard/perf_clock.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <utility>

#include "runtime/base/page.h"

namespace sonde::guard {
namespace {

constexpr uint32_t kStackBytes = 16 << 10;
constexpr size_t kData = 128 << 10;  // of a ring: room for seven samples with stacks

constexpr double kGolden = 1.618033988749895;  // 1 / kGolden + 1 / (kGolden * kGolden) = 1

UniqueFd open_clock(pid_t tid, double period, bool stack, bool with_kernel) {
  perf_event_attr attr{};
  attr.type = PERF_TYPE_SOFTWARE;
  attr.size = sizeof attr;
  attr.config = PERF_COUNT_SW_TASK_CLOCK;
  attr.sample_period = static_cast<uint64_t>(period);
  attr.sample_type = PERF_SAMPLE_REGS_USER | (stack ? PERF_SAMPLE_STACK_USER : 0);
  attr.sample_regs_user = kPerfRegisters;
  attr.sample_stack_user = stack ? kStackBytes : 0;
  attr.exclude_kernel = !with_kernel;
  attr.exclude_hv = 1;
  attr.wakeup_events = 1;
  return UniqueFd(static_cast<int>(syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC)));
}

struct Words {
  const uint8_t *at, *end;
  uint64_t next() {
    uint64_t word = 0;
    if (end - at < static_cast<ptrdiff_t>(sizeof word)) return 0;
    std::memcpy(&word, at, sizeof word);
    at += sizeof word;
    return word;
  }
};

/// False: the thread has no user code, because it is ending.
bool parse(Words words, Sample& sample) {
  if (words.next() == PERF_SAMPLE_REGS_ABI_NONE) return false;
  std::array<uint64_t, std::popcount(kPerfRegisters)> registers;
  for (uint64_t& one : registers) one = words.next();
  sample.registers = registers_of_perf(registers);
  const uint64_t room = std::min<uint64_t>(words.next(), static_cast<uint64_t>(words.end - words.at));
  Words behind{words.at + room, words.end};
  const uint64_t valid = std::min(room, room != 0 ? behind.next() : 0);
  sample.stack = {machine::sp(sample.registers), {words.at, words.at + valid}};
  return true;
}

}  // namespace

bool StackCopy::read(uint64_t address, void* to, size_t length) const {
  if (address < start || address - start > bytes.size() || length > bytes.size() - (address - start)) return false;
  std::memcpy(to, bytes.data() + (address - start), length);
  return true;
}

void StackCopy::put_over(uint64_t address, void* to, size_t length) const {
  const uint64_t from = std::max(address, start), end = std::min(address + length, start + bytes.size());
  if (from < end) std::memcpy(static_cast<uint8_t*>(to) + (from - address), bytes.data() + (from - start), end - from);
}

void PerfClock::Unmap::operator()(void* ring) const { munmap(ring, kPage + kData); }

std::optional<PerfClock> PerfClock::start(pid_t tid, uint64_t period, bool stack) {
  const double fast = kGolden * static_cast<double>(period);
  bool sees_kernel = true;
  UniqueFd fd = open_clock(tid, fast, stack, true);
  if (!fd) fd = open_clock(tid, fast, stack, sees_kernel = false);
  UniqueFd slow = open_clock(tid, kGolden * fast, stack, sees_kernel);
  if (!fd || !slow) return std::nullopt;
  void* ring = mmap(nullptr, kPage + kData, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (ring == MAP_FAILED) return std::nullopt;
  PerfClock clock(std::move(fd), std::move(slow), ring, sees_kernel);
  if (ioctl(clock.slow_.get(), PERF_EVENT_IOC_SET_OUTPUT, clock.fd_.get()) != 0) return std::nullopt;
  return clock;
}

void PerfClock::copy(uint64_t from, void* to, size_t length) const {
  const auto* data = static_cast<const uint8_t*>(ring_.get()) + kPage;
  const size_t at = from % kData, first = std::min(length, kData - at);
  std::memcpy(to, data + at, first);
  std::memcpy(static_cast<uint8_t*>(to) + first, data, length - first);
}

uint64_t PerfClock::drain(const std::function<void(const Sample& sample)>& visit) {
  auto& control = *static_cast<perf_event_mmap_page*>(ring_.get());
  const uint64_t head = std::atomic_ref(control.data_head).load(std::memory_order_acquire);  // pairs with the kernel's
  uint64_t lost = 0;
  std::vector<uint8_t> record;
  for (uint64_t tail = control.data_tail; tail < head;) {
    perf_event_header header;
    copy(tail, &header, sizeof header);
    record.resize(std::max<size_t>(header.size, sizeof header));
    copy(tail, record.data(), record.size());
    tail += record.size();
    std::atomic_ref(control.data_tail).store(tail, std::memory_order_release);
    Words words{record.data() + sizeof header, record.data() + record.size()};
    Sample sample;
    if (header.type == PERF_RECORD_SAMPLE && parse(words, sample)) visit(sample);
    if (header.type == PERF_RECORD_LOST) {
      words.next();  // the clock's id
      lost += words.next();
    }
  }
  return lost;
}

}  // namespace sonde::guard
