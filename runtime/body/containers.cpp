// SPDX-License-Identifier: GPL-3.0-or-later
// The cgroup and the container of the thread that fired, by the id in the record
#include "runtime/body/state.h"
#include "runtime/body/subroutines.h"
#include "runtime/process/cgroups.h"

namespace sonde {

extern "C" {

uint64_t sonde_fn___cgroup(BodyContext* context, uint32_t, const uint64_t* argv) {
  return make_string(context, Cgroups::of_machine().path_of(argv[0]));
}

uint64_t sonde_fn___container(BodyContext* context, uint32_t, const uint64_t* argv) {
  return make_string(context, Cgroups::of_machine().container_of(argv[0]));
}

uint64_t sonde_fn___in_cgroup(BodyContext* context, uint32_t, const uint64_t* argv) {
  return lies_in(Cgroups::of_machine().path_of(argv[0]), std::string(string_argument(context, argv[1])));
}

}  // extern "C"

}  // namespace sonde
