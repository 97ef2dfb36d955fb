// SPDX-License-Identifier: GPL-3.0-or-later
// Every subroutine, action and variable that generated code may call: one line each, as in runtime/lang/functions.h and
// variables.h. A test checks that no row is missing.
#pragma once

#include <cstdint>

#include "runtime/body/context.h"

// Laid out by hand: clang-format does not find a stable layout for it.
// clang-format off
#define SONDE_SUBROUTINES(X) \
  X(__address4) X(__address6) X(__cgroup) X(__clock) X(__container) X(__cpu_node) X(__cpu_package) X(__cpuinfo) X(__decimal) X(__duration) X(__errno_name) X(__escaped) X(__in_cgroup) X(__no_stack) X(__seconds) X(__tail) X(__ucaller) X(__ustackdepth) X(alloca) X(basename) X(bcopy) X(cleanpath) X(dirname) X(func) \
  X(getmajor) X(getminor) X(htonl) X(htonll) X(htons) X(index) X(inet_ntoa) X(inet_ntoa6) X(inet_ntop) \
  X(link_ntop) X(lltostr) X(mod) X(ntohl) X(ntohll) X(ntohs) X(progenyof) X(rand) X(rindex) X(speculation) \
  X(strchr) X(strjoin) X(strlen) X(strrchr) X(strstr) X(strtok) X(substr) X(sym) X(uaddr) X(ufunc) X(umod) \
  X(usym)
// clang-format on

// Laid out by hand: clang-format does not find a stable layout for it.
// clang-format off
#define SONDE_ACTIONS(X) \
  X(__delay) X(__signal) X(chill) X(clear) X(commit) X(copyout) X(copyoutstr) X(denormalize) X(discard) X(exit) X(freopen) \
  X(ftruncate) X(inject) X(normalize) X(print) X(printa) X(printf) X(raise) X(setopt) X(speculate) X(stop) X(system) \
  X(trace) X(tracemem) X(trunc)
// clang-format on

#define SONDE_BODY_VARIABLES(X) \
  X(argstr) X(epid) X(probefunc) X(probemod) X(probename) X(probeprov) X(retstr) X(walltimestamp)

namespace sonde {

extern "C" {
#define SONDE_DECLARE(name) uint64_t sonde_fn_##name(BodyContext* context, uint32_t argc, const uint64_t* argv);
SONDE_SUBROUTINES(SONDE_DECLARE)
#undef SONDE_DECLARE
#define SONDE_DECLARE(name) \
  void sonde_act_##name(BodyContext* context, const ActionSite* site, uint32_t argc, const uint64_t* argv);
SONDE_ACTIONS(SONDE_DECLARE)
#undef SONDE_DECLARE
#define SONDE_DECLARE(name) uint64_t sonde_var_##name(BodyContext* context);
SONDE_BODY_VARIABLES(SONDE_DECLARE)
#undef SONDE_DECLARE

/// The body of a hidden clause at a call's entry: keeps the argument text, which argstr shows at the call's return.
int32_t sonde_remember_call(BodyContext* context);
}

}  // namespace sonde
