// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "compiler/types/type.h"

namespace sonde {
namespace {

TEST(TypeTable, KnowsCsIntegersInEverySpelling) {
  TypeTable types(256);
  EXPECT_EQ(types.find("long unsigned int"), types.find("unsigned long"));
  EXPECT_EQ(types.find("signed"), types.int_type());
  EXPECT_EQ(types.find("short int")->size, 2u);
  EXPECT_FALSE(types.find("unsigned char")->is_signed);
  EXPECT_EQ(types.find("nosuch"), nullptr);
}

TEST(TypeTable, TypedefsKeepTheirNameAndShareTheirCanonical) {
  TypeTable types(256);
  const Type* pid = types.find("pid_t");
  EXPECT_EQ(pid->name, "pid_t");
  EXPECT_EQ(pid->canonical, types.int_type());
  EXPECT_EQ(types.pointer_to(pid)->canonical, types.pointer_to(types.int_type()));
}

TEST(TypeTable, DerivedTypesAreTheSamePointer) {
  TypeTable types(256);
  EXPECT_EQ(types.pointer_to(types.int_type()), types.pointer_to(types.int_type()));
  EXPECT_EQ(types.array_of(types.int_type(), 3), types.array_of(types.int_type(), 3));
  EXPECT_EQ(types.array_of(types.array_of(types.int_type(), 3), 2)->name, "int [2][3]");
  EXPECT_EQ(types.pointer_to(types.pointer_to(types.integer(1, true)))->name, "char **");
}

TEST(TypeTable, ReadsWhatProvidersSay) {
  TypeTable types(256);
  EXPECT_EQ(types.of_text("const char *", nullptr), types.pointer_to(types.integer(1, true)));
  const Type* incomplete = types.of_text("struct pollfd *", nullptr);
  EXPECT_EQ(incomplete->name, "struct pollfd *");
  EXPECT_FALSE(incomplete->target->complete);
  EXPECT_EQ(types.of_text("unknown_t *", nullptr)->target, types.void_type());
  EXPECT_EQ(types.of_text("unknown_t", types.int_type()), types.int_type());
}

TEST(TypeTable, StrsizeIsTheSizeOfString) {
  TypeTable types(256);
  types.set_strsize(64);
  EXPECT_EQ(types.string_type()->size, 64u);
}

}  // namespace
}  // namespace sonde
