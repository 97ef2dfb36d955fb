// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Takes any bytes as a program; programs that the verifier accepts are run
 *
 * All memory that a program may access is in a heap block of exactly its size, so that AddressSanitizer detects an
 * access one byte beyond. The resulting record must pass the reader's check.
 *
 *   input:  flags  slots  pool_size  kinds[slots]  pool[pool_size]  insns...
 *
 * Random bytes are hardly ever a program. So, depending on the flags, an input is corrected first: operands are
 * brought into their ranges (all, or nearly all), registers get defined, the end is put in place.
 */
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "kmod/shared/dif.h"
#include "tests/fuzz/require.h"

namespace {

enum InputFlags : uint8_t { kTame = 1, kDefineRegisters = 2, kFitKinds = 4, kSecondSlotUse = 8, kWildImmediates = 16 };

/// A heap block of exactly `count` elements.
template <typename T>
std::unique_ptr<T[]> exact(std::span<const T> from) {
  std::unique_ptr<T[]> block(new T[from.size()]);
  std::copy(from.begin(), from.end(), block.get());
  return block;
}

struct Input {
  uint8_t flags = 0;
  std::vector<uint8_t> kinds;
  std::vector<uint8_t> pool;
  std::vector<sonde_dif_insn> insns;
};

std::span<const uint8_t> take(std::span<const uint8_t>& bytes, size_t n) {
  const auto taken = bytes.first(std::min(n, bytes.size()));
  bytes = bytes.subspan(taken.size());
  return taken;
}

Input parse(std::span<const uint8_t> bytes) {
  Input input;
  uint8_t head[3] = {};
  std::ranges::copy(take(bytes, sizeof head), head);
  input.flags = head[0];
  const auto kinds = take(bytes, head[1]);
  input.kinds.assign(kinds.begin(), kinds.end());
  const auto pool = take(bytes, head[2]);
  input.pool.assign(pool.begin(), pool.end());
  input.insns.resize(bytes.size() / sizeof(sonde_dif_insn));
  if (!input.insns.empty()) std::memcpy(input.insns.data(), bytes.data(), input.insns.size() * sizeof(sonde_dif_insn));
  return input;
}

int32_t tame_immediate(char letter, const sonde_dif_insn& in, size_t left) {
  const auto within = [&](uint64_t n) { return n ? static_cast<int32_t>(static_cast<uint32_t>(in.i) % n) : 0; };
  switch (letter) {
    case 'J': return within(std::min<size_t>(left, 100));
    case 'V': return within(SONDE_DIF_VAR_COUNT);
    case 'L': return within(SONDE_DIF_LOCALS);
    case 'H': return within(SONDE_DIF_THREAD);
    case 'N': return within(SONDE_DIF_ARGS);
    case 'P':
    case 'T': return within(256);
    default: break;
  }
  switch (in.op) {
    case SONDE_DIF_SX:
    case SONDE_DIF_ZX: return 8 << within(3);
    case SONDE_DIF_REG: return within(SONDE_DIF_UREGS);
    case SONDE_DIF_LDU:
    case SONDE_DIF_LDK: return 1 << within(4);
    case SONDE_DIF_LDS: return 1 << within(3);
    case SONDE_DIF_CAPTEXT: return within(SONDE_DIF_TEXT_COUNT);
    case SONDE_DIF_CAPSTACK:
    case SONDE_DIF_CAPKSTACK: return 1 + within(SONDE_DIF_MAX_FRAMES);
    case SONDE_DIF_LI: return in.i;
    default: return 1 + within(SONDE_DIF_MAX_TEXT);
  }
}

uint8_t kind_of(uint8_t op) {
  switch (op) {
    case SONDE_DIF_CAPSTR:
    case SONDE_DIF_CAPSTRN:
    case SONDE_DIF_CAPKSTR:
    case SONDE_DIF_CAPTEXT: return SONDE_SLOT_TEXT;
    case SONDE_DIF_CAPMEM:
    case SONDE_DIF_CAPKMEM: return SONDE_SLOT_BYTES;
    case SONDE_DIF_CAPSTACK: return SONDE_SLOT_STACK;
    case SONDE_DIF_CAPKSTACK: return SONDE_SLOT_KERNEL_STACK;
    default: return SONDE_SLOT_WORD;
  }
}

void tame(sonde_dif_insn& in, Input& input, unsigned& captures, size_t left) {
  const sonde_dif_insn was = in;
  in = {};
  in.op = was.op % SONDE_DIF_OP_COUNT;
  for (const char* letter = sonde_dif_op_operands(in.op); *letter; letter++) {
    if (*letter == 'a') {
      in.a = was.a % SONDE_DIF_REGISTERS;
    } else if (*letter == 'b') {
      in.b = was.b % SONDE_DIF_REGISTERS;
    } else if (*letter == 'd') {
      in.d = was.d % SONDE_DIF_REGISTERS;
    } else if (*letter == 'S') {
      const size_t slots = std::max<size_t>(input.kinds.size(), 1);
      in.d = static_cast<uint8_t>((input.flags & kSecondSlotUse ? was.d : captures++) % slots);
      if ((input.flags & kFitKinds) && in.d < input.kinds.size()) input.kinds[in.d] = kind_of(in.op);
    } else {
      const bool wild = (input.flags & kWildImmediates) && was.b > 200;
      in.i = wild ? static_cast<int8_t>(was.i) : tame_immediate(*letter, sonde_dif_insn{in.op, 0, 0, 0, was.i}, left);
    }
  }
}

void tame_all(Input& input) {
  unsigned captures = 0;
  for (uint8_t& kind : input.kinds) kind %= SONDE_SLOT_KERNEL_STACK + 1;
  for (size_t n = 0; n < input.insns.size(); n++) tame(input.insns[n], input, captures, input.insns.size() - n);
  input.insns.push_back({SONDE_DIF_RECORD, 0, 0, 0, 0});
  if (!(input.flags & kDefineRegisters)) return;
  std::vector<sonde_dif_insn> defines;
  for (uint8_t n = 0; n < SONDE_DIF_REGISTERS; n++) defines.push_back({SONDE_DIF_ARG, n, 0, 0, n % 10});
  input.insns.insert(input.insns.begin(), defines.begin(), defines.end());
}

/// A thread with deterministic answers; some of them are failures, some are too long.
int fake_read_user(void*, uint64_t address, void* to, uint32_t length) {
  if (address % 5 == 0) return -1;
  std::memset(to, static_cast<int>(address), length);
  return 0;
}

int fake_read_text(void*, uint64_t address, char* to, uint32_t max) {
  if (address % 5 == 1) return -1;
  if (address % 5 == 2) return static_cast<int>(max + address / 5 % 3);  // as snprintf() does; it wrote nothing
  const uint32_t length = static_cast<uint32_t>(address % max);
  std::memset(to, 'x', length);
  to[length] = 0;
  return static_cast<int>(length);
}

uint64_t fake_number(void*, uint32_t number) { return number * 0x9e3779b97f4a7c15ull; }

int fake_text(void* thread, uint32_t which, uint64_t operand, char* to, uint32_t max) {
  return fake_read_text(thread, operand + which, to, max);
}

int fake_stack(void* thread, uint64_t* to, uint32_t max) {
  const uint32_t frames = *static_cast<uint8_t*>(thread);
  if (frames == 255) return -1;
  std::fill_n(to, std::min(frames, max), 0x401000);
  return static_cast<int>(frames);
}

uint64_t fake_descends(void*, uint64_t pid) { return pid % 2; }

constexpr sonde_dif_env kEnv = {fake_read_user, fake_read_text, fake_number,    fake_number,    fake_descends,
                                fake_text,      fake_stack,     fake_read_user, fake_read_text, fake_stack};

void run(const sonde_dif_program& program, uint8_t seed) {
  std::vector<uint64_t> args(SONDE_DIF_ARGS), locals(SONDE_DIF_LOCALS), thread_variables(SONDE_DIF_THREAD);
  for (size_t n = 0; n < args.size(); n++) args[n] = n < 5 ? n * seed : fake_number(nullptr, seed + n);
  char execname[16] = "fuzz";
  const sonde_dif_firing firing = {&kEnv, &seed, args.data(), locals.data(), thread_variables.data(), execname};
  REQUIRE(program.record_max >= sizeof(sonde_record) + 8 && program.record_max <= SONDE_RECORD_MAX);
  std::unique_ptr<uint64_t[]> block(new uint64_t[program.record_max / 8]);
  auto* record = reinterpret_cast<sonde_record*>(block.get());
  const uint32_t size = sonde_dif_run(&program, &firing, record);
  if (size == 0) return;
  REQUIRE(size <= program.record_max && size == record->size);
  REQUIRE(sonde_record_check(record, size, program.kinds, program.slots) == 0);
}

void verify_and_run(const Input& input) {
  const auto insns = exact<sonde_dif_insn>(input.insns);
  const auto kinds = exact<uint8_t>(input.kinds);
  const auto pool = exact<uint8_t>(input.pool);
  sonde_dif_program program = {
      insns.get(), static_cast<uint32_t>(input.insns.size()), static_cast<uint32_t>(input.kinds.size()),
      pool.get(),  static_cast<uint32_t>(input.pool.size()),  0,
      kinds.get()};
  std::unique_ptr<char[]> why(new char[60]);
  const int result = sonde_dif_verify(&program, why.get(), 60);
  REQUIRE(std::memchr(why.get(), 0, 60) != nullptr);
  REQUIRE((result == 0) == (why[0] == 0) && (result == 0) == (program.record_max != 0));
  if (result == 0) run(program, input.flags);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Input input = parse({data, size});
  verify_and_run(input);
  if (input.flags & kTame) {
    tame_all(input);
    verify_and_run(input);
  }
  return 0;
}
