// SPDX-License-Identifier: GPL-3.0-or-later
// The texts of the D library: the names found in them decide when they are loaded, so none may be missing.
#include "compiler/library/library.h"

#include <gtest/gtest.h>

#include <string>

#include "compiler/check/library_texts.h"
#include "compiler/library/definitions.h"
#include "tests/compiler/check/front_fixture.h"

namespace sonde {
namespace {

std::string first_name(const LibraryPart& part) {
  std::string first;
  each_definition(part.text, [&](std::string_view name) { first = first.empty() ? std::string(name) : first; });
  return first;
}

/// A struct of the kernel: the text neither defines nor declares it.
bool is_only_named(std::string_view text, const std::string& type) {
  return type.starts_with("struct ") && text.find(type + " {") == text.npos && text.find(type + ";") == text.npos;
}

TEST(Library, EachNameThatATextDefinesLoadsIt) {
  for (const LibraryPart& part : library_parts()) {
    Front front;
    const Names before = front.world->names;
    const auto types = front.world->types.names();
    load_library_for(*front.world, first_name(part));
    size_t defined = 0;
    const auto leads_to_a_loaded_part = [&](const std::string& name) {
      const LibraryPart* by = part_that_defines(name);
      defined += by == &part;
      return by && front.world->libraries.contains(by->file);
    };
    for (const auto& [name, symbol] : front.world->names.globals)
      EXPECT_TRUE(before.globals.contains(name) || leads_to_a_loaded_part(name)) << part.file << " defines " << name;
    for (const auto& [name, type] : front.world->types.names())
      EXPECT_TRUE(types.contains(name) || is_only_named(part.text, name) || leads_to_a_loaded_part(name))
          << part.file << " defines " << name;
    EXPECT_GT(defined, 0u) << part.file << " defines nothing that its list has";
  }
}

TEST(Library, ANameIsOfOneText) {
  for (const LibraryPart& part : library_parts()) EXPECT_EQ(part_that_defines(first_name(part)), &part);
  EXPECT_EQ(part_that_defines("psinfo")->file, "procfs.d");
  EXPECT_EQ(part_that_defines("pr_fname"), nullptr);
  EXPECT_EQ(part_that_defines(""), nullptr);
}

TEST(Library, ATextOfAPlugInThatIsWrongLeavesNoTrace) {
  add_library_part("wrong.d", "typedef int checked_t; inline int WRONG = ;");
  add_library_part("right.d", "typedef int right_t; inline int RIGHT = 42;");
  Front front;
  testing::internal::CaptureStderr();
  load_library_for(*front.world, "checked_t");
  load_library_for(*front.world, "WRONG");
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("wrong.d"), said.npos);
  EXPECT_EQ(said.find("wrong.d"), said.rfind("wrong.d")) << "it is told once";
  EXPECT_EQ(front.world->types.find("checked_t"), nullptr);
  EXPECT_EQ(front.world->global("WRONG"), nullptr);
  load_library_for(*front.world, "RIGHT");
  EXPECT_NE(front.world->types.find("right_t"), nullptr);
  EXPECT_NE(front.world->global("RIGHT"), nullptr);
}

}  // namespace
}  // namespace sonde
