// SPDX-License-Identifier: GPL-3.0-or-later
// Guesses for a description that matches nothing, the surest first
//
//   another tool's description     a table knows it                         uprobe:/bin/sh:main
//   other names of our words       a table knows them                       syscall::pread:enter
//   the same words, other fields   each way to place them is tried          syscall::openat
//   the nearest words              letters are compared, probe by probe     syscall::opneat:entry
//
// A guess is shown only if it matches a probe. Words may differ in up to a third of their letters.
#include "compiler/check/near_probes.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <filesystem>
#include <set>

#include "compiler/source/other_words.h"
#include "runtime/base/suggest.h"

namespace sonde {
namespace {

constexpr size_t kMostLookedAt = 200000;    ///< probes, for a suggestion
constexpr uint32_t kLongestCompared = 400;  ///< letters of a description

constexpr size_t kMostNamed = 12;
constexpr int kFields = 4;

bool has_glob(std::string_view text) { return text.find_first_of("*?[\\") != std::string_view::npos; }

/// Of a description or a probe: provider, module, function, name.
auto& field(auto& of, int index) {
  return index == 0 ? of.provider : index == 1 ? of.module : index == 2 ? of.function : of.name;
}

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

/// The first probe that a description matches, with all fields; globs stay as they are.
std::string first_match(ProbeCatalog& probes, const ProbeDescription& wanted) {
  const std::vector<ProbeId> found = probes.match(wanted);
  if (found.empty()) return {};
  const ProbeInfo& info = probes.info(found.front());
  std::string text;
  for (int i = 0; i < kFields; ++i) {
    if (i > 0) text += ':';
    text += has_glob(field(wanted, i)) ? field(wanted, i) : field(info, i);
  }
  return text;
}

/// `syscall::pread:enter`: replaces words that are known under another name.
std::string with_known_words(ProbeCatalog& probes, ProbeDescription wanted) {
  const auto call = hint_on_other_word(OtherWord::Kind::Call, wanted.function);
  const auto name = hint_on_other_word(OtherWord::Kind::ProbeName, wanted.name);
  if (!call.empty()) wanted.function = call;
  for (std::string_view kernel : {"__x64_sys_", "__ia32_sys_", "__se_sys_", "__do_sys_", "do_sys_", "ksys_", "sys_"})
    if (call.empty() && wanted.function.starts_with(kernel)) wanted.function.erase(0, kernel.size());
  if (!name.empty()) wanted.name = name;
  return first_match(probes, wanted);
}

/// The probe whose words are nearest to the wrong ones; none if a word is too different. Case is ignored.
std::string with_near_words(ProbeCatalog& probes, const ProbeDescription& wanted, std::set<std::string>& providers) {
  std::string best;
  uint32_t best_distance = UINT32_MAX;
  size_t looked_at = 0;
  for (ProbeId id : probes.match({})) {
    if (++looked_at > kMostLookedAt) break;
    const ProbeInfo& info = probes.info(id);
    providers.insert(info.provider);
    uint32_t distance = 0;
    for (int i = 0; i < kFields && distance < best_distance; ++i) {
      const std::string &word = field(wanted, i), &own = field(info, i);
      if (word.empty() || word == own || has_glob(word)) continue;
      const auto most = static_cast<uint32_t>(std::max<size_t>(1, word.size() / 3));
      const size_t longer = std::max(word.size(), own.size()), shorter = std::min(word.size(), own.size());
      const uint32_t letters =
          own.empty() || longer - shorter > most ? UINT32_MAX : edit_distance(lower_case(word), lower_case(own));
      distance = letters > most ? UINT32_MAX : distance + std::max(letters, 1U);
    }
    if (distance >= best_distance || distance == 0) continue;
    best_distance = distance;
    best = first_match(probes, {info.provider, info.module, info.function, info.name, {}});
  }
  return best;
}

/// pid1234: it has probes only once somebody asks for functions that are there.
bool is_of_process(std::string_view provider) {
  return provider.size() > 3 && provider.starts_with("pid") &&
         provider.find_first_not_of("0123456789", 3) == provider.npos;
}

/// Which names a provider has, if they are few, or how to list its probes.
std::string what_it_has(ProbeCatalog& probes, const ProbeDescription& wanted) {
  std::set<std::string> names;
  for (ProbeId id : probes.match({wanted.provider, "", "", "", {}})) names.insert(probes.info(id).name);
  if (names.size() > kMostNamed || wanted.name.empty() || names.contains(wanted.name))
    return "-l '" + wanted.provider + ":::' lists its probes";
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return "its probes are called " + list;
}

bool has_provider(ProbeCatalog& probes, const std::string& provider) {
  return !probes.match({provider, "", "", "", {}}).empty();
}

}  // namespace

std::optional<ProbeDescription> in_other_fields(ProbeCatalog& probes, const ProbeDescription& wanted) {
  std::vector<std::string> words;
  for (int i = 0; i < kFields; ++i)
    if (!field(wanted, i).empty()) words.push_back(field(wanted, i));
  if (words.size() == kFields) return std::nullopt;
  for (unsigned places = 1; places < 1U << kFields; ++places) {
    if (static_cast<size_t>(std::popcount(places)) != words.size()) continue;
    ProbeDescription moved;
    for (unsigned i = 0, word = 0; i < kFields; ++i)
      if ((places >> i & 1) != 0) field(moved, static_cast<int>(i)) = words[word++];
    if (!probes.match(moved).empty()) return moved;
  }
  return std::nullopt;
}

std::string near_probes(ProbeCatalog& probes, const ProbeDescription& wanted) {
  const std::string shown = to_string(wanted);
  if (shown.size() > kLongestCompared) return {};
  if (std::string hint = hint_on_other_probe(shown.substr(std::min(shown.find_first_not_of(':'), shown.size())));
      !hint.empty())
    return hint;
  if (const auto hint = hint_on_other_provider(wanted.provider);
      !hint.empty() && !has_provider(probes, wanted.provider))
    return std::string(hint);
  std::string best = with_known_words(probes, wanted);
  if (best.empty())
    if (const auto moved = in_other_fields(probes, wanted)) best = first_match(probes, *moved);
  std::set<std::string> providers;
  if (best.empty()) best = with_near_words(probes, wanted, providers);
  if (!best.empty()) return "did you mean " + best + "?";
  if (providers.contains(wanted.provider)) return what_it_has(probes, wanted);
  if (wanted.provider.empty() && wanted.function.empty() && wanted.name.empty())
    return "a module of a process needs that in front: pid$target:" + wanted.module + "::entry, with -c or -p";
  if (wanted.provider.empty() || has_glob(wanted.provider)) return {};
  if (is_of_process(wanted.provider)) {
    const std::string pid = wanted.provider.substr(3);
    if (!std::filesystem::exists("/proc/" + pid)) return "there is no process " + pid;
    if (wanted.function.empty()) return {};
    return "its modules have no such function; all that they have: " + wanted.provider + ":::entry";
  }
  std::string names;
  for (const std::string& name : providers) names += (names.empty() ? "" : ", ") + name;
  return "no provider " + wanted.provider + " has probes here; these have: " + names;
}

}  // namespace sonde
