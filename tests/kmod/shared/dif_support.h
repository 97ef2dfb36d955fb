// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "kmod/shared/dif.h"

namespace sonde::test {

inline sonde_dif_insn insn(sonde_dif_op op, unsigned d = 0, unsigned a = 0, unsigned b = 0, int32_t i = 0) {
  return {static_cast<uint8_t>(op), static_cast<uint8_t>(d), static_cast<uint8_t>(a), static_cast<uint8_t>(b), i};
}

/// A program and the memory it points to.
struct Program {
  std::vector<sonde_dif_insn> insns;
  std::vector<uint8_t> kinds;
  std::vector<uint8_t> pool;
  sonde_dif_program raw = {};
  std::string why;

  int verify() {
    raw = {insns.data(), static_cast<uint32_t>(insns.size()), static_cast<uint32_t>(kinds.size()),
           pool.data(),  static_cast<uint32_t>(pool.size()),  0,
           kinds.data()};
    char text[200];
    const int result = sonde_dif_verify(&raw, text, sizeof text);
    why = text;
    return result;
  }
};

/// A thread of a traced program: memory at kBase, and the answers of the environment.
struct FakeThread {
  static constexpr uint64_t kBase = 0x7f0000001000;

  std::string memory = std::string(65536 * 2, '\0');
  std::map<uint32_t, uint64_t> variables;
  std::map<uint32_t, std::string> texts;
  std::vector<uint64_t> stack, kernel_stack;
  bool stack_fails = false, stack_copied = false;
  uint32_t stack_words = 0;
  std::string execname = "cat";
  uint64_t args[SONDE_DIF_ARGS] = {};
  uint64_t locals[SONDE_DIF_LOCALS] = {};
  uint64_t thread_variables[SONDE_DIF_THREAD] = {};

  bool has(uint64_t address, uint64_t length) const {
    return address >= kBase && address - kBase <= memory.size() && length <= memory.size() - (address - kBase);
  }

  void poke(uint64_t offset, const void* bytes, size_t length) { std::memcpy(memory.data() + offset, bytes, length); }
};

inline int copy_text(const std::string& text, char* to, uint32_t max) {
  const auto n = std::min<size_t>(text.size(), max - 1);
  std::memcpy(to, text.data(), n);
  to[n] = 0;
  return static_cast<int>(n);
}

inline FakeThread& fake(void* thread) { return *static_cast<FakeThread*>(thread); }

inline const sonde_dif_env& fake_env() {
  static const sonde_dif_env env = {
      .read_user =
          [](void* thread, uint64_t address, void* to, uint32_t length) {
            if (!fake(thread).has(address, length)) return -1;
            std::memcpy(to, fake(thread).memory.data() + (address - FakeThread::kBase), length);
            return 0;
          },
      .read_text =
          [](void* thread, uint64_t address, char* to, uint32_t max) {
            if (!fake(thread).has(address, 1)) return -1;
            return copy_text(fake(thread).memory.c_str() + (address - FakeThread::kBase), to, max);
          },
      .variable = [](void* thread, uint32_t variable) { return fake(thread).variables[variable]; },
      .user_register = [](void*, uint32_t number) { return uint64_t{1000} + number; },
      .descends = [](void*, uint64_t pid) { return uint64_t{pid == 7 || pid == 77 || pid == 0}; },
      .text =
          [](void* thread, uint32_t which, uint64_t operand, char* to, uint32_t max) {
            const auto found = fake(thread).texts.find(which);
            if (found == fake(thread).texts.end()) return -1;
            return copy_text(found->second + (operand ? std::to_string(operand) : ""), to, max);
          },
      .stack =
          [](void* thread, uint64_t* to, uint32_t max) {
            if (fake(thread).stack_fails) return -1;
            const size_t most = fake(thread).stack_copied ? fake(thread).stack.size() : max;
            const auto n = std::min<size_t>(fake(thread).stack.size(), most);
            std::copy_n(fake(thread).stack.begin(), n, to);
            return static_cast<int>(n);
          },
      .read_kernel = nullptr,
      .read_kernel_text = nullptr,
      .kernel_stack = nullptr,
  };
  return env;
}

/// The same with access to the kernel: a text and its bytes at kKernel.
inline constexpr uint64_t kKernel = 0xffff888000001000;
inline constexpr std::string_view kKernelText = "of the kernel";
inline const sonde_dif_env& kernel_env() {
  static const sonde_dif_env env = [] {
    sonde_dif_env sees = fake_env();
    sees.read_kernel = [](void*, uint64_t address, void* to, uint32_t length) {
      if (address < kKernel || address + length > kKernel + kKernelText.size()) return -1;
      std::memcpy(to, kKernelText.data() + (address - kKernel), length);
      return 0;
    };
    sees.read_kernel_text = [](void*, uint64_t address, char* to, uint32_t max) {
      return address == kKernel ? copy_text(std::string(kKernelText), to, max) : -1;
    };
    sees.kernel_stack = [](void* thread, uint64_t* to, uint32_t max) {
      const auto n = std::min<size_t>(fake(thread).kernel_stack.size(), max);
      std::copy_n(fake(thread).kernel_stack.begin(), n, to);
      return static_cast<int>(n);
    };
    return sees;
  }();
  return env;
}

/// The result of a run: its record, in memory of exactly record_max bytes, which was filled with a pattern before.
struct Outcome {
  uint32_t size = 0;
  std::vector<uint64_t> bytes;

  const sonde_record& record() const { return *reinterpret_cast<const sonde_record*>(bytes.data()); }
  uint64_t slot(unsigned n) const { return record().slot[n]; }
  bool faulted(unsigned n) const { return record().faults >> n & 1; }
  std::string span(unsigned n) const {
    const char* start = reinterpret_cast<const char*>(bytes.data()) + SONDE_SPAN_OFFSET(slot(n));
    return std::string(start, SONDE_SPAN_LENGTH(slot(n)));
  }
};

inline Outcome run(const Program& program, FakeThread& thread, const sonde_dif_env& env = fake_env()) {
  const sonde_dif_firing firing = {
      &env, &thread, thread.args, thread.locals, thread.thread_variables, thread.execname.c_str(), thread.stack_words};
  Outcome result;
  result.bytes.assign((program.raw.record_max + 7) / 8, 0xa5a5a5a5a5a5a5a5);
  result.size = sonde_dif_run(&program.raw, &firing, reinterpret_cast<sonde_record*>(result.bytes.data()));
  return result;
}

}  // namespace sonde::test
