// SPDX-License-Identifier: GPL-3.0-or-later
// Types of a traced program and of the kernel, seen as D's.
#include "compiler/types/foreign_types.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/runtime/process/target_program.h"

namespace sonde {
namespace {

const char* const kSource = R"(
#include <unistd.h>
enum colour { RED = 3, GREEN, BLUE = -2 };
typedef struct point { short x, y; } point_t;
struct only_declared;
struct list_head { int mine; };
struct node {
  int id;
  char name[12];
  struct node *next;
  unsigned low : 3, high : 7;
  union { unsigned long whole; struct { int first, second; }; };
  point_t corners[3];
  struct only_declared *other;
  enum colour colour;
};
typedef struct node node_t;
node_t g;
struct list_head h;
int main(void) { if (write(1, "x", 1) != 1) return 1; pause(); return g.id + h.mine; }
)";

class ForeignTypesTest : public testing::Test {
 protected:
  ForeignTypesTest() : program_("typed", kSource, "-g"), pid_(program_.start()) {}

  const Member* member(const Type* type, std::string_view name) {
    for (const Member& one : type->canonical->members)
      if (one.name == name) return &one;
    return nullptr;
  }

  TargetProgram program_;
  uint32_t pid_;
  TypeTable types_{256};
  ForeignTypes foreign_{types_, [this] { return std::vector<uint32_t>{pid_}; }};
};

TEST_F(ForeignTypesTest, ARecordGetsItsMembersWhenSomebodyLooks) {
  const Type* node = foreign_.find("struct node");
  ASSERT_NE(node, nullptr);
  EXPECT_FALSE(node->complete);
  EXPECT_EQ(types_.find("struct node"), nullptr);  // the script may still define a type of that name
  ASSERT_TRUE(foreign_.complete(node));
  EXPECT_EQ(node->name, "struct node");
  EXPECT_EQ(node->size, 72u);
  ASSERT_NE(member(node, "next"), nullptr);
  EXPECT_EQ(member(node, "next")->offset, 16u);
  EXPECT_EQ(member(node, "next")->type->target, node);
  EXPECT_EQ(member(node, "name")->type->name, "char [12]");
  EXPECT_EQ(member(node, "second")->offset, member(node, "whole")->offset + 4);  // of a struct in an unnamed union
  EXPECT_EQ(member(node, "high")->bit_width, 7u);
  EXPECT_EQ(member(node, "corners")->type->canonical->size, 12u);
  EXPECT_FALSE(foreign_.complete(member(node, "other")->type->target));
}

TEST_F(ForeignTypesTest, TypedefsShareTheirRecord) {
  const Type* alias = foreign_.find("node_t");
  ASSERT_NE(alias, nullptr);
  EXPECT_EQ(alias->name, "node_t");
  EXPECT_EQ(alias->canonical, foreign_.find("struct node"));
  EXPECT_TRUE(foreign_.complete(alias));
  EXPECT_EQ(alias->size, 72u);
}

TEST_F(ForeignTypesTest, AScopeNamesTheObject) {
  EXPECT_EQ(foreign_.find("struct a.out`node"), foreign_.find("struct node"));
  EXPECT_EQ(foreign_.find("struct typed`node"), foreign_.find("struct node"));
  EXPECT_EQ(foreign_.find("struct pid" + std::to_string(pid_) + "`a.out`node"), foreign_.find("struct node"));
  EXPECT_EQ(foreign_.find("struct pid1`a.out`node"), nullptr);
  EXPECT_EQ(foreign_.find("struct nosuch.so`node"), nullptr);
  EXPECT_EQ(foreign_.find("struct nosuch"), nullptr);
  EXPECT_EQ(foreign_.find(""), nullptr);
  EXPECT_EQ(foreign_.find("`"), nullptr);
  EXPECT_EQ(foreign_.find("pid9"), nullptr);
  EXPECT_EQ(foreign_.find("pid9`"), nullptr);
}

TEST_F(ForeignTypesTest, EnumeratorsAreKnownOnceTheirEnumWasMet) {
  EXPECT_FALSE(foreign_.enumerator("GREEN"));
  ASSERT_NE(foreign_.find("enum colour"), nullptr);
  EXPECT_EQ(foreign_.enumerator("GREEN"), 4);
  EXPECT_EQ(foreign_.enumerator("BLUE"), -2);
}

TEST_F(ForeignTypesTest, WhatTheScriptOnlyDeclaresGetsTheProgramsMembers) {
  Type* declared = types_.add_record(Type::Kind::Struct, "point");
  declared->complete = false;
  ASSERT_TRUE(foreign_.complete(declared));
  EXPECT_EQ(declared->size, 4u);
  Type* unknown = types_.add_record(Type::Kind::Struct, "nosuch");
  unknown->complete = false;
  EXPECT_FALSE(foreign_.complete(unknown));
}

TEST_F(ForeignTypesTest, TheProgramComesBeforeTheKernel) {
  if (!std::filesystem::exists("/sys/kernel/btf/vmlinux")) GTEST_SKIP() << "this kernel has no BTF";
  const Type* own = foreign_.find("struct list_head");
  ASSERT_TRUE(own && foreign_.complete(own));
  EXPECT_EQ(own->size, 4u);
  const Type* kernels = foreign_.find("struct vmlinux`list_head");
  ASSERT_TRUE(kernels && foreign_.complete(kernels));
  EXPECT_EQ(kernels->size, 16u);
  const Type* task = foreign_.find("struct task_struct");
  ASSERT_TRUE(task && foreign_.complete(task));
  EXPECT_NE(member(task, "comm"), nullptr);
}

}  // namespace
}  // namespace sonde
