// SPDX-License-Identifier: GPL-3.0-or-later
// A front end with the built-in providers and no event source.
#pragma once

#include <memory>
#include <string>

#include "compiler/check/world.h"
#include "compiler/source/diagnostic.h"
#include "providers/registry.h"
#include "runtime/framework/framework.h"
#include "runtime/lang/options.h"

namespace sonde {

class Front {
 public:
  Front() : framework(std::make_unique<Framework>(nullptr)) {
    register_providers();
    world = std::make_unique<World>(program, *framework, options);
  }
  ~Front() {
    world.reset();
    unregister_providers();
  }

  LoweredUnit compile(const SourceText& source) { return front_end(*world, source, macros, diagnostics); }
  LoweredUnit compile(const std::string& text) { return compile({SourceText::Kind::Name, text, text}); }

  /// All diagnostics of a text, rendered with tags; empty if it is correct.
  std::string rendered(const SourceText& source) {
    LoweredUnit unit = compile(source);
    std::string out;
    for (const Diagnostic& one : diagnostics.list()) out += render(one, source, true);
    return out;
  }
  std::string rendered(const std::string& text) { return rendered({SourceText::Kind::Name, text, text}); }

  BodyProgram program;
  Options options;
  MacroValues macros;
  Diagnostics diagnostics;
  std::unique_ptr<Framework> framework;
  std::unique_ptr<World> world;
};

}  // namespace sonde
