// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/process/rseq.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/runtime/process/target_program.h"

namespace sonde {
namespace {

/// Two sequences, in the code of a function and in a section of their own; the first bytes of each are a word to look for.
constexpr char kSequences[] = R"(
asm(".pushsection .text\n"
    "first: .quad 0x1122334455667788\n"
    "first_end: ret\n"
    ".balign 64\n"
    "second: .quad 0x1122334455667788, 0\n"
    "second_end: ret\n"
    ".popsection\n"
    ".pushsection __rseq_cs, \"aw\"\n"
    ".balign 32\n"
    ".long 0, 0\n .quad first, first_end - first, first_end\n"
    ".long 0, 0\n .quad second, second_end - second, second_end\n"
    ".popsection\n");
int main(void) { return 0; }
)";

struct Kind {
  const char* options;
  bool by_loader;  ///< the program may lie anywhere: the loader writes the addresses
};

/// Some linkers leave the addresses in the section, too. Takes them out.
void forget_addresses(const std::string& path) {
  const std::string section = path + ".section";
  ASSERT_EQ(std::system(("objcopy --dump-section __rseq_cs=" + section + " " + path).c_str()), 0);
  std::fstream file(section, std::ios::binary | std::ios::in | std::ios::out);
  for (const int place : {8, 40}) file.seekp(place).write("\0\0\0\0\0\0\0\0", 8);
  file.close();
  ASSERT_TRUE(file.good());
  ASSERT_EQ(std::system(("objcopy --update-section __rseq_cs=" + section + " " + path).c_str()), 0);
}

class Rseq : public testing::TestWithParam<Kind> {};

TEST_P(Rseq, SequencesAreWhereTheFileHasTheirCode) {
  const TargetProgram program("sequences", kSequences, GetParam().options);
  if (GetParam().by_loader) forget_addresses(program.path());
  const auto found = restartable_sequences(program.path());
  ASSERT_EQ(found.size(), 2u);
  std::ifstream file(program.path(), std::ios::binary);
  for (const CodeRange& range : found) {
    uint64_t word = 0;
    file.seekg(static_cast<std::streamoff>(range.begin));
    file.read(reinterpret_cast<char*>(&word), sizeof word);
    EXPECT_EQ(word, 0x1122334455667788u);
  }
  EXPECT_EQ(found[0].end - found[0].begin, 8u);
  EXPECT_EQ(found[1].end - found[1].begin, 16u);
  EXPECT_TRUE(found[0].contains(found[0].begin));
  EXPECT_FALSE(found[0].contains(found[0].end));
}

INSTANTIATE_TEST_SUITE_P(Kinds, Rseq,
                         testing::Values(Kind{"-no-pie", false}, Kind{"-pie -fPIE", true},
                                         Kind{"-shared -fPIC", true}));

TEST(RseqOfOthers, AreNone) {
  EXPECT_TRUE(restartable_sequences("/proc/self/exe").empty());
  EXPECT_TRUE(restartable_sequences("/nowhere").empty());
}

}  // namespace
}  // namespace sonde
