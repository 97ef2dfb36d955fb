// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/base/glob.h"

#include <gtest/gtest.h>

namespace sonde {
namespace {

struct Case {
  const char* pattern;
  const char* text;
  bool matches;
};

TEST(Glob, Matches) {
  const Case cases[] = {
      {"", "", true},
      {"", "anything", true},
      {"*", "", true},
      {"*", "x", true},
      {"**", "x", true},
      {"read", "read", true},
      {"read", "reads", false},
      {"read", "rea", false},
      {"read", "", false},
      {"read*", "read", true},
      {"read*", "readv", true},
      {"read*", "pread", false},
      {"*read", "pread", true},
      {"*read", "readv", false},
      {"*read*", "preadv", true},
      {"*read*", "write", false},
      {"*read*", "read", true},
      {"?", "a", true},
      {"?", "", false},
      {"?", "ab", false},
      {"r??d", "read", true},
      {"[abc]", "b", true},
      {"[abc]", "d", false},
      {"[a-z]x", "qx", true},
      {"[a-z]x", "Qx", false},
      {"[!a-z]", "Q", true},
      {"[!a-z]", "q", false},
      {"[!a-z]", "!", true},
      {"[!a]", "", false},
      {"[]a]", "]", true},
      {"[!]a]", "]", false},
      {"[a-]", "-", true},
      {"[\\]]", "]", true},
      {"[\\!a]", "!", true},
      {"[a", "[a", true},
      {"[a", "a", false},
      {"a[", "a[", true},
      {"\\*", "*", true},
      {"\\*", "x", false},
      {"\\?a", "?a", true},
      {"\\\\", "\\", true},
      {"a\\", "a\\", true},
      {"a*b*c", "abc", true},
      {"a*b*c", "a-b-b-c", true},
      {"a*b*c", "acb", false},
      {"*a*a*", "a", false},
      {"*?", "", false},
      {"*?", "ab", true},
      {"l*c.so.[0-9]", "libc.so.6", true},
      {"*aab", "aaab", true},
      {"*a?b", "aacab", false},
      {"*a?b", "aacaab", true},
      {"*[x-z]", "\xffz", true},
      {"\xff*", "\xff", true},
  };
  for (const Case& c : cases) EXPECT_EQ(Glob(c.pattern).matches(c.text), c.matches) << c.pattern << " ~ " << c.text;
}

TEST(Glob, KnowsWhatIsExact) {
  EXPECT_TRUE(Glob("").is_any());
  EXPECT_TRUE(Glob("***").is_any());
  EXPECT_TRUE(Glob("a\\*b").is_exact());
  EXPECT_EQ(Glob("a\\*b").literal(), "a*b");
  EXPECT_FALSE(Glob("a*").is_exact());
  EXPECT_FALSE(Glob("[a]").is_exact());
}

TEST(Glob, LongPatternsDoNotExplode) {
  std::string pattern, text(2000, 'a');
  for (int i = 0; i < 200; i++) pattern += "a*";
  EXPECT_FALSE(Glob(pattern + "b").matches(text));
}

}  // namespace
}  // namespace sonde
