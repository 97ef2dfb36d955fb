// SPDX-License-Identifier: GPL-3.0-or-later
// Provider declarations: `provider p { probe a__b(int, char *); probe c(T x) : (U x); };`
//
// A declaration makes no probe: it lists the probes of programs that are built with it. In a script it is only checked.
#include "compiler/check/provider.h"

#include <algorithm>
#include <set>

#include "compiler/check/convert.h"
#include "compiler/check/inline.h"
#include "compiler/check/provider_names.h"
#include "compiler/check/translator.h"
#include "compiler/check/type.h"

namespace sonde {
namespace {

constexpr size_t kMostArguments = 255;

void provider_probe(CheckContext& cx, const std::string& provider, const ProbeSyntax& probe,
                    std::string& signature_text) {
  if (auto wrong = wrong_name(probe)) cx.fail(wrong->tag, wrong->where, wrong->message, wrong->hint);
  auto types = [&](const std::shared_ptr<std::vector<Parameter>>& list, const char* which,
                   std::vector<std::string>& names) {
    if (list->size() > kMostArguments)
      cx.fail("D_PROV_PRARGLEN", probe.where,
              "probe " + probe.name + " " + which + " parameter count exceeds " + std::to_string(kMostArguments) +
                  " limit");
    Derivation function;
    function.kind = Derivation::Kind::Function;
    function.where = probe.where;
    function.parameters = list;
    return parameter_types(cx, function, &names);
  };
  std::vector<std::string> input_names, output_names;
  std::vector<const Type*> input = types(probe.input, "input", input_names);
  signature_text += probe.name + "(";
  for (const Type* type : input) signature_text += type->name + ",";
  if (probe.output) {
    std::vector<const Type*> output = types(probe.output, "output", output_names);
    signature_text += ":";
    for (size_t i = 0; i < output.size(); ++i) {
      size_t from = i;  // an output is made from the input of the same name; an unnamed one from that at its position
      if (!output_names[i].empty())
        from = static_cast<size_t>(std::ranges::find(input_names, output_names[i]) - input_names.begin());
      signature_text += output[i]->name + "=" + std::to_string(from) + ",";
      std::string what = provider + ":" + probe.name + " output parameter #" + std::to_string(i + 1);
      if (from >= input.size())
        cx.fail("D_PROV_PRXLATOR", probe.where, what + " has no input parameter that it could be made from");
      ExprPtr value = stand_in(cx, input[from], probe.where);
      if (!assignable(output[i], *value) && !find_translator(cx, input[from], output[i]))
        cx.fail("D_PROV_PRXLATOR", probe.where,
                "translator from " + input[from]->name + " to " + output[i]->name + " is not defined: " + what);
    }
  }
  signature_text += ");";
}

}  // namespace

void check_provider(CheckContext& cx, const ProviderSyntax& syntax) {
  const std::string& name = syntax.name;
  if (auto wrong = wrong_name(syntax)) cx.fail(wrong->tag, wrong->where, wrong->message, wrong->hint);
  std::set<std::string_view> probes;
  std::string all;
  for (const ProbeSyntax& probe : syntax.probes) {
    cx.guarded([&] {
      if (!probes.insert(probe.name).second)
        cx.fail("D_PROV_PRDUP", probe.where, "probe redeclared: " + name + ":" + probe.name);
      provider_probe(cx, name, probe, all);
    });
  }
  auto [known, fresh] = cx.world.names.providers.try_emplace(name, all);
  if (!fresh && known->second != all)
    cx.fail("D_PROV_INCOMPAT", syntax.where, "provider " + name + " is declared again, with other probes");
}

}  // namespace sonde
