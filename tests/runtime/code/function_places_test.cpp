// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/code/function_places.h"

#include <gmock/gmock.h>
#include <stdlib.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace sonde {
namespace {

using ::testing::SizeIs;

class Places : public ::testing::Test {
 protected:
  Places() {
    char name[] = "/tmp/sonde-places-XXXXXX";
    folder = ::mkdtemp(name);
    std::ofstream(folder + "/x.s") << R"(
      .text
      .globl two, endless
      .type two, @function
two:  test %edi, %edi
      je 1f
      ret
1:    xor %eax, %eax
      ret
      .size two, . - two
      .type endless, @function
endless: jmp endless
      .size endless, . - endless
)";
    EXPECT_EQ(std::system(("cc -nostdlib -shared -o " + library() + " " + folder + "/x.s").c_str()), 0);
  }
  ~Places() override { std::filesystem::remove_all(folder); }
  std::string library() const { return folder + "/x.so"; }
  int error(const std::string& path, std::string_view function, bool returns) {
    const auto found = places.find(path, function, returns);
    return found ? 0 : found.error().code();
  }

  std::string folder;
  FunctionPlaces places;
};

TEST_F(Places, EntryAndReturns) {
  const auto entry = places.find(library(), "two", false);
  ASSERT_TRUE(entry);
  ASSERT_THAT(entry->places, SizeIs(1));
  EXPECT_EQ(entry->places[0].offset, entry->function);
  EXPECT_EQ(entry->places[0].leave.how, SONDE_LEAVE_NONE);
  const auto returns = places.find(library(), "two", true);
  ASSERT_TRUE(returns);
  ASSERT_THAT(returns->places, SizeIs(2));
  EXPECT_EQ(returns->function, entry->function);
  EXPECT_EQ(returns->places[0].leave.how, SONDE_LEAVE_RETURN);
  EXPECT_LT(returns->places[0].offset, returns->places[1].offset);
}

TEST_F(Places, AJumpToTheEntryGoesWithIt) {
  const auto entry = places.find(library(), "endless", false);
  ASSERT_TRUE(entry);
  ASSERT_THAT(entry->places, SizeIs(2));
  EXPECT_EQ(entry->places[1].leave.how, SONDE_LEAVE_REENTER);
}

TEST_F(Places, SaysWhyThereAreNone) {
  EXPECT_EQ(error(library(), "endless", true), ENOTSUP);
  EXPECT_EQ(error(library(), "nobody", false), ENOENT);
  EXPECT_EQ(error(folder + "/none.so", "two", false), ENOENT);
  EXPECT_EQ(error(folder + "/x.s", "two", false), ENOEXEC);
}

}  // namespace
}  // namespace sonde
