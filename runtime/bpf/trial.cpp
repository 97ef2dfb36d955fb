// SPDX-License-Identifier: MIT OR GPL-2.0-only
#include "runtime/bpf/trial.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <thread>

#include "runtime/bpf/apart.h"
#include "runtime/bpf/bpf_call.h"

namespace sonde::bpf {
namespace {

constexpr uint32_t kCalls[kTrialVariants] = {3, 5, 7};
constexpr uint32_t kAllCalls = 3 + 5 + 7, kMappings = 2;

/// One call of a function, and what there was behind it.
struct Call {
  const uint8_t* code;
  uint32_t variant;
  TrialState state;
  TrialHit hits[kTrialVariants];
};

struct Calls {
  const volatile TrialHit* hits;
  Call* first;
  uint32_t count;
  uint32_t done;
};

/// In a process of its own: calls nothing else.
void make_calls(void* argument) {
  auto& calls = *static_cast<Calls*>(argument);
  for (calls.done = 0; calls.done < calls.count; calls.done++) {
    Call& call = calls.first[calls.done];
    call_trial_code(call.code, &call.state);
    if (calls.hits == nullptr) continue;
    for (uint32_t n = 0; n < kTrialVariants; n++) {
      call.hits[n].count = calls.hits[n].count;
      for (size_t word = 0; word < kTrialRegisterWords; word++)
        call.hits[n].registers[word] = calls.hits[n].registers[word];
    }
  }
}

/// Every bit of a register is 0 in some call and 1 in another, and no two registers have the same value.
uint64_t pattern(uint64_t call, uint64_t word) {
  const uint64_t value = (call * 64 + word + 1) * 0x9e3779b97f4a7c15;
  return call % 2 == 0 ? value : ~value;
}

void prepare(Call& call, const TrialPages& pages, uint32_t number, size_t mapping, uint32_t variant) {
  call = Call{};
  call.code = pages.at(mapping) + pages.function(variant);
  call.variant = variant;
  constexpr uint64_t kAlways = 0x202;
  call.state.before[0] = (pattern(number, 0) & kTrialFlags) | kAlways;
  if (number % 5 == 0) call.state.before[0] = kTrialFlags | kAlways;
  if (number % 5 == 1) call.state.before[0] = kAlways | 0x40;
  for (size_t word = 1; word < kTrialWords; word++) call.state.before[word] = pattern(number, word);
  for (size_t word = 0; word < 2 * kTrialVectors; word++) call.state.vectors_before[word] = pattern(number, 64 + word);
  call.state.after[0] = reinterpret_cast<uintptr_t>(pages.at(mapping) + pages.behind(variant));
}

std::vector<Call> prepare_all(const TrialPages& pages, uint32_t mappings, bool as_first) {
  std::vector<Call> calls(kAllCalls * mappings);
  uint32_t n = 0;
  for (uint32_t mapping = 0; mapping < mappings; mapping++)
    for (uint32_t round = 0; round < *std::ranges::max_element(kCalls); round++)
      for (uint32_t variant = 0; variant < kTrialVariants; variant++)
        if (round < kCalls[variant]) prepare(calls[n], pages, n % kAllCalls, as_first ? 0 : mapping, variant), n++;
  return calls;
}

/// A word that is an address in the code is another one in the second mapping.
bool is_same(uint64_t is, uint64_t wanted, uint64_t moved) { return is == wanted || is == wanted + moved; }

template <size_t count>
bool are_same(const uint64_t (&is)[count], const uint64_t (&wanted)[count], uint64_t moved) {
  return std::equal(is, is + count, wanted, [moved](uint64_t a, uint64_t b) { return is_same(a, b, moved); });
}

Result<void> compare_state(const Call& call, const Call& untraced) {
  const auto moved = static_cast<uint64_t>(call.code - untraced.code);
  const TrialState& is = call.state;
  const TrialState& wanted = untraced.state;
  if (!are_same(is.before, wanted.before, moved)) return wrong("it writes over the red zone");
  if (is.after[0] != wanted.after[0]) return wrong("it changes flags");
  if (!are_same(is.after, wanted.after, moved)) return wrong("it changes registers");
  if (!std::ranges::equal(is.vectors_after, wanted.vectors_after)) return wrong("it changes vector registers");
  return {};
}

uint64_t word_at(const TrialHit& hit, size_t offset) { return hit.registers[offset / sizeof(uint64_t)]; }

/// The registers that the mechanism shows at the hit. `given`: the state as it was before.
Result<void> compare_hit(const Call& call, const Call& given, const TrialPages& pages) {
  const TrialHit& hit = call.hits[call.variant];
  const auto place = reinterpret_cast<uintptr_t>(call.code + pages.site(call.variant) - pages.function(call.variant));
  if (word_at(hit, kTrialPlace) != place) return wrong("it reports another address");
  if (word_at(hit, kTrialStack) != reinterpret_cast<uintptr_t>(&call.state.after[0]))
    return wrong("it reports another stack pointer");
  if (((word_at(hit, kTrialRegisters[0]) ^ given.state.before[0]) & kTrialFlags) != 0)
    return wrong("it reports other flags");
  for (size_t word = 1; word < kTrialWords; word++)
    if (word_at(hit, kTrialRegisters[word]) != given.state.before[word]) return wrong("it reports other registers");
  return {};
}

/// Each call so far is a hit of its own cookie, which was counted when the function returned.
Result<void> compare_counts(const Call& call, const uint64_t (&wanted)[kTrialVariants]) {
  uint64_t is = 0, all = 0;
  bool same = true;
  for (uint32_t n = 0; n < kTrialVariants; n++) {
    is += call.hits[n].count;
    all += wanted[n];
    same &= call.hits[n].count == wanted[n];
  }
  if (same) return {};
  if (is == all) return wrong("it mixes cookies up");
  if (is == 0) return wrong("it accepts probes that never fire");
  return wrong(is < all ? "it loses hits, or counts them late" : "it counts hits twice");
}

Result<void> make(std::vector<Call>& calls, const volatile TrialHit* hits) {
  Calls all{hits, calls.data(), static_cast<uint32_t>(calls.size()), 0};
  const int status = run_apart(make_calls, &all);
  if (status < 0) return Error::from_errno("try a probe");
  if (WIFSIGNALED(status))
    return wrong(WTERMSIG(status) == SIGKILL ? "it makes a program hang"
                                             : "it kills a program by signal " + std::to_string(WTERMSIG(status)));
  SONDE_CHECK(all.done == all.count);
  return {};
}

/// A program that counts hits and copies their registers.
std::vector<bpf_insn> counting_program(int map) {
  const auto insn = [](uint8_t code, uint8_t dst, uint8_t src, int16_t off, int32_t imm) {
    return bpf_insn{code, static_cast<uint8_t>(dst & 15), static_cast<uint8_t>(src & 15), off, imm};
  };
  constexpr uint8_t kLoad = BPF_LDX | BPF_MEM | BPF_DW, kStore = BPF_STX | BPF_MEM | BPF_DW,
                    kMove = BPF_ALU64 | BPF_MOV | BPF_X;
  std::vector<bpf_insn> all = {
      insn(kMove, BPF_REG_6, BPF_REG_1, 0, 0),
      insn(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_get_attach_cookie),
      insn(BPF_STX | BPF_MEM | BPF_W, BPF_REG_10, BPF_REG_0, -4, 0),
      insn(kMove, BPF_REG_2, BPF_REG_10, 0, 0),
      insn(BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_2, 0, 0, -4),
      insn(BPF_LD | BPF_DW | BPF_IMM, BPF_REG_1, BPF_PSEUDO_MAP_FD, 0, map),
      insn(0, 0, 0, 0, 0),
      insn(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem),
      insn(BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_0, 0, 2 + 2 * static_cast<int16_t>(kTrialRegisterWords), 0),
      insn(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_1, 0, 0, 1),
      insn(BPF_STX | BPF_ATOMIC | BPF_DW, BPF_REG_0, BPF_REG_1, 0, BPF_ADD),
  };
  for (int16_t word = 0; word < static_cast<int16_t>(kTrialRegisterWords); word++) {
    const auto from = static_cast<int16_t>(8 * word);
    all.push_back(insn(kLoad, BPF_REG_1, BPF_REG_6, from, 0));
    all.push_back(insn(kStore, BPF_REG_0, BPF_REG_1, static_cast<int16_t>(from + 8), 0));
  }
  all.push_back(insn(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0));
  all.push_back(insn(BPF_JMP | BPF_EXIT, 0, 0, 0, 0));
  return all;
}

class Uprobes final : public TrialMechanism {
 public:
  explicit Uprobes(UprobeLink link) : link_(link) {}
  ~Uprobes() override {
    if (hits_ != nullptr) munmap(hits_, kMapBytes);
  }

