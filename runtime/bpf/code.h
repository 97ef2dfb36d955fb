// SPDX-License-Identifier: MIT OR GPL-2.0-only
// What all sources that write programs share: names of registers, code outside of fire parts
#pragma once

#include <linux/bpf.h>

#include <cstdint>
#include <span>
#include <vector>

#include "kmod/shared/lower.h"
#include "runtime/base/result.h"

namespace sonde::bpf {

using L = sonde_lowering;
using In = sonde_dif_insn;

inline constexpr uint8_t R0 = BPF_REG_0, R1 = BPF_REG_1, R2 = BPF_REG_2, R3 = BPF_REG_3, R4 = BPF_REG_4, R5 = BPF_REG_5,
                         R6 = BPF_REG_6, R7 = BPF_REG_7, R8 = BPF_REG_8, R9 = BPF_REG_9, FP = BPF_REG_10;
inline constexpr uint8_t kRing = R6, kRecord = R7;  ///< in fire parts
inline constexpr int32_t kMaxErrno = 4095;

/// Code outside of fire parts.
struct Code : sonde_lowering {
  explicit Code(uint32_t most = 128) : sonde_lowering{}, insns_(most) {
    out = insns_.data();
    room = most;
  }
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;

 private:
  std::vector<bpf_insn> insns_;
};

/// All that has been written.
inline std::span<const bpf_insn> instructions(const sonde_lowering& code) {
  SONDE_CHECK(code.count <= code.room);
  return {code.out, code.count};
}

inline void append(std::vector<bpf_insn>& all, const sonde_lowering& code) {
  const std::span<const bpf_insn> added = instructions(code);
  all.insert(all.end(), added.begin(), added.end());
}

/// Ends the program. At an event of perf, 0 says that nobody else gets it.
inline void leave(sonde_lowering* l, int32_t result = 0) {
  sonde_lower_mov_imm(l, R0, result);
  sonde_lower_emit(l, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

}  // namespace sonde::bpf
