// SPDX-License-Identifier: GPL-3.0-or-later
// Which names a D text defines, and which text defines a name
#include "compiler/library/definitions.h"

#include <gmock/gmock.h>

#include <set>
#include <string>

#include "compiler/library/library.h"

namespace sonde {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::set<std::string> names(std::string_view text) {
  std::set<std::string> all;
  each_definition(text, [&](std::string_view name) { all.emplace(name); });
  return all;
}

TEST(Definitions, Structs) {
  EXPECT_THAT(names("struct __beat;"), ElementsAre("__beat", "struct __beat"));
  EXPECT_THAT(names("typedef struct beatinfo { int b_number; string b_text; } beatinfo_t;"),
              ElementsAre("beatinfo", "beatinfo_t", "struct beatinfo"));
  EXPECT_THAT(names("typedef union sigval\n{ int a; } sigval_t;"), ElementsAre("sigval", "sigval_t", "union sigval"));
}

TEST(Definitions, Typedefs) {
  EXPECT_THAT(names("typedef unsigned int uint_t;\ntypedef int *pointer;"), ElementsAre("pointer", "uint_t"));
  EXPECT_THAT(names("struct a { int x; int y; };"), ElementsAre("a", "struct a"));
}

TEST(Definitions, Inlines) {
  EXPECT_THAT(names("inline int LIMIT = 3; inline string names[int n] = n == 1 ? \"a\" : \"b\";"),
              ElementsAre("LIMIT", "names"));
  EXPECT_THAT(names("inline struct s *pointer = (struct s *)0;"), ElementsAre("pointer"));
}

TEST(Definitions, NotTranslatorsClausesOrComments) {
  EXPECT_THAT(names("translator beatinfo_t < struct __beat *B > { b_number = (int)arg0; };"), IsEmpty());
  EXPECT_THAT(names("/* typedef int no_t; */ BEGIN { x = 1; }"), IsEmpty());
  EXPECT_THAT(names("/* never closed: typedef int no_t;"), IsEmpty());
}

TEST(Library, PartsOfPlugInsComeBehindItsOwn) {
  EXPECT_EQ(part_that_defines("library_test_t"), nullptr);
  add_library_part("test.d", "typedef int library_test_t; typedef int psinfo_t;");
  ASSERT_NE(part_that_defines("library_test_t"), nullptr);
  EXPECT_EQ(part_that_defines("library_test_t")->file, "test.d");
  EXPECT_TRUE(part_that_defines("library_test_t")->foreign);
  EXPECT_EQ(part_that_defines("psinfo_t")->file, "procfs.d");
  EXPECT_FALSE(part_that_defines("psinfo_t")->foreign);
}

}  // namespace
}  // namespace sonde
