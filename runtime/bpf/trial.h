// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Tried before trusted: a mechanism is first armed on functions of our own
//
//   memfd: three known functions --> armed --> called 3, 5 and 7 times, from two mappings --> compared --> taken away
//
// Kernels lie. Linux 6.18 replaces a 5-byte nop under a uprobe by a call, which writes over what the program has below its
// stack pointer; older ones accept a probe on a nop with a segment prefix, and never run it. So before a mechanism is
// armed in the code of others, it is armed here, where everything is known: each call must be one hit, at once, with its
// own cookie and the registers that were there, and the function must end as it does untraced: registers, flags, vectors,
// red zone. Later, when it is taken away, the code must be what it was.
//
// The calls are made by a process that shares our memory, because a mechanism that is wrong may kill who calls. The page
// is a memfd because uprobes belong to a file: no other process has this one.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/base/unique_fd.h"
#include "runtime/bpf/trial_code.h"
#include "runtime/bpf/uprobe.h"

namespace sonde::bpf {

/// A mechanism does not do what it should.
inline Error wrong(const std::string& how) { return Error(how, EOPNOTSUPP); }

inline constexpr size_t kTrialRegisterWords = 21;  ///< of struct pt_regs

/// What a mechanism leaves at a hit, one for each cookie.
struct TrialHit {
  uint64_t count;
  uint64_t registers[kTrialRegisterWords];  ///< a struct pt_regs, of the last hit
};

/// A file with the functions, mapped twice: before something is armed, and after.
class TrialPages {
 public:
  static Result<TrialPages> create(UprobeForm form);
  TrialPages() = default;
  ~TrialPages();
  TrialPages(TrialPages&& other) noexcept { *this = std::move(other); }
  TrialPages& operator=(TrialPages&& other) noexcept;

  Result<void> map_again();
  std::string path() const;
  int fd() const { return file_.get(); }
  /// In the file: where the function begins, its instruction, and the one behind.
  size_t function(uint32_t variant) const { return variant * kStride; }
  size_t site(uint32_t variant) const { return function(variant) + codes_[variant].site; }
  size_t behind(uint32_t variant) const { return function(variant) + codes_[variant].behind; }
  /// Of the first or the second mapping.
  uint8_t* at(size_t mapping) const { return mapped_[mapping]; }
  /// Whether both mappings have the code that was put there.
  bool restored() const;

 private:
  static constexpr size_t kStride = 1024, kBytes = 4096;

  UniqueFd file_;
  std::vector<TrialCode> codes_;
  uint8_t* mapped_[2] = {};
};

/// A mechanism under trial.
class TrialMechanism {
 public:
  virtual ~TrialMechanism() = default;
  /// Arms the sites of these pages, each with the number of its function as its cookie.
  virtual Result<void> arm(const TrialPages& pages) = 0;
  /// kTrialVariants of them.
  virtual const volatile TrialHit* hits() const = 0;
  virtual void disarm() = 0;
};

/// A mechanism stays armed from run() to settle().
class Trial {
 public:
  /// Arms, calls and compares. Errors: EOPNOTSUPP, the mechanism is wrong: the text says how, as "it changes registers";
  /// others: it cannot be tried.
  Result<void> run(UprobeForm form, std::unique_ptr<TrialMechanism> mechanism);
  /// Takes the mechanism away, which may take 100 ms, and looks whether it is gone. Errors: EOPNOTSUPP. From any thread.
  Result<void> settle();

 private:
  TrialPages pages_;
  std::unique_ptr<TrialMechanism> mechanism_;
};

/// The kernel's uprobes.
std::unique_ptr<TrialMechanism> uprobe_mechanism(UprobeLink link);

}  // namespace sonde::bpf