  Result<void> arm(const TrialPages& pages) override {
    auto map = create_map("trial", {BPF_MAP_TYPE_ARRAY, 4, sizeof(TrialHit), kTrialVariants, BPF_F_MMAPABLE});
    if (!map) return std::move(map).error();
    void* hits = mmap(nullptr, kMapBytes, PROT_READ, MAP_SHARED, map->get(), 0);
    if (hits == MAP_FAILED) return Error::from_errno("map the hits of a trial");
    hits_ = static_cast<TrialHit*>(hits);
    auto program = load_uprobe_program("trial", counting_program(map->get()), link_);
    if (!program) return std::move(program).error();
    program_ = std::move(*program);
    map_ = std::move(*map);
    return link_ == UprobeLink::Many ? arm_all(pages) : arm_each(pages);
  }
  const volatile TrialHit* hits() const override { return hits_; }
  void disarm() override { links_.clear(); }

 private:
  static constexpr size_t kMapBytes = 4096;

  Result<void> arm_all(const TrialPages& pages) {
    std::array<uint64_t, kTrialVariants> offsets{}, cookies{};
    for (uint32_t n = 0; n < kTrialVariants; n++) offsets[n] = pages.site(n), cookies[n] = n;
    return keep(attach_uprobes(program_.get(), pages.path(), offsets, cookies, {}));
  }
  Result<void> arm_each(const TrialPages& pages) {
    for (uint32_t n = 0; n < kTrialVariants; n++)
      if (auto done = keep(attach_one_uprobe(program_.get(), pages.path(), pages.site(n), n, 0)); !done) return done;
    return {};
  }
  Result<void> keep(Result<UniqueFd> link) {
    if (!link) return std::move(link).error();
    links_.push_back(std::move(*link));
    return {};
  }

