// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Takes any bytes as a perf map, in two pieces; and as a symbol
 *
 *   input:  cut  map...
 */
#include <cstdint>
#include <string_view>

#include "runtime/process/demangle.h"
#include "runtime/process/jit_map.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sonde;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  JitMap map(JitMapPlace{"none", 0, nullptr});
  const size_t cut = text.empty() ? 0 : data[0] * text.size() / 256;
  const size_t used = map.add(text.substr(0, cut));
  REQUIRE(used <= cut);
  REQUIRE(used + map.add(text.substr(used)) <= text.size());

  uint64_t end = 0;
  for (const auto& [address, function] : map.functions()) {
    REQUIRE(address == function.address && function.size > 0 && !function.name.empty());
    REQUIRE(address >= end);  // functions do not overlap
    end = address + function.size;
    REQUIRE(map.at(address) == &function && map.at(end - 1) == &function);
    REQUIRE(!source_name(function.name).whole.empty());
  }
  JitMap whole(JitMapPlace{"none", 0, nullptr});
  whole.add(text);
  REQUIRE(whole.functions().size() == map.functions().size());
  return 0;
}
