// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/guard/interpreters.h"

#include <algorithm>

namespace sonde::guard {
namespace {

// valgrind's are named after its tools: /usr/libexec/valgrind/memcheck-amd64-linux ... qemu-user maps its program without
// the right to execute it, and needs no row.
constexpr Interpreter kInterpreters[] = {
    {"valgrind", "/valgrind/", "", "-linux"},
    {"DynamoRIO", "", "libdynamorio.so", ""},
    {"Pin", "", "pinbin", ""},
};

}  // namespace

bool Interpreter::is_own(std::string_view path) const {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  return path.find(folder) != std::string_view::npos && file.starts_with(name_begins) && file.ends_with(name_ends);
}

const Interpreter* interpreter_in(std::span<const Mapping> mappings) {
  for (const Interpreter& one : kInterpreters)
    if (std::ranges::any_of(mappings, [&](const Mapping& m) { return m.executable && one.is_own(m.path); }))
      return &one;
  return nullptr;
}

}  // namespace sonde::guard
