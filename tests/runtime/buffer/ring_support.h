// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <time.h>

#include <cstring>
#include <utility>
#include <vector>

#include "runtime/buffer/ring.h"

namespace sonde::test {

inline Nanoseconds clock_now() {
  timespec now;
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<Nanoseconds>(now.tv_sec) * 1000000000 + static_cast<Nanoseconds>(now.tv_nsec);
}

inline RingFile make_ring(uint64_t bytes, uint32_t writer = 0) {
  auto ring = create_ring_memfd(bytes, writer);
  SONDE_CHECK(ring.has_value());
  return std::move(*ring);
}

/// Writes a record of `words` slots, all with the value `mark`, into room for `max_words`.
inline bool write_record(RingWriter& writer, Nanoseconds timestamp, uint64_t mark, uint32_t words = 1,
                         uint32_t max_words = 0) {
  const auto bytes_of = [](uint32_t n) { return static_cast<uint32_t>(sizeof(sonde_record) + 8 * n); };
  sonde_record* record = writer.reserve(bytes_of(std::max(words, max_words)));
  std::memset(static_cast<void*>(record), 0, sizeof *record);
  record->size = bytes_of(words);
  record->slots = static_cast<uint16_t>(words);
  record->timestamp = timestamp;
  for (uint32_t n = 0; n < words; n++) record->slot[n] = mark;
  return writer.commit(record->size);
}

/// The marks of all records that a reader returns.
template <typename Reader>
std::vector<uint64_t> marks(Reader& reader, Nanoseconds now, bool all) {
  std::vector<uint64_t> result;
  reader.drain(now, all, [&](const sonde_record& record) { result.push_back(record.slot[0]); });
  return result;
}

}  // namespace sonde::test
