// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/buffer/mapped_ring.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <new>
#include <string>
#include <utility>

namespace sonde {

namespace {

uint64_t mapping_bytes(uint64_t data_bytes) { return SONDE_RING_DATA + data_bytes; }

bool is_good_size(uint64_t bytes) {
  return std::has_single_bit(bytes) && bytes >= kRingBytesMin && bytes <= kRingBytesMax;
}

Error not_a_ring(const std::string& why) { return Error("not a ring: " + why, EINVAL); }

/// The size in the header, read once.
Result<uint64_t> size_in_header(int fd, uint64_t offset) {
  void* page = ::mmap(nullptr, SONDE_RING_DATA, PROT_READ | PROT_WRITE, MAP_SHARED, fd, static_cast<off_t>(offset));
  if (page == MAP_FAILED) return Error::from_errno("map a ring");
  auto* ring = static_cast<sonde_ring*>(page);
  const uint64_t magic = std::atomic_ref(ring->magic).load(std::memory_order_relaxed);
  const uint64_t bytes = std::atomic_ref(ring->size).load(std::memory_order_relaxed);
  ::munmap(page, SONDE_RING_DATA);
  if (magic != SONDE_RING_MAGIC) return not_a_ring("its first bytes are wrong");
  if (!is_good_size(bytes)) return not_a_ring("its size is wrong");
  return bytes;
}

/// Of an empty ring.
Result<sonde_ring> new_header(uint64_t bytes, uint32_t writer) {
  if (bytes > kRingBytesMax) return Error("a buffer has at most 1 GiB", EINVAL);
  sonde_ring header = {};
  header.magic = SONDE_RING_MAGIC;
  header.size = std::bit_ceil(std::max(bytes, kRingBytesMin));
  header.writer = writer;
  header.low_water = SONDE_IDLE;
  return header;
}

/// Whether a mapping of `bytes` of a regular file (such as a memfd) cannot be truncated.
Result<void> check_file(int fd, const struct stat& status, uint64_t bytes) {
  const int seals = ::fcntl(fd, F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) return not_a_ring("its file can shrink");
  if (static_cast<uint64_t>(status.st_size) < bytes) return not_a_ring("its file is too short");
  return {};
}

}  // namespace

MappedRing::MappedRing(MappedRing&& other) noexcept
    : ring_(std::exchange(other.ring_, nullptr)), data_bytes_(std::exchange(other.data_bytes_, 0)) {}

MappedRing& MappedRing::operator=(MappedRing&& other) noexcept {
  std::swap(ring_, other.ring_);
  std::swap(data_bytes_, other.data_bytes_);
  return *this;
}

MappedRing::~MappedRing() {
  if (ring_ != nullptr) ::munmap(ring_, mapping_bytes(data_bytes_));
}

Result<MappedRing> map_ring(int fd, uint64_t offset) {
  struct stat status = {};
  if (::fstat(fd, &status) < 0) return Error::from_errno("map a ring");
  if (S_ISREG(status.st_mode)) {
    auto header_there = check_file(fd, status, offset + SONDE_RING_DATA);
    if (!header_there) return std::move(header_there).error();
  }
  auto bytes = size_in_header(fd, offset);
  if (!bytes) return std::move(bytes).error();
  if (S_ISREG(status.st_mode)) {
    auto all_there = check_file(fd, status, offset + mapping_bytes(*bytes));
    if (!all_there) return std::move(all_there).error();
  }
  void* at = ::mmap(nullptr, mapping_bytes(*bytes), PROT_READ | PROT_WRITE, MAP_SHARED, fd, static_cast<off_t>(offset));
  if (at == MAP_FAILED) return Error::from_errno("map a ring");
  return MappedRing(static_cast<sonde_ring*>(at), *bytes);
}

/// Huge pages would be cleared whole for a ring of which a few records are used.
Result<MappedRing> create_ring(uint64_t bytes, uint32_t writer) {
  auto header = new_header(bytes, writer);
  if (!header) return std::move(header).error();
  const uint64_t size = mapping_bytes(header->size);
  void* at = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return Error::from_errno("create a ring");
  (void)::madvise(at, size, MADV_NOHUGEPAGE);
  return MappedRing(new (at) sonde_ring(*header), header->size);
}

Result<RingFile> create_ring_memfd(uint64_t bytes, uint32_t writer) {
  auto header = new_header(bytes, writer);
  if (!header) return std::move(header).error();
  UniqueFd fd(::memfd_create("sonde-ring", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd) return Error::from_errno("create a ring");
  const uint64_t needed = mapping_bytes(header->size);
  if (::ftruncate(fd.get(), static_cast<off_t>(needed)) < 0) {
    if (errno != EFBIG) return Error::from_errno("size a ring");
    return Error("a ring needs " + std::to_string(needed / 1024) +
                     " KiB, and the limit on the size of files (ulimit -f) is less",
                 EFBIG);
  }
  if (::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
    return Error::from_errno("seal a ring");
  if (::pwrite(fd.get(), &*header, sizeof *header, 0) != static_cast<ssize_t>(sizeof *header))
    return Error::from_errno("write a ring's header");
  auto ring = map_ring(fd.get());
  if (!ring) return std::move(ring).error();
  return RingFile{std::move(fd), std::move(*ring)};
}

}  // namespace sonde
