// SPDX-License-Identifier: GPL-3.0-or-later
// The header of `sonde -h`
//
// Makefiles rename the macros by sed, some at the first place on each line, some at all: so no line has a macro's name
// twice, and only #define lines have one.
#include "compiler/header/macros.h"

#include <cctype>

#include "compiler/header/declared.h"

namespace sonde {
namespace {

constexpr std::string_view kCore =
#include "compiler/header/core.inc"
    ;

std::string capitals(std::string_view name) {
  std::string out;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name.substr(i, 2) == "__") ++i;
    out += static_cast<char>(std::toupper(static_cast<unsigned char>(name[i])));
  }
  return out;
}

/// "sonde_a1, sonde_a2"
std::string macro_parameters(size_t count) {
  std::string out;
  for (size_t i = 1; i <= count; ++i) out += (i > 1 ? ", sonde_a" : "sonde_a") + std::to_string(i);
  return out;
}

std::string quoted(const std::string& text) { return '"' + text + '"'; }

std::string probe_macros(const DeclaredProvider& provider, const DeclaredProbe& probe) {
  const std::string macro = macro_of(provider.name, probe.name), counter = counter_of(provider, probe);
  const std::string parameters = macro_parameters(probe.arguments);
  return "#define " + macro + "(" + parameters + ") \\\n  sonde_sdt_probe" + std::to_string(probe.arguments) + "(" +
         quoted(provider.name) + ", " + quoted(probe.name) + ", \\\n    " + quoted(counter) +
         (parameters.empty() ? "" : ", ") + parameters + ")\n#define " + macro + "_ENABLED() \\\n  sonde_sdt_enabled(" +
         quoted(counter) + ", \\\n    " + counter + ")\n";
}

}  // namespace

std::string macro_of(std::string_view provider, std::string_view probe) {
  return capitals(provider) + "_" + capitals(probe);
}

std::string header_text(std::span<const DeclaredProvider> providers, std::string_view from) {
  const std::string_view file = from.substr(from.rfind('/') + 1);
  const bool fits = file.find("*/") == file.npos && file.find('\n') == file.npos;
  std::string out = "/* Made by sonde -h" + (fits ? " of " + std::string(file) : "") +
                    ". It needs no other file.\n * SPDX-License-Identifier: MIT\n */\n";
  out += kCore;
  for (const DeclaredProvider& provider : providers) {
    const std::string once = "sonde_provider_" + provider.name;
    out += "\n/* provider " + provider.name + " */\n#ifndef " + once + "\n#define " + once +
           " 1\n\n#if sonde_sdt_here\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
    for (const DeclaredProbe& probe : provider.probes)
      out += "extern volatile unsigned short " + counter_of(provider, probe) + " sonde_sdt_hidden;\n";
    out += "#ifdef __cplusplus\n}\n#endif\n#endif\n\n";
    for (const DeclaredProbe& probe : provider.probes) out += probe_macros(provider, probe);
    out += "\n#endif\n";
  }
  return out;
}

}  // namespace sonde
