// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/process/jit_map.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "runtime/process/proc_maps.h"

namespace sonde {
namespace {

JitMap map_of(std::string_view text) {
  JitMap map(JitMapPlace{"none", 0, nullptr});
  EXPECT_EQ(map.add(text), text.size());
  return map;
}

TEST(JitMap, FindsTheFunctionThatHoldsAnAddress) {
  const JitMap map = map_of("1000 20 LazyCompile:~first a.js:1\n2000 10 second\n");
  ASSERT_NE(map.at(0x1000), nullptr);
  EXPECT_EQ(map.at(0x101f)->name, "LazyCompile:~first a.js:1");
  EXPECT_EQ(map.at(0x1020), nullptr);
  EXPECT_EQ(map.at(0x200f)->name, "second");
  EXPECT_EQ(map.at(0xfff), nullptr);
}

TEST(JitMap, LaterCodeReplacesWhatLayThere) {
  const JitMap map = map_of("1000 100 old\n1200 10 kept\n1080 100 new\n");
  EXPECT_EQ(map.at(0x1000), nullptr);
  EXPECT_EQ(map.at(0x1080)->name, "new");
  EXPECT_EQ(map.at(0x1205)->name, "kept");
}

TEST(JitMap, LeavesOutLinesThatMakeNoSense) {
  const JitMap map = map_of(
      "\nnonsense\n1000\n1000 10\n1000 0 empty\nffffffffffffffff 10 wraps\n0x3000 0x10 prefixed\n4000 10 last\n1000 10 "
      "\n");
  EXPECT_EQ(map.functions().size(), 2u);
  EXPECT_EQ(map.at(0x3000)->name, "prefixed");
  EXPECT_EQ(map.at(0x4000)->name, "last");
}

TEST(JitMap, ALineThatIsBeingWrittenWaits) {
  JitMap map(JitMapPlace{"none", 0, nullptr});
  EXPECT_EQ(map.add("1000 10 one\n2000 10 tw"), 12u);
  EXPECT_EQ(map.at(0x2000), nullptr);
}

class JitMapFile : public ::testing::Test {
 protected:
  ~JitMapFile() override { std::filesystem::remove(path); }
  void write(const std::string& text, std::ios::openmode mode = std::ios::app) { std::ofstream(path, mode) << text; }

  JitMapPlace place = *JitMapPlace::of(static_cast<uint32_t>(getpid()), false);
  std::string path = "/tmp/" + place.name;
  JitMap map{place};
};

TEST_F(JitMapFile, IsReadAsItGrows) {
  EXPECT_EQ(place.name, "perf-" + std::to_string(getpid()) + ".map");
  EXPECT_EQ(place.owner, getuid());
  EXPECT_FALSE(map.update()) << "there is none yet";
  write("1000 10 one\n2000 10 tw");
  EXPECT_TRUE(map.update());
  EXPECT_EQ(map.functions().size(), 1u);
  EXPECT_FALSE(map.update());
  write("o\n");
  EXPECT_TRUE(map.update());
  EXPECT_EQ(map.at(0x2000)->name, "two");
  std::filesystem::remove(path);
  EXPECT_FALSE(map.update());
  EXPECT_EQ(map.at(0x1000)->name, "one") << "it is kept";
}

TEST_F(JitMapFile, WrittenAnewIsReadAnew) {
  write("1000 10 one\n2000 10 two\n");
  map.update();
  write("3000 10 x\n", std::ios::trunc);
  EXPECT_TRUE(map.update());
  EXPECT_EQ(map.at(0x1000), nullptr);
  EXPECT_EQ(map.at(0x3000)->name, "x");
}

TEST_F(JitMapFile, OfAnotherUserIsNotBelieved) {
  if (getuid() != 0) GTEST_SKIP() << "only root gives files away";
  write("1000 10 one\n");
  ASSERT_EQ(chown(path.c_str(), 65534, 65534), 0);
  EXPECT_FALSE(map.update());
  EXPECT_TRUE(map.functions().empty());
}

TEST_F(JitMapFile, ALinkIsNotFollowed) {
  std::filesystem::create_symlink("/etc/passwd", path);
  EXPECT_FALSE(map.update());
}

TEST_F(JitMapFile, ALineWithoutAnEndEndsTheReading) {
  write("1000 10 one\n" + std::string(3 << 20, 'a'));
  EXPECT_TRUE(map.update());
  EXPECT_FALSE(map.update());
  EXPECT_EQ(map.functions().size(), 1u);
}

TEST(JitMapPlaces, AProcessThatIsNotThereHasNone) { EXPECT_FALSE(JitMapPlace::of(0x7fffffff, false)); }

}  // namespace
}  // namespace sonde
