// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "providers/registry.h"
#include "tests/runtime/framework/recording_source.h"
#include "tests/runtime/framework/support.h"

namespace sonde {

/// A framework with all built-in providers, over a source that only records its requests.
class ProvidersTest : public ::testing::Test {
 protected:
  ProvidersTest() { register_providers(); }
  ~ProvidersTest() override { unregister_providers(); }

  size_t count(ProbeDescription description) { return framework.match(std::move(description)).size(); }
  ProbeId only(ProbeDescription description) {
    const auto found = framework.match(description);
    EXPECT_EQ(found.size(), 1u) << to_string(description);
    return found.empty() ? ProbeId{} : found[0];
  }
  /// Why nothing matches, as "TAG message".
  std::string refusal(ProbeDescription description) {
    if (!framework.match(std::move(description)).empty()) return "it matched";
    const auto error = framework.provide_error();
    return error ? error->tag + " " + error->message : "";
  }
  uint32_t enable(ProbeDescription description, std::shared_ptr<const FireProgram> program = record_nothing()) {
    auto id = framework.enable(enabling_of(std::move(description), std::move(program)));
    EXPECT_TRUE(id) << id.error().message();
    return id ? *id : 0;
  }
  void disable(uint32_t id) {
    auto done = framework.disable(id);
    EXPECT_TRUE(done);
  }
  /// "int dfd, const char * filename", with "->T" for a translated argument and "@n" for one made from another
  /// argument.
  std::string arguments(ProbeId probe) {
    std::string text;
    for (const ArgumentDescription& argument : framework.arguments(probe)) {
      text += (text.empty() ? "" : ", ") + argument.native;
      if (!argument.translated.empty()) text += "->" + argument.translated;
      if (argument.mapping != argument.index) text += "@" + std::to_string(argument.mapping);
      if (!argument.name.empty()) text += " " + argument.name;
    }
    return text;
  }

  RecordingSource source;
  Framework framework{&source};
};

}  // namespace sonde
