// SPDX-License-Identifier: MIT OR GPL-2.0-only
#include "runtime/bpf/hook_trial.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/unique_fd.h"
#include "runtime/bpf/arch.h"
#include "runtime/bpf/bpf_call.h"
#include "runtime/bpf/code.h"
#include "runtime/bpf/record_code.h"
#include "runtime/bpf/signals_wait.h"
#include "runtime/bpf/tracepoint_link.h"
#include "runtime/bpf/trial.h"

namespace sonde::bpf {
namespace {

uint64_t now(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

// ---- tracepoints -------------------------------------------------------------------------------------------------

constexpr uint64_t kMostTries = 4;  ///< of an event, on average

/// Makes event number `n`, and returns its words.
using MakeEvent = std::array<uint64_t, kHookWords> (*)(uint64_t n);

uint64_t result_of(long called) { return static_cast<uint64_t>(called == -1 ? -errno : called); }

/// A call with six arguments that change nothing. Returns its number, arguments and result.
std::array<uint64_t, kHookWords> make_call(uint64_t n) {
  std::array<uint64_t, kHookWords> all{};
  all[0] = n % 2 == 0 ? SYS_getppid : SYS_close;
  for (uint64_t word = 1; word <= kCallArguments.size(); word++) all[word] = (n * 8 + word) * 0x9e3779b97f4a7c15;
  if (all[0] == SYS_close) all[1] |= UINT32_MAX;  // no descriptor
  all[7] = result_of(syscall(static_cast<long>(all[0]), all[1], all[2], all[3], all[4], all[5], all[6]));
  return all;
}

std::array<uint64_t, kHookWords> make_return(uint64_t n) {
  const auto call = make_call(n);
  return {call[0], call[7]};
}

std::array<uint64_t, kHookWords> make_entry(uint64_t n) {
  auto call = make_call(n);
  call[7] = 0;
  return call;
}

struct TriedHook {
  Hook hook;
  uint64_t events;
  MakeEvent make;
  std::array<const char*, kHookWords> words;  ///< null: no such word
};

constexpr TriedHook kTriedHooks[] = {
    {Hook::Enter, 14, make_entry, {"call", "argument", "argument", "argument", "argument", "argument", "argument"}},
    {Hook::Exit, 14, make_return, {"call", "result"}},
};

const TriedHook* trial_of(Hook hook) {
  const auto found = std::ranges::find(kTriedHooks, hook, &TriedHook::hook);
  return found == std::end(kTriedHooks) ? nullptr : found;
}

Result<void> compare(const TriedHook& row, const KnownEvent& known, const HookHit& hit) {
  if (hit.count == 0) return wrong("it never fires");
  if (hit.count < known.made) return wrong("it loses hits, or counts them late");
  if (hit.count > known.made) return wrong("it counts hits twice");
  for (size_t word = 0; word < kHookWords; word++)
    if (row.words[word] != nullptr && hit.words[word] != known.words[word])
      return wrong("it reports another " + std::string(row.words[word]));
  return {};
}

// ---- the kernel's ------------------------------------------------------------------------------------------------

/// Goes on only in this thread. R6 = the context, R7 = the hit, which has been counted.
void begin_hit(Code& code, int map, std::vector<uint32_t>& others) {
  sonde_lower_mov(&code, R6, R1);
  call_helper(&code, BPF_FUNC_get_current_pid_tgid);
  const auto thread = static_cast<uint64_t>(getpid()) << 32 | static_cast<uint64_t>(syscall(SYS_gettid));
  sonde_lower_constant(&code, R1, thread);
  others.push_back(sonde_lower_branch(&code, BPF_JNE, R0, R1));
  sonde_lower_st(&code, BPF_W, FP, -4, 0);
  load_map(&code, R1, map);
  sonde_lower_mov(&code, R2, FP);
  sonde_lower_alu_imm(&code, BPF_ADD, R2, -4);
  call_helper(&code, BPF_FUNC_map_lookup_elem);
  others.push_back(sonde_lower_branch_imm(&code, BPF_JEQ, R0, 0));
  sonde_lower_mov(&code, R7, R0);
}

void store_word(Code& code, size_t word, uint8_t reg) {
  sonde_lower_stx(&code, BPF_DW, R7, reg, static_cast<int32_t>(offsetof(HookHit, words) + 8 * word));
}

std::span<const bpf_insn> end_hit(Code& code, const std::vector<uint32_t>& others) {
  sonde_lower_mov_imm(&code, R1, 1);
  sonde_lower_emit(&code, BPF_STX | BPF_ATOMIC | BPF_DW, R7, R1, offsetof(HookHit, count), BPF_ADD);
  for (const uint32_t other : others) sonde_lower_land(&code, other);
  sonde_lower_mov_imm(&code, R0, 0);
  sonde_lower_emit(&code, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
  return instructions(code);
}

/// R8 = the registers with which this thread came into the kernel.
void find_registers(Code& code) {
  call_helper(&code, BPF_FUNC_get_current_task_btf);
  sonde_lower_mov(&code, R1, R0);
  call_helper(&code, BPF_FUNC_task_pt_regs);
  sonde_lower_mov(&code, R8, R0);
}

void store_context(Code& code, size_t word, int argument) {
  sonde_lower_ldx(&code, BPF_DW, R1, R6, 8 * argument);
  store_word(code, word, R1);
}

class KernelMechanism : public HookMechanism {
 public:
  ~KernelMechanism() override {
    if (hit_ != nullptr) munmap(const_cast<HookHit*>(hit_), kBytes);
  }
  /// Reads memory: a call would be an event.
  HookHit hit() override {
    HookHit copy{hit_->count, {}};
    for (size_t word = 0; word < kHookWords; word++) copy.words[word] = hit_->words[word];
    return copy;
  }

 protected:
  Result<void> make_map() {
    auto map = create_map("trial", {BPF_MAP_TYPE_ARRAY, 4, sizeof(HookHit), 1, BPF_F_MMAPABLE});
    if (!map) return std::move(map).error();
    map_ = std::move(*map);
    void* at = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, map_.get(), 0);
    if (at == MAP_FAILED) return Error::from_errno("map what a trial counts");
    hit_ = static_cast<volatile HookHit*>(at);
    return {};
  }
  int map() const { return map_.get(); }

  UniqueFd program_, attached_;

 private:
  static constexpr size_t kBytes = 4096;
  UniqueFd map_;
  volatile HookHit* hit_ = nullptr;
};

class Tracepoint : public KernelMechanism {
 public:
  Tracepoint(Hook hook, TracepointLink link) : hook_(hook), link_(link) {}
  Result<void> arm(const KnownEvent&) override {
    if (auto made = make_map(); !made) return made;
    Code code;
    std::vector<uint32_t> others;
    begin_hit(code, map(), others);
    if (auto stored = store_words(code); !stored) return stored;
    auto program = load_program("trial", end_hit(code, others), program_type(link_));
    if (!program) return std::move(program).error();
    program_ = std::move(*program);
    auto attached = attach_hook(hook_, link_, program_.get());
    if (!attached) return std::move(attached).error();
    attached_ = std::move(*attached);
    return {};
  }
  bool missed() override {
    auto misses = recursion_misses(program_.get());
    return misses && std::exchange(misses_, *misses) < *misses;
  }
  void disarm() override { attached_.reset(); }

 private:
  virtual Result<void> store_words(Code& code) {
    find_registers(code);
    if (hook_ == Hook::Exit) {
      sonde_lower_ldx(&code, BPF_DW, R1, R8, kCallNumber);
      store_word(code, 0, R1);
      store_context(code, 1, result_word(link_));
      return {};
    }
    store_context(code, 0, kNumberWord);
    for (size_t n = 0; n < kCallArguments.size(); n++) {
      sonde_lower_ldx(&code, BPF_DW, R1, R8, kCallArguments[n]);
      store_word(code, 1 + n, R1);
    }
    return {};
  }

  Hook hook_;
  TracepointLink link_;
  uint64_t misses_ = 0;
};

class Preemption final : public Tracepoint {
 public:
  Preemption(Hook hook, KernelLayout& layout) : Tracepoint(hook, TracepointLink::Raw), layout_(layout) {}

 private:
  Result<void> store_words(Code& code) override {
    auto count = layout_.preempt_count();
    auto queue = layout_.offset("task_struct", "se.cfs_rq"), all = layout_.offset("cfs_rq", "rq");
    for (const auto* known : {&count, &queue, &all})
      if (!*known) return known->error();
    call_helper(&code, BPF_FUNC_get_current_task_btf);
    sonde_lower_ldx(&code, BPF_DW, R1, R0, *queue);
    sonde_lower_ldx(&code, BPF_DW, R3, R1, *all);
    sonde_lower_alu_imm(&code, BPF_ADD, R3, *count);
    sonde_lower_st(&code, BPF_DW, FP, -8, 0);
    sonde_lower_mov_imm(&code, R2, sizeof(uint32_t));
    sonde_lower_mov(&code, R1, FP);
    sonde_lower_alu_imm(&code, BPF_ADD, R1, -8);
    call_helper(&code, BPF_FUNC_probe_read_kernel);
    sonde_lower_ldx(&code, BPF_DW, R1, FP, -8);
    store_word(code, 0, R1);
    return {};
  }

  KernelLayout& layout_;
};

// ---- clocks ------------------------------------------------------------------------------------------------------

constexpr uint64_t kPeriod = 100'000, kClockPatience = 20'000'000;  // ns
constexpr uint64_t kHitsWanted = 3;
constexpr uint64_t kStackReach = 4096;  ///< between the loop's stack pointer and a variable of its caller
constexpr uint32_t kTurns = 100'000;

class Clock final : public KernelMechanism {
 public:
  Result<void> arm(const KnownEvent&) override {
    if (auto made = make_map(); !made) return made;
    Code code;
    std::vector<uint32_t> others;
    begin_hit(code, map(), others);
    sonde_lower_ldx(&code, BPF_DW, R1, R6, kCodeSegment);
    sonde_lower_alu_imm(&code, BPF_AND, R1, kUserMode);
    others.push_back(sonde_lower_branch_imm(&code, BPF_JEQ, R1, 0));
    store_context(code, 0, kProgramCounter / 8);
    store_context(code, 1, kStackPointer / 8);
    auto program = load_program("trial", end_hit(code, others), BPF_PROG_TYPE_PERF_EVENT);
    if (!program) return std::move(program).error();
    program_ = std::move(*program);
    perf_event_attr attr{};
    attr.type = PERF_TYPE_SOFTWARE;
    attr.size = sizeof attr;
    attr.config = PERF_COUNT_SW_CPU_CLOCK;
    attr.sample_period = kPeriod;
    attr.disabled = 1;
    attached_.reset(static_cast<int>(syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC)));
    if (!attached_) return Error::from_errno("start a clock");
    if (ioctl(attached_.get(), PERF_EVENT_IOC_SET_BPF, program_.get()) != 0 ||
        ioctl(attached_.get(), PERF_EVENT_IOC_ENABLE, 0) != 0)
      return Error::from_errno("run a program by a clock");
    return {};
  }
  void disarm() override { attached_.reset(); }
};

/// The only function of its section, so its bounds are known.
[[gnu::section("sonde_trial_loop"), gnu::noinline]] void go_round() {
  volatile uint32_t turn = 0;
  while (turn < kTurns) turn = turn + 1;
}
extern "C" const char __start_sonde_trial_loop[], __stop_sonde_trial_loop[];

}  // namespace

bool can_try(Hook hook) { return trial_of(hook) != nullptr; }

Result<void> try_hook(Hook hook, HookMechanism& mechanism) {
  const TriedHook& row = *trial_of(hook);
  const SignalsWait wait;  // a handler would make calls, and its end is one
  KnownEvent known;
  if (auto armed = mechanism.arm(known); !armed) return armed;
  uint64_t before = mechanism.hit().count;  // the call that has armed it
  uint64_t compared = 0;
  Result<void> right;
  for (uint64_t tries = 0; tries < kMostTries * row.events && compared < row.events && right; tries++) {
    known.words = row.make(compared);
    known.made++;
    HookHit hit = mechanism.hit();
    hit.count -= std::min(before, hit.count);
    if (hit.count < known.made && mechanism.missed()) {
      known.made = 0;
      before = mechanism.hit().count;
      continue;
    }
    right = compare(row, known, hit);
    compared++;
  }
  mechanism.disarm();
  if (right && compared < row.events) return Error("the kernel leaves out too many events", EBUSY);
  return right;
}

Result<void> try_keeping_cpu(Hook hook, HookMechanism& mechanism) {
  constexpr uint64_t kPreemptionOff = 0xff;
  const TriedHook& row = *trial_of(hook);
  const SignalsWait wait;
  KnownEvent known;
  if (auto armed = mechanism.arm(known); !armed) return armed;
  HookHit hit = mechanism.hit();
  const uint64_t before = hit.count;
  for (uint64_t tries = 0; tries < kMostTries * row.events && hit.count == before; tries++) {
    known.words = row.make(tries);
    known.made++;
    hit = mechanism.hit();
  }
  mechanism.disarm();
  if (hit.count == before) return Error("the kernel leaves out too many events", EBUSY);
  if ((hit.words[0] & kPreemptionOff) != 0) return {};
  return Error("a thread may lose its CPU there", EOPNOTSUPP);
}

Result<void> try_clock(HookMechanism& mechanism) {
  KnownEvent known;
  uint64_t within = 0, last = 0;
  const auto stack = reinterpret_cast<uintptr_t>(&within);
  const auto begin = reinterpret_cast<uintptr_t>(__start_sonde_trial_loop),
             end = reinterpret_cast<uintptr_t>(__stop_sonde_trial_loop);
  known.words = {begin, end, stack};
  const uint64_t wall = now(CLOCK_MONOTONIC);  // before: another thread may run between arm() and the next line
  if (auto armed = mechanism.arm(known); !armed) return armed;
  const uint64_t busy = now(CLOCK_THREAD_CPUTIME_ID);
  Result<void> right;
  while (right && within < kHitsWanted && now(CLOCK_THREAD_CPUTIME_ID) - busy < kClockPatience) {
    go_round();
    known.made++;
    const HookHit hit = mechanism.hit();
    const bool in_loop = hit.words[0] >= begin && hit.words[0] < end;
    if (hit.count > last && in_loop) within++;
    if (hit.count > last && in_loop && (hit.words[1] > stack + kStackReach || hit.words[1] + kStackReach < stack))
      right = wrong("it reports another stack pointer");
    if (hit.count > (now(CLOCK_MONOTONIC) - wall) / kPeriod + 2) right = wrong("it counts hits twice");
    last = hit.count;
  }
  mechanism.disarm();
  if (!right || within > 0) return right;
  return wrong(last == 0 ? "it never fires" : "it reports another address");
}

std::unique_ptr<HookMechanism> tracepoint_mechanism(Hook hook, TracepointLink link) {
  return std::make_unique<Tracepoint>(hook, link);
}

std::unique_ptr<HookMechanism> preemption_mechanism(Hook hook, KernelLayout& layout) {
  return std::make_unique<Preemption>(hook, layout);
}

std::unique_ptr<HookMechanism> clock_mechanism() { return std::make_unique<Clock>(); }

}  // namespace sonde::bpf
