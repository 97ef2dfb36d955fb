// SPDX-License-Identifier: GPL-3.0-or-later
// The texts of the D library: the names that are read off them decide when they are loaded, so none may be missed.
#include "compiler/library/library.h"

#include <gtest/gtest.h>

#include "compiler/check/library_texts.h"
#include "tests/compiler/check/front_fixture.h"

namespace sonde {
namespace {

TEST(Library, EachNameThatATextDefinesLoadsIt) {
  for (const LibraryPart& part : library_parts()) {
    Front front;
    const Names before = front.world->names;
    const auto types = front.world->types.names();
    load_library_for(*front.world, part.names.substr(1, part.names.find('|', 1) - 1));
    size_t defined = 0;
    const auto leads_to_a_loaded_part = [&](const std::string& name) {
      const LibraryPart* by = part_that_defines(name);
      defined += by == &part;
      return by && front.world->libraries.contains(by->file);
    };
    for (const auto& [name, symbol] : front.world->names.globals)
      EXPECT_TRUE(before.globals.contains(name) || leads_to_a_loaded_part(name)) << part.file << " defines " << name;
    for (const auto& [name, type] : front.world->types.names())
      EXPECT_TRUE(types.contains(name) || name == "struct task_struct" /* the kernel's */ ||
                  leads_to_a_loaded_part(name))
          << part.file << " defines " << name;
    EXPECT_GT(defined, 0u) << part.file << " defines nothing that its list has";
  }
}

TEST(Library, ANameIsOfOneText) {
  for (const LibraryPart& part : library_parts())
    EXPECT_EQ(part_that_defines(part.names.substr(1, part.names.find('|', 1) - 1)), &part);
  EXPECT_EQ(part_that_defines("psinfo")->file, "procfs.d");
  EXPECT_EQ(part_that_defines("pr_fname"), nullptr);
  EXPECT_EQ(part_that_defines(""), nullptr);
}

}  // namespace
}  // namespace sonde
