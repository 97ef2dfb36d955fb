// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/firing/texts.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace sonde {
namespace {

TEST(Texts, AreCutToTheRoomThereIs) {
  char to[8];
  EXPECT_EQ(put_text("cat", to, sizeof to), 3);
  EXPECT_STREQ(to, "cat");
  EXPECT_EQ(put_text("longer than that", to, sizeof to), 7);
  EXPECT_STREQ(to, "longer ");
  EXPECT_EQ(put_text("cat", to, 1), 0);
  EXPECT_STREQ(to, "");
  EXPECT_EQ(put_text("cat", to, 0), -1);
}

TEST(Texts, OfLinks) {
  char folder[] = "/tmp/texts-XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  const std::string link = std::string(folder) + "/link";
  ASSERT_EQ(symlink("somewhere/else", link.c_str()), 0);
  char to[32];
  EXPECT_EQ(put_link(link.c_str(), to, sizeof to), 14);
  EXPECT_STREQ(to, "somewhere/else");
  EXPECT_EQ(put_link(link.c_str(), to, 5), 4);
  EXPECT_STREQ(to, "some");
  EXPECT_EQ(put_link(folder, to, sizeof to), -1);
  unlink(link.c_str());
  rmdir(folder);
}

TEST(Texts, ArgumentsBecomeOneLine) {
  std::string text("dd\0if=/dev/zero\0\0bs=1\0\0", 23);
  text.resize(join_arguments(text.data(), text.size()));
  EXPECT_EQ(text, "dd if=/dev/zero  bs=1");
  EXPECT_EQ(join_arguments(text.data(), 0), 0u);
}

}  // namespace
}  // namespace sonde
