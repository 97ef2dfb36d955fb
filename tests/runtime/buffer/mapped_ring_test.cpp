// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/buffer/mapped_ring.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <utility>

#include "tests/runtime/buffer/ring_support.h"

namespace sonde::test {
namespace {

TEST(MappedRing, RoundsItsSizeUp) {
  EXPECT_EQ(make_ring(1).ring.data_bytes(), kRingBytesMin);
  EXPECT_EQ(make_ring(4096).ring.data_bytes(), 4096u);
  EXPECT_EQ(make_ring(4097).ring.data_bytes(), 8192u);
  EXPECT_EQ(make_ring(5 << 20).ring.data_bytes(), 8u << 20);
  EXPECT_FALSE(create_ring_memfd(kRingBytesMax + 1));
  EXPECT_EQ(create_ring(4097)->data_bytes(), 8192u);
  EXPECT_FALSE(create_ring(kRingBytesMax + 1));
}

TEST(MappedRing, HasAHeader) {
  const RingFile file = make_ring(4096, 3);
  EXPECT_EQ(file.ring->magic, SONDE_RING_MAGIC);
  EXPECT_EQ(file.ring->writer, 3u);
  EXPECT_EQ(file.ring->low_water, SONDE_IDLE);
  EXPECT_EQ(file.ring->head, 0u);
  const MappedRing own = *create_ring(4096, 3);
  EXPECT_EQ(std::memcmp(own.get(), file.ring.get(), SONDE_RING_DATA), 0);
}

TEST(MappedRing, TwoMappingsAreOneRing) {
  RingFile file = make_ring(4096);
  auto other = map_ring(file.fd.get());
  ASSERT_TRUE(other);
  file.fd.reset();
  file.ring->head = 8;
  EXPECT_EQ((*other)->head, 8u);
  const MappedRing moved = std::move(*other);
  EXPECT_FALSE(*other);
  EXPECT_EQ(moved.data_bytes(), 4096u);
}

TEST(MappedRing, CannotBeShrunk) {
  const RingFile file = make_ring(4096);
  EXPECT_LT(::ftruncate(file.fd.get(), 0), 0);
}

TEST(MappedRing, RefusesWhatIsNoRing) {
  const auto refused = [](uint64_t magic, uint64_t size, off_t file_bytes, int seals) {
    const UniqueFd fd(::memfd_create("test", MFD_ALLOW_SEALING));
    sonde_ring header = {};
    header.magic = magic;
    header.size = size;
    EXPECT_EQ(::pwrite(fd.get(), &header, sizeof header, 0), static_cast<ssize_t>(sizeof header));
    EXPECT_EQ(::ftruncate(fd.get(), file_bytes), 0);
    EXPECT_EQ(::fcntl(fd.get(), F_ADD_SEALS, seals), 0);
    return !map_ring(fd.get()).has_value();
  };
  EXPECT_FALSE(refused(SONDE_RING_MAGIC, 8192, 4096 + 8192, F_SEAL_SHRINK));
  EXPECT_TRUE(refused(1, 8192, 4096 + 8192, F_SEAL_SHRINK));
  EXPECT_TRUE(refused(SONDE_RING_MAGIC, 8191, 4096 + 8192, F_SEAL_SHRINK));
  EXPECT_TRUE(refused(SONDE_RING_MAGIC, 0, 4096 + 8192, F_SEAL_SHRINK));
  EXPECT_TRUE(refused(SONDE_RING_MAGIC, 2048, 4096 + 8192, F_SEAL_SHRINK));
  EXPECT_TRUE(refused(SONDE_RING_MAGIC, 8192, 4096 + 8191, F_SEAL_SHRINK));
  EXPECT_TRUE(refused(SONDE_RING_MAGIC, 1ull << 40, 4096 + 8192, F_SEAL_SHRINK));
  EXPECT_TRUE(refused(SONDE_RING_MAGIC, 8192, 4095, F_SEAL_SHRINK));
  EXPECT_TRUE(refused(SONDE_RING_MAGIC, 8192, 4096 + 8192, 0)) << "not sealed";
  EXPECT_FALSE(map_ring(-1));
}

}  // namespace
}  // namespace sonde::test