  UprobeLink link_;
  UniqueFd map_, program_;
  TrialHit* hits_ = nullptr;
  std::vector<UniqueFd> links_;
};

/// EINVAL and the like: the kernel takes no probe there, which is honest.
Error refused(const Error& error) { return Error("the kernel refuses it (" + error.message() + ")", EOPNOTSUPP); }

}  // namespace

Result<TrialPages> TrialPages::create(UprobeForm form) {
  TrialPages pages;
  pages.file_ = UniqueFd(static_cast<int>(syscall(SYS_memfd_create, "sonde_trial", MFD_CLOEXEC)));
  if (!pages.file_ || ftruncate(pages.file_.get(), kBytes) != 0)
    return Error::from_errno("make a page to try probes on");
  for (uint32_t variant = 0; variant < kTrialVariants; variant++) {
    const TrialCode code = trial_code(form, variant);
    SONDE_CHECK(code.bytes <= kStride);
    pages.codes_.push_back(code);
    const auto at = static_cast<off_t>(pages.function(variant));
    if (pwrite(pages.file_.get(), code.begin, code.bytes, at) != static_cast<ssize_t>(code.bytes))
      return Error::from_errno("make a page to try probes on");
  }
  void* first = mmap(nullptr, kBytes, PROT_READ | PROT_EXEC, MAP_PRIVATE, pages.file_.get(), 0);
  if (first == MAP_FAILED) return Error::from_errno("map a page to try probes on");
  pages.mapped_[0] = static_cast<uint8_t*>(first);
  return pages;
}

TrialPages::~TrialPages() {
  for (uint8_t* mapped : mapped_)
    if (mapped != nullptr) munmap(mapped, kBytes);
}

TrialPages& TrialPages::operator=(TrialPages&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(codes_, other.codes_);
  std::swap(mapped_, other.mapped_);
  return *this;
}

Result<void> TrialPages::map_again() {
  void* second = mmap(nullptr, kBytes, PROT_READ | PROT_EXEC, MAP_PRIVATE, file_.get(), 0);
  if (second == MAP_FAILED) return Error::from_errno("map a page to try probes on");
  mapped_[1] = static_cast<uint8_t*>(second);
  return {};
}

std::string TrialPages::path() const { return "/proc/self/fd/" + std::to_string(file_.get()); }

bool TrialPages::restored() const {
  for (const uint8_t* mapped : mapped_)
    for (uint32_t variant = 0; mapped != nullptr && variant < codes_.size(); variant++)
      if (std::memcmp(mapped + function(variant), codes_[variant].begin, codes_[variant].bytes) != 0) return false;
  return true;
}

Result<void> Trial::run(UprobeForm form, std::unique_ptr<TrialMechanism> mechanism) {
  auto pages = TrialPages::create(form);
  if (!pages) return std::move(pages).error();
  pages_ = std::move(*pages);
  mechanism_ = std::move(mechanism);
  const std::vector<Call> given = prepare_all(pages_, kMappings, true);
  std::vector<Call> untraced = given;
  if (auto done = make(untraced, nullptr); !done) return done;
  if (auto done = mechanism_->arm(pages_); !done) return refused(done.error());
  if (auto done = pages_.map_again(); !done) return done;
  std::vector<Call> traced = prepare_all(pages_, kMappings, false);
  if (auto done = make(traced, mechanism_->hits()); !done) return done;
  uint64_t counts[kTrialVariants] = {};
  for (size_t n = 0; n < traced.size(); n++) {
    counts[traced[n].variant]++;
    if (auto done = compare_counts(traced[n], counts); !done) return done;
    if (auto done = compare_state(traced[n], untraced[n]); !done) return done;
    if (auto done = compare_hit(traced[n], given[n], pages_); !done) return done;
  }
  return {};
}

/// A child of ours that has yet to execute its program has the descriptors, too: only then they are closed.
Result<void> Trial::settle() {
  constexpr auto kPatience = std::chrono::seconds(5);
  constexpr auto kPause = std::chrono::milliseconds(2);
  if (mechanism_) mechanism_->disarm();
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!pages_.restored()) {
    if (std::chrono::steady_clock::now() > end) return wrong("it does not restore the code when it is taken away");
    std::this_thread::sleep_for(kPause);
  }
  return {};
}

std::unique_ptr<TrialMechanism> uprobe_mechanism(UprobeLink link) { return std::make_unique<Uprobes>(link); }

}  // namespace sonde::bpf
