// SPDX-License-Identifier: GPL-3.0-or-later
// Where a call of a function comes back, also if the function ends with a jump to another one
//
//   pthread_mutex_timedlock:  mov ..  jmp common        common:  ...  ret     <-- here
//
// A stripped library has no names for such parts, so they are found by the jumps that lead to them. Others may call them,
// too: who traces the returns must tell by the stack pointer which call it is.
#pragma once

#include <string>
#include <vector>

#include "runtime/code/function_places.h"
#include "runtime/code/instructions.h"

namespace sonde {

struct Return {
  uint64_t function;  ///< in the file: the first instruction of the part that returns
  CodePlace place;
};

struct Places {
  uint64_t entry = 0;  ///< in the file
  std::vector<Return> returns;
  std::vector<uint64_t> jumps;  ///< in the file: where the function itself ends with a jump to another one
  std::string broken;           ///< why the returns are not known; empty: they are
};

/// Errors: those of CodeFiles; ENOENT no such function.
Result<Places> places_of(CodeFiles& files, const std::string& path, std::string_view function);

/// The function whose address `function` takes, which is its entry; it may have no name. `broken`: there is not just one.
/// Errors: as places_of().
Result<Places> callback_of(CodeFiles& files, const std::string& path, std::string_view function);

/// What `function` computes from its first parameter, if it is a chain of loads, as `return thread->context->user` is.
/// Errors: as places_of(); ENOTSUP it is something else.
Result<FieldPath> field_of(CodeFiles& files, const std::string& path, std::string_view function);

}  // namespace sonde
