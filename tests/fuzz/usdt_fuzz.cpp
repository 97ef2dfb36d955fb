// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Takes any bytes as the arguments of a USDT note
 *
 *   input:  flags  text...
 */
#include <cstdint>
#include <string_view>

#include "kmod/shared/locate.h"
#include "runtime/process/usdt_arguments.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sonde;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const bool in_thread = (data[0] & 1) != 0;
  const UsdtPlace place{
      0x1000, (data[0] & 2) != 0, [in_thread](std::string_view name) {
        return name.size() % 2 == 0 ? std::optional(UsdtSymbol{0x2000 + name.size(), in_thread}) : std::nullopt;
      }};
  const auto all = parse_usdt_arguments(text, place);
  REQUIRE(all.size() <= SONDE_ARGUMENTS_MAX);
  for (size_t n = 0; n < all.size(); n++) {
    const UsdtArgument& one = all[n];
    REQUIRE(one.parts.empty() != one.unknown.empty());
    uint32_t bytes = 0;
    for (const sonde_location& part : one.parts) {
      REQUIRE(part.argument == n && part.at == bytes && sonde_location_check(&part) == 0);
      bytes += part.size;
    }
    REQUIRE(bytes == 0 || bytes == sizeof(uint64_t));
  }
  return 0;
}
