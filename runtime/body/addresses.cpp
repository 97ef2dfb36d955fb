// SPDX-License-Identifier: GPL-3.0-or-later
// Network and hardware addresses as text.
#include <arpa/inet.h>
#include <net/if_arp.h>

#include <array>

#include "runtime/body/state.h"
#include "runtime/body/subroutines.h"
#include "runtime/format/append.h"

namespace sonde {
namespace {

constexpr size_t kGroups = 8;  // of an IPv6 address
using Groups = std::array<uint16_t, kGroups>;

struct Run {
  size_t begin = 0, length = 0;
};

/// The longest run of zero groups, the first if there are several; a single group does not count.
Run zero_run(const Groups& groups) {
  Run best, here;
  for (size_t i = 0; i < kGroups; ++i) {
    if (groups[i] != 0) {
      here = {};
      continue;
    }
    if (here.length++ == 0) here.begin = i;
    if (here.length > best.length) best = here;
  }
  return best.length > 1 ? best : Run{};
}

/// Whether it is ::ffff:1.2.3.4 (mapped) or ::1.2.3.4 (compatible, which ::1 is not).
bool has_ipv4_tail(const Groups& groups, const Run& zeros) {
  return zeros.begin == 0 && (zeros.length == 6 || (zeros.length == 5 && groups[5] == 0xffff));
}

std::string ipv4_text(const uint8_t* bytes) {
  std::string text;
  append_format(text, "%u.%u.%u.%u", bytes[0], bytes[1], bytes[2], bytes[3]);
  return text;
}

/// RFC 5952. An embedded IPv4 address is shown dotted, behind its prefix if `with_prefix`.
std::string ipv6_text(const uint8_t* bytes, bool with_prefix) {
  Groups groups;
  for (size_t i = 0; i < kGroups; ++i) groups[i] = static_cast<uint16_t>(bytes[2 * i] << 8 | bytes[2 * i + 1]);
  const Run zeros = zero_run(groups);
  const bool dotted = has_ipv4_tail(groups, zeros);
  if (dotted && !with_prefix) return ipv4_text(bytes + 12);
  const size_t end = dotted ? kGroups - 2 : kGroups;
  std::string text;
  for (size_t i = 0; i < end; ++i) {
    if (zeros.length != 0 && i == zeros.begin) {
      text += "::";
      i += zeros.length - 1;
      continue;
    }
    if (!text.empty() && text.back() != ':') text += ':';
    append_format(text, "%x", groups[i]);
  }
  if (!dotted) return text;
  if (text.back() != ':') text += ':';
  return text + ipv4_text(bytes + 12);
}

std::string link_text(const uint8_t* bytes, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) append_format(text, i == 0 ? "%02x" : ":%02x", bytes[i]);
  return text;
}

/// The address of `size` bytes of D memory; null, and a fault, if they cannot all be read.
const uint8_t* address_bytes(BodyContext* context, uint64_t address, uint64_t size) {
  return sonde_may_load(context, address, size) != 0 ? reinterpret_cast<const uint8_t*>(address) : nullptr;
}

uint64_t unknown_kind(BodyContext* context) {
  sonde_fault(context, static_cast<uint64_t>(Fault::IllegalOperation), 0);
  return 0;
}

}  // namespace

extern "C" {

uint64_t sonde_fn_inet_ntoa(BodyContext* context, uint32_t, const uint64_t* argv) {
  const uint8_t* bytes = address_bytes(context, argv[0], sizeof(in_addr));
  return bytes == nullptr ? 0 : make_string(context, ipv4_text(bytes));
}

uint64_t sonde_fn_inet_ntoa6(BodyContext* context, uint32_t argc, const uint64_t* argv) {
  const bool strict = argc > 1 && static_cast<int32_t>(argv[1]) != 0;
  const uint8_t* bytes = address_bytes(context, argv[0], sizeof(in6_addr));
  return bytes == nullptr ? 0 : make_string(context, ipv6_text(bytes, strict));
}

uint64_t sonde_fn___address4(BodyContext* context, uint32_t, const uint64_t* argv) {
  return make_string(context, ipv4_text(reinterpret_cast<const uint8_t*>(argv)));
}

uint64_t sonde_fn___address6(BodyContext* context, uint32_t, const uint64_t* argv) {
  return make_string(context, ipv6_text(reinterpret_cast<const uint8_t*>(argv), false));
}

uint64_t sonde_fn_inet_ntop(BodyContext* context, uint32_t, const uint64_t* argv) {
  switch (static_cast<int32_t>(argv[0])) {
    case AF_INET: return sonde_fn_inet_ntoa(context, 1, argv + 1);
    case AF_INET6: {
      const uint64_t strict[] = {argv[1], 1};
      return sonde_fn_inet_ntoa6(context, 2, strict);
    }
    default: return unknown_kind(context);
  }
}

uint64_t sonde_fn_link_ntop(BodyContext* context, uint32_t, const uint64_t* argv) {
  const auto kind = static_cast<int32_t>(argv[0]);
  if (kind != ARPHRD_ETHER && kind != ARPHRD_INFINIBAND) return unknown_kind(context);
  const size_t size = kind == ARPHRD_ETHER ? 6 : 20;
  const uint8_t* bytes = address_bytes(context, argv[1], size);
  return bytes == nullptr ? 0 : make_string(context, link_text(bytes, size));
}

}  // extern "C"

}  // namespace sonde
