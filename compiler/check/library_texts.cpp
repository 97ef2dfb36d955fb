// SPDX-License-Identifier: GPL-3.0-or-later
// The D library's texts; each is checked when a name that it defines is first used
#include "compiler/check/library_texts.h"

#include <cstdio>
#include <optional>

#include "compiler/check/clause.h"
#include "compiler/parse/parser.h"
#include "compiler/source/prepare.h"
#include "runtime/base/check.h"

namespace sonde {

bool library_defines_type(std::string_view name) {
  const LibraryPart* part = (name.ends_with("_t") && !name.starts_with("__")) ? part_that_defines(name) : nullptr;
  return part != nullptr;
}

namespace {

/// If a plug-in's text is wrong, that is reported, and everything in it stays unknown.
void load_library_text(World& world, const LibraryPart& part) {
  std::optional<Checkpoint> before;
  if (part.foreign) before.emplace(world);
  SourceText source{SourceText::Kind::Script, std::string(part.file), std::string(part.text)};
  Diagnostics diagnostics;
  ParserQuestions questions{[&](std::string_view name) { return world.types.find(name) || library_defines_type(name); },
                            [](std::string_view) { return std::optional<std::string>(); }};
  auto tree = std::make_shared<SyntaxTree>(parse(prepare(source.text, diagnostics).text, true, questions, diagnostics));
  CheckContext cx{world, source, diagnostics, true};
  check_items(cx, *tree);
  for (const Diagnostic& one : diagnostics.list()) std::fprintf(stderr, "%s", render(one, source, true).c_str());
  SONDE_CHECK(part.foreign || !diagnostics.any());
  if (diagnostics.any()) world.wrong_libraries.insert(part.file);
  world.trees.push_back(tree);
  if (before && !diagnostics.any()) before->keep();
}

}  // namespace

void load_library_for(World& world, std::string_view name) {
  const bool unknown = world.options.flag("nolibs") || world.names.own.contains(name);
  const LibraryPart* part = unknown ? nullptr : part_that_defines(name);
  if (part != nullptr) (void)load_library_part(world, *part);
}

bool load_library_part(World& world, const LibraryPart& part) {
  if (world.libraries.insert(part.file).second) {
    load_library_text(world, part);
    world.libraries.insert(part.file);  // once, even if it was wrong
  }
  return !world.wrong_libraries.contains(part.file);
}

}  // namespace sonde
