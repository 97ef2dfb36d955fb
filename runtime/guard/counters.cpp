// SPDX-License-Identifier: GPL-3.0-or-later
// Counters by which a program knows that somebody traces: 16 bits of its data, 0 when nobody does
//
// A counter is raised by 1 for us, however many taps share it, and taken back when none of them is armed any more. Others
// count, too, and nothing makes the change atomic. So it is one write of two bytes, and it never steps below 0: below 0 is
// 65535, which would switch the program's probes on for ever.
#include "runtime/guard/address_space.h"

namespace sonde::guard {
namespace {

constexpr uint16_t kMost = UINT16_MAX;

}  // namespace

bool AddressSpace::is_counter(uint64_t address, const CounterPlace& place) const {
  const Mapping* mapping = mapping_of(address);
  return mapping != nullptr && mapping->writable && !mapping->shared &&
         FileId{mapping->major, mapping->minor, mapping->inode} == place.file &&
         address - mapping->start + mapping->offset == place.offset;
}

bool AddressSpace::count(uint64_t address, int by) {
  uint16_t value = 0;
  if (!read(address, &value, sizeof value)) return false;
  if (value == (by > 0 ? kMost : 0)) return by < 0;
  value = static_cast<uint16_t>(value + by);
  return write(address, &value, sizeof value);
}

size_t AddressSpace::settle_counters(const std::map<uint64_t, CounterPlace>& wanted) {
  size_t failed = 0;
  std::erase_if(raised_, [&](const auto& one) {
    const bool there = is_counter(one.first, one.second);
    if (there && wanted.contains(one.first)) return false;
    if (there && !count(one.first, -1) && !memory_.gone()) failed++;
    return true;
  });
  for (const auto& [address, place] : wanted) {
    if (raised_.contains(address)) continue;
    if (count(address, 1))
      raised_.emplace(address, place);
    else if (!memory_.gone())
      failed++;
  }
  return failed;
}

}  // namespace sonde::guard
