// SPDX-License-Identifier: GPL-3.0-or-later
// Subroutines on numbers and scratch memory.
#include <endian.h>

#include <charconv>
#include <cstring>

#include "runtime/body/state.h"
#include "runtime/body/subroutines.h"
#include "runtime/process/syscall_table.h"

namespace sonde {
namespace {

constexpr uint32_t kMinorBits = 20;

}  // namespace

extern "C" {

uint64_t sonde_fn_alloca(BodyContext* context, uint32_t, const uint64_t* argv) {
  return sonde_scratch(context, argv[0]);
}

uint64_t sonde_fn_bcopy(BodyContext* context, uint32_t, const uint64_t* argv) {
  uint64_t from = argv[0], to = argv[1], size = argv[2];
  if (size == 0) return 0;
  // If an end begins in D's memory, all of it must be there.
  if (sonde_may_load(context, from, 1) == 0 || sonde_may_store(context, to, 1) == 0) return 0;
  if (size > loadable(context, from) || size > loadable(context, to)) {
    sonde_fault(context, static_cast<uint64_t>(Fault::BadSize), size);
    return 0;
  }
  std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), size);
  return 0;
}

uint64_t sonde_fn___no_stack(BodyContext* context, uint32_t, const uint64_t*) {
  return sonde_scratch(context, sizeof(StackValue));
}

uint64_t sonde_fn___ucaller(BodyContext*, uint32_t, const uint64_t* argv) {
  const auto* stack = reinterpret_cast<const StackValue*>(argv[0]);
  return stack != nullptr && stack->count > 1 ? stack->pc[1] : 0;
}

uint64_t sonde_fn___ustackdepth(BodyContext*, uint32_t, const uint64_t* argv) {
  const auto* stack = reinterpret_cast<const StackValue*>(argv[0]);
  return stack != nullptr ? stack->count : 0;
}

uint64_t sonde_fn_htons(BodyContext*, uint32_t, const uint64_t* argv) {
  return htobe16(static_cast<uint16_t>(argv[0]));
}
uint64_t sonde_fn_htonl(BodyContext*, uint32_t, const uint64_t* argv) {
  return htobe32(static_cast<uint32_t>(argv[0]));
}
uint64_t sonde_fn_htonll(BodyContext*, uint32_t, const uint64_t* argv) { return htobe64(argv[0]); }
uint64_t sonde_fn_ntohs(BodyContext*, uint32_t, const uint64_t* argv) {
  return be16toh(static_cast<uint16_t>(argv[0]));
}
uint64_t sonde_fn_ntohl(BodyContext*, uint32_t, const uint64_t* argv) {
  return be32toh(static_cast<uint32_t>(argv[0]));
}
uint64_t sonde_fn_ntohll(BodyContext*, uint32_t, const uint64_t* argv) { return be64toh(argv[0]); }

uint64_t sonde_fn___decimal(BodyContext* context, uint32_t, const uint64_t* argv) {
  const std::string_view text = string_argument(context, argv[0]);
  int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return static_cast<uint64_t>(value);
}

uint64_t sonde_fn___errno_name(BodyContext* context, uint32_t, const uint64_t* argv) {
  return make_string(context, syscall_error_name(static_cast<int>(argv[0])));
}

uint64_t sonde_fn_getmajor(BodyContext*, uint32_t, const uint64_t* argv) {
  return static_cast<uint32_t>(argv[0]) >> kMinorBits;
}

uint64_t sonde_fn_getminor(BodyContext*, uint32_t, const uint64_t* argv) {
  return static_cast<uint32_t>(argv[0]) & ((1u << kMinorBits) - 1);
}

uint64_t sonde_fn_rand(BodyContext* context, uint32_t, const uint64_t*) { return context->state->random(); }

#define SONDE_SYMBOL_FUNCTION(name, kind)                                          \
  uint64_t sonde_fn_##name(BodyContext* context, uint32_t, const uint64_t* argv) { \
    return sonde_symbol(context, SymbolValue::kind, argv[0], argv[1]);             \
  }
SONDE_SYMBOL_FUNCTION(func, Func)
SONDE_SYMBOL_FUNCTION(mod, Mod)
SONDE_SYMBOL_FUNCTION(sym, Sym)
SONDE_SYMBOL_FUNCTION(uaddr, UAddr)
SONDE_SYMBOL_FUNCTION(ufunc, UFunc)
SONDE_SYMBOL_FUNCTION(umod, UMod)
SONDE_SYMBOL_FUNCTION(usym, USym)
#undef SONDE_SYMBOL_FUNCTION

}  // extern "C"

}  // namespace sonde
