// SPDX-License-Identifier: MIT OR GPL-2.0-only
// The programs of a hook whose fire parts are too many for one
//
//   part 0 --tail call--> part 1 --> part 2 ...        each with some columns; the last one gives the ring back
//
// The verifier's work grows faster than a program, and has a limit. A tail call keeps nothing but the context, so each
// part finds row and thread again; the ring stays taken, and its first page has the firing's time. Whether a ring is
// held, and of which level, is in the number of the program that is called: a later part is loaded once for each.
#pragma once

#include "runtime/bpf/hook_program.h"

namespace sonde::bpf {

struct LoadedHook {
  UniqueFd program;
  UniqueFd chain;  ///< the map of the later parts, which must stay open as long as the program runs; may be none
};

/// Errors: those of build_hook() and load_program().
Result<LoadedHook> load_hook(const char* name, const HookProgram& wanted, const World& world, bpf_prog_type type);

}  // namespace sonde::bpf
