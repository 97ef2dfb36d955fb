// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "kmod/shared/record.h"
#include "runtime/base/result.h"
#include "runtime/base/unique_fd.h"

namespace sonde {

inline constexpr uint64_t kRingBytesMin = 4096;
inline constexpr uint64_t kRingBytesMax = uint64_t{1} << 30;

/// A ring mapped into our address space; unmapped by the destructor. Its size was checked against the mapping once and
/// is kept here, because the copy in the shared page may change.
class MappedRing {
 public:
  MappedRing() = default;
  MappedRing(MappedRing&& other) noexcept;
  MappedRing& operator=(MappedRing&& other) noexcept;
  ~MappedRing();

  sonde_ring* get() const { return ring_; }
  sonde_ring& operator*() const { return *ring_; }
  sonde_ring* operator->() const { return ring_; }
  explicit operator bool() const { return ring_ != nullptr; }

  /// Bytes of data, a power of two.
  uint64_t data_bytes() const { return data_bytes_; }

 private:
  friend Result<MappedRing> map_ring(int fd, uint64_t offset);
  friend Result<MappedRing> create_ring(uint64_t bytes, uint32_t writer);
  MappedRing(sonde_ring* ring, uint64_t data_bytes) : ring_(ring), data_bytes_(data_bytes) {}

  sonde_ring* ring_ = nullptr;
  uint64_t data_bytes_ = 0;
};

struct RingFile {
  UniqueFd fd;
  MappedRing ring;
};

/// Makes an empty ring of at least `bytes` of data (rounded up to a power of two, 4 KiB to 1 GiB), which only this
/// process writes and reads. `writer` goes into the ring's header. Errors: EINVAL too large; those of mmap(2).
Result<MappedRing> create_ring(uint64_t bytes, uint32_t writer = 0);

/// The same for a ring that two processes share: it is in a memfd that is sealed against resizing.
/// Errors: EINVAL too large; those of memfd_create(2), ftruncate(2), mmap(2).
Result<RingFile> create_ring_memfd(uint64_t bytes, uint32_t writer = 0);

/// Maps the ring in `fd` (borrowed; the mapping outlives it). Trusts nothing in it.
/// A memfd must be sealed against shrinking, or its owner could kill us by SIGBUS. A device has no seals and no size:
/// its ring begins at `offset` and has the size that its header states.
/// Errors: EINVAL not a ring, not sealed or the size is wrong; those of fstat(2), mmap(2).
Result<MappedRing> map_ring(int fd, uint64_t offset = 0);

}  // namespace sonde
