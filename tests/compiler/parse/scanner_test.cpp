// SPDX-License-Identifier: GPL-3.0-or-later
#include "compiler/parse/scanner.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "DParser.h"

namespace sonde {
namespace {

using P = antlr::DParser;

/// How long the first token is, if it is of that type; else -1.
int64_t length(const LexedToken& token, size_t type) {
  return token.type == type ? static_cast<int64_t>(token.end - token.begin) : -1;
}

/// | ends the first token of a description.
void expect_description(const std::string& marked) {
  const size_t end = marked.rfind('|');
  std::string text = marked;
  text.erase(end, 1);
  EXPECT_EQ(length(scan_description(text, 0), P::DESCRIPTION), static_cast<int64_t>(end)) << marked;
}

TEST(Scanner, EndsDescriptions) {
  for (const char* marked : {
           "syscall::read:entry| /pid == 1/",
           "BEGIN|{",
           "12|abc",
           "12|",
           "tick-$1|,",
           ":::|",
           "pid$target:a.out:m*[a-z]?:entry|;",
           // signs of C++ count behind a colon
           "a|<b>",
           "p::a<b, c>::d(int, char) const:entry| {",
           "p::f(int) &&|",
           "p::f|(a b",
           "p::~f|",
           "p::f<|(a b>",
           "p::operator<<(int):entry|",
           "p::operator/:entry|",
           "p::operator|/ {",
           "p::operator bool:entry|",
           "p::operator/=(int) const &:entry|",
           "p::operator()(int):entry|",
           // a backslash makes any sign a letter
           "p::\\ a\\{:entry| {",
           "\\|",
           "\\|\n",
           "p::a\\|\n",
           "p::\\(a b)| c",
           // a path is the module, with two colons behind it
           "p:/bin/ls:main:entry|",
           "1:/bin/ls::|",
           "p:|/bin/ls: {",
           "p:|/*a:b:c",
           "p:/\\ a\\;:f(int, char):entry| {",
       })
    expect_description(marked);
}

TEST(Scanner, TellsWhatIsBesideDescriptions) {
  EXPECT_EQ(length(scan_description(" \t\n,", 0), P::COMMA), 1);
  EXPECT_EQ(length(scan_description("/a/", 0), P::PREDICATE_OPEN), 1);
  EXPECT_EQ(length(scan_description("{", 0), P::LBRACE), 1);
  EXPECT_EQ(length(scan_description(";", 0), P::SEMICOLON), 1);
  EXPECT_EQ(length(scan_description("}", 0), P::OTHER), 1);
  EXPECT_EQ(length(scan_description("\xff", 0), P::OTHER), 1);
  EXPECT_EQ(length(scan_description(" \f\v", 0), antlr4::Token::EOF), 0);
}

TEST(Scanner, EndsWordsOfCode) {
  struct Row {
    const char* text;
    size_t type;
    int64_t length;
  };
  const std::vector<Row> rows = {
      {"abc.d", P::IDENTIFIER, 3},
      {"a.out`main + 1", P::IDENTIFIER, 10},
      {"libc.so.6`std`x.y", P::IDENTIFIER, 15},
      {"libstdc++.so`x", P::IDENTIFIER, 14},
      {"`jiffies", P::IDENTIFIER, 8},
      {"a`", P::IDENTIFIER, 2},
      {"a`.b", P::IDENTIFIER, 2},
      {"@", P::AGGREGATION, 1},
      {"@a1[", P::AGGREGATION, 3},
      {"@1", P::AGGREGATION, 1},
      {"$$12a-", P::MACRO, 5},
      {"$", P::MACRO, 1},
      {"0x1fUL+", P::INTEGER, 6},
      {"1e5", P::INTEGER, 3},
      {"1.5e-3f;", P::FLOATING, 7},
      {"1.e", P::FLOATING, 2},
      {"1.5e+", P::FLOATING, 3},
      {".5", P::FLOATING, 2},
      {".x", P::DOT, 1},
      {"...", P::ELLIPSIS, 3},
      {"'a\\'b'c", P::CHARACTER, 6},
      {"\"a\\\"b\"c", P::TEXT, 6},
      {"\"ab\ncd\"", P::OPEN_TEXT, 3},
      {"\"ab\\\ncd\"", P::OPEN_TEXT, 4},
      {"'ab", P::OPEN_CHARACTER, 3},
      {"'\\", P::OPEN_CHARACTER, 2},
      {"<<=1", P::SHL_ASSIGN, 3},
      {"^^=", P::XOR_XOR, 2},
      {"->", P::ARROW, 2},
      {"--->", P::DECREMENT, 2},
      {"/=", P::DIV_ASSIGN, 2},
      {"#", P::OTHER, 1},
      {"\xe2\x80\x9c", P::OTHER, 1},
      {"  ", antlr4::Token::EOF, 0},
  };
  for (const Row& row : rows) EXPECT_EQ(length(scan_code(row.text, 0), row.type), row.length) << row.text;
}

/// What an unclosed bracket is inside of does not close either; the scanner finds out once.
TEST(Scanner, TakesManyBracketsThatDoNotClose) {
  const std::string text = "p::f" + std::string(20000, '<') + "(a b";
  EXPECT_EQ(length(scan_description(text, 0), P::DESCRIPTION), 20004);
}

}  // namespace
}  // namespace sonde
