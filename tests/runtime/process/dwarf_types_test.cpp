// SPDX-License-Identifier: GPL-3.0-or-later
// Debug information of a program compiled for the test: in the file, in a separate file, and damaged.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "runtime/process/c_types.h"
#include "tests/runtime/process/target_program.h"

namespace sonde {
namespace {

const char* const kSource = R"(
enum colour { RED = 3, GREEN, BLUE = -2 };
typedef struct { short x, y; } point_t;
struct only_declared;
struct node {
  int id;
  const char name[12];
  volatile struct node *next;
  unsigned low : 3, high : 7;
  int negative : 5;
  union { unsigned long whole; struct { int first, second; }; };
  point_t corners[3];
  int grid[2][3];
  struct only_declared *other;
  void (*call)(int);
  enum colour colour;
};
struct node g;
int visit(struct node *node, const char *what, enum colour colour, double weight) { return node->id + what[0] + colour + (int)weight; }
int main(void) { return visit(&g, "", RED, 1.0); }
)";

const CMember* member(const CType& type, std::string_view name) {
  for (const CMember& one : type.members)
    if (one.name == name) return &one;
  return nullptr;
}

void expect_the_program(CTypes& types) {
  auto id = types.find(CName::Struct, "node");
  ASSERT_TRUE(id);
  const CType node = types.type(*id);
  EXPECT_EQ(node.kind, CType::Kind::Struct);
  EXPECT_TRUE(node.complete);
  ASSERT_NE(member(node, "name"), nullptr);
  EXPECT_EQ(types.type(member(node, "name")->type).count, 12u);
  EXPECT_EQ(types.spelling(member(node, "next")->type), "struct node *");
  EXPECT_EQ(member(node, "high")->bit_width, 7u);
  EXPECT_EQ(member(node, "high")->bit_offset, member(node, "low")->bit_offset + 3);
  EXPECT_EQ(member(node, "negative")->bit_offset, member(node, "low")->bit_offset + 10);
  EXPECT_TRUE(types.type(member(node, "negative")->type).is_signed);
  ASSERT_NE(member(node, ""), nullptr);
  EXPECT_EQ(types.type(member(node, "")->type).kind, CType::Kind::Union);
  const CType grid = types.type(member(node, "grid")->type);
  EXPECT_EQ(grid.count, 2u);
  EXPECT_EQ(types.type(grid.target).count, 3u);
  EXPECT_EQ(types.spelling(types.type(grid.target).target), "int");
  const CType colour = types.type(member(node, "colour")->type);
  ASSERT_EQ(colour.enumerators.size(), 3u);
  EXPECT_EQ(colour.enumerators[1].name, "GREEN");
  EXPECT_EQ(colour.enumerators[1].value, 4);
  EXPECT_EQ(colour.enumerators[2].value, -2);
  EXPECT_TRUE(types.find(CName::Typedef, "point_t"));
  EXPECT_FALSE(types.find(CName::Typedef, "nosuch_t"));
  auto declared = types.find(CName::Struct, "only_declared");
  ASSERT_TRUE(declared);
  EXPECT_FALSE(types.type(*declared).complete);
  auto visit = types.function("visit");
  ASSERT_TRUE(visit);
  ASSERT_EQ(visit->parameters.size(), 4u);
  EXPECT_EQ(types.spelling(visit->parameters[1].type), "char *");
  EXPECT_EQ(visit->parameters[2].name, "colour");
  EXPECT_EQ(types.type(visit->parameters[3].type).kind, CType::Kind::Float);
}

TEST(DwarfTypes, DescribesAProgram) {
  for (const char* version : {"-gdwarf-3", "-gdwarf-4", "-gdwarf-5", "-gdwarf-4 -fdebug-types-section"}) {
    SCOPED_TRACE(version);
    TargetProgram program("typed", kSource, version);
    auto types = read_dwarf(program.path());
    ASSERT_TRUE(types);
    expect_the_program(**types);
  }
}

/// The form of an enumerator's value says as little about its sign as that of any other number.
TEST(DwarfTypes, AnEnumHasTheSignOfItsValues) {
  for (const char* version : {"-gdwarf-3 -gstrict-dwarf", "-gdwarf-4", "-gdwarf-5"}) {
    SCOPED_TRACE(version);
    TargetProgram program("enums",
                          "enum large { MIDDLE = 200, LARGE = 0x80000000U } a; enum negative { MINUS = -1, PLUS = 1 } "
                          "b; int main(void) { return a + b; }",
                          version);
    auto types = read_dwarf(program.path());
    ASSERT_TRUE(types);
    const CType large = (*types)->type(*(*types)->find(CName::Enum, "large"));
    EXPECT_FALSE(large.is_signed);
    EXPECT_EQ(large.enumerators.at(0).value, 200);
    EXPECT_EQ(large.enumerators.at(1).value, 0x80000000);
    const CType negative = (*types)->type(*(*types)->find(CName::Enum, "negative"));
    EXPECT_TRUE(negative.is_signed);
    EXPECT_EQ(negative.enumerators.at(0).value, -1);
  }
}

TEST(DwarfTypes, DebugInformationMayLieApart) {
  TargetProgram program("typed", kSource, "-g");
  const std::string file = program.path(), apart = file + ".debug";
  ASSERT_EQ(std::system(("objcopy --only-keep-debug " + file + " " + apart + " && strip -g " + file + " && cd " +
                         std::filesystem::path(file).parent_path().string() +
                         " && objcopy --add-gnu-debuglink=typed.debug typed")
                            .c_str()),
            0);
  auto types = read_dwarf(file);
  ASSERT_TRUE(types);
  expect_the_program(**types);
}

TEST(DwarfTypes, SaysWhenThereIsNone) {
  TargetProgram program("bare", "int main(void) { return 0; }");
  auto types = read_dwarf(program.path());
  ASSERT_FALSE(types);
  EXPECT_NE(types.error().message().find("no debug information"), std::string::npos);
  EXPECT_FALSE(read_dwarf("/nosuch/file"));
}

/// Visits everything that a name leads to, within `budget`.
void look_at_everything(CTypes& types, CTypeId id, int& budget) {
  if (--budget < 0) return;
  const CType type = types.type(id);
  types.spelling(id);
  if (type.target != id) look_at_everything(types, type.target, budget);
  for (const CMember& one : type.members) look_at_everything(types, one.type, budget);
}

TEST(DwarfTypes, DamageGivesLessButNeverACrash) {
  TargetProgram program("damaged", kSource, "-g");
  std::ifstream file(program.path(), std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::string copy = program.path() + ".copy";
  std::mt19937 random(4);
  for (int round = 0; round < 100; ++round) {
    std::string bytes = whole;
    const size_t begin = round % 4 == 0 ? 0 : bytes.size() / 3;  // debug information comes after code and data
    for (uint32_t i = 0, damages = 1 + random() % 24; i < damages; ++i)
      bytes[begin + random() % (bytes.size() - begin)] = static_cast<char>(random());
    if (round % 9 == 0) bytes.resize(random() % bytes.size());
    std::ofstream(copy, std::ios::binary) << bytes;
    auto types = read_dwarf(copy);
    if (!types) continue;
    for (auto [what, name] : {std::pair{CName::Struct, "node"}, {CName::Typedef, "point_t"}, {CName::Enum, "colour"}}) {
      int budget = 2000;
      if (auto id = (*types)->find(what, name)) look_at_everything(**types, *id, budget);
    }
    (*types)->function("visit");
  }
}

}  // namespace
}  // namespace sonde
