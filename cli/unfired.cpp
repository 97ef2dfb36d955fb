// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/unfired.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <ranges>
#include <set>

#include "cli/calls_instead.h"
#include "providers/registry.h"
#include "runtime/process/inlined.h"
#include "runtime/process/syscall_table.h"

namespace sonde {
namespace {

constexpr ProbeId kBegin{1};
constexpr size_t kMostLines = 8;
constexpr size_t kMostNamed = 3;                     ///< descriptions of a clause, and calls with a hint
constexpr off_t kMostBytesRead = 256 * 1024 * 1024;  ///< of a program whose debug information is searched

std::string without_ending(std::string_view text, std::string_view ending) {
  return std::string(text.substr(0, text.find(ending)));
}

/// Has time to fire only if the run lasts, or fires in any run.
bool needs_no_word(const ProbeInfo& probe) {
  return probe.provider == "dtrace" || (probe.provider == "profile" && probe.name.starts_with("tick-"));
}

/// Whether no program makes this call by the function of its name.
bool is_made_elsewhere(std::string_view call) {
  const auto* row = std::ranges::find(kCallsInstead, call, &CallInstead::call);
  return row == std::end(kCallsInstead) || row->how != CallInstead::How::Beside;
}

/// Whether the call that a hint names has a probe in this run anyway: there is nothing to learn from it then.
bool is_traced_instead(std::string_view call, const std::set<std::string>& traced) {
  const auto* row = std::ranges::find(kCallsInstead, call, &CallInstead::call);
  if (row == std::end(kCallsInstead)) return false;
  return std::ranges::any_of(std::views::split(row->instead, std::string_view(", ")),
                             [&](const auto& one) { return traced.contains(std::string(one.begin(), one.end())); });
}

/// `certain`: it did not fire. If it may have fired, that programs also make other calls explains nothing.
std::string reason_of_calls(Framework& framework, std::span<const ProbeId> probes, bool certain,
                            const std::set<std::string>& traced) {
  std::set<std::string> hints;
  for (ProbeId id : probes) {
    const ProbeInfo& probe = framework.info(id);
    const bool named = std::ranges::any_of(
        probes, [&](ProbeId other) { return other < id && framework.info(other).function == probe.function; });
    if (named || is_traced_instead(probe.function, traced) || (!certain && !is_made_elsewhere(probe.function)))
      continue;
    if (const std::string hint = hint_on_call(probe.function, probe.name); !hint.empty()) hints.insert(hint);
    if (hints.size() > kMostNamed) return {};
  }
  std::string all;
  for (const std::string& hint : hints) all += (all.empty() ? "" : "\n    ") + hint;
  return all;
}

/// The function is there, but its callers may have copies of it.
std::string reason_of_function(Framework& framework, const ProbeInfo& probe) {
  const std::vector<Tap> taps = framework.taps(probe.id);
  struct stat file {};
  if (taps.empty() || ::stat(taps.front().path.c_str(), &file) != 0 || file.st_size > kMostBytesRead) return {};
  const auto inlined = find_inlined(taps.front().path, [&](const std::string& name) { return name == probe.function; });
  if (!inlined) return {};
  return "the compiler has inlined it, as at " + inlined->file + ":" + std::to_string(inlined->line) +
         ": such calls fire nothing";
}

/// What a provider said about a description that has never matched, without the parts that were advice at the start.
std::string reason_of_none(const Framework::Joined& joined) {
  if (!joined.why_none) return "no such probe has come";
  const std::string first = without_ending(joined.why_none->message, "\n");
  constexpr std::string_view kBefore = "does not match any probes: ";
  const size_t at = first.find(kBefore);
  return at == std::string::npos ? first : first.substr(at + kBefore.size());
}

/// Why it did not fire, as far as anybody knows; else empty.
std::string likely_reason(Framework& framework, const Framework::Joined& joined, bool certain,
                          const std::set<std::string>& traced) {
  if (joined.probes.empty()) return reason_of_none(joined);
  const ProbeInfo& first = framework.info(joined.probes.front());
  const auto all_of = [&](auto is) {
    return std::ranges::all_of(joined.probes, [&](ProbeId id) { return is(framework.info(id)); });
  };
  if (all_of([](const ProbeInfo& probe) { return probe.provider == "syscall"; }))
    return reason_of_calls(framework, joined.probes, certain, traced);
  if (first.provider == "proc" && all_of([](const ProbeInfo& probe) { return probe.name.starts_with("exec"); }))
    return "tracing begins after the exec of the program that -c names, and of one that runs already";
  if (all_of([](const ProbeInfo& probe) { return probe.name.starts_with("profile-"); }))
    return "it fires only while a traced thread runs, and none did when it was due";
  if (const std::string_view known = why_silent(first.provider, first.name); !known.empty()) return std::string(known);
  if (first.provider.starts_with("pid") && joined.probes.size() <= kMostNamed)
    return reason_of_function(framework, first);
  return {};
}

/// The system calls that have a probe in this run.
std::set<std::string> traced_calls(Session& session) {
  std::set<std::string> calls;
  for (const uint32_t enabling : session.tracing().enabled())
    for (ProbeId id : session.framework().joined(enabling).probes)
      if (const ProbeInfo& probe = session.framework().info(id); probe.provider == "syscall")
        calls.insert(probe.function);
  return calls;
}

std::string name_of(const ClauseDesc& clause, const SourceText& text) {
  std::string name = text.kind == SourceText::Kind::Script ? text.name + ":" + std::to_string(clause.line) + ": " : "";
  for (size_t i = 0; i < std::min(clause.descriptions.size(), kMostNamed); i++)
    name += (i == 0 ? "" : ", ") + to_string(clause.descriptions[i]);
  return clause.descriptions.size() > kMostNamed ? name + ", ..." : name;
}

/// The text that the clause is of; null: it is not one of these.
const SourceText* text_of(const ClauseDesc& clause, const BodyProgram& program, std::span<const SourceText> texts,
                          std::span<const CompiledText> compiled) {
  for (size_t i = 0; i < std::min(texts.size(), compiled.size()); i++)
    for (uint32_t at = compiled[i].first; at < compiled[i].first + compiled[i].count; at++)
      if (&program.clauses[at] == &clause) return &texts[i];
  return nullptr;
}

}  // namespace

std::string hint_on_call(std::string_view call, std::string_view name) {
  const auto* row = std::ranges::find(kCallsInstead, call, &CallInstead::call);
  if (row == std::end(kCallsInstead)) {
    const SyscallInfo* info = find_syscall(call);
    const bool only_compat = info != nullptr && info->number >= kCompatCalls && info->number < kUnnamedCall;
    return only_compat ? "only 32-bit programs make this call" : "";
  }
  const std::string own(call), instead(row->instead);
  switch (row->how) {
    case CallInstead::How::Other:
      return "the C library's " + own + "() makes the call " + instead + ": syscall::" + instead + ":" +
             std::string(name);
    case CallInstead::How::Beside: return "programs may call " + instead + " instead";
    case CallInstead::How::Vdso:
      return own + "() is answered in the process, without a system call; the function: pid$target:libc.so.6:" + own +
             ":" + std::string(name);
  }
  return {};
}

std::vector<std::string> unfired_clauses(Session& session, std::span<const SourceText> texts,
                                         std::span<const CompiledText> compiled, bool quiet) {
  if (texts.empty()) return {};
  const Consumer& consumer = session.tracing().consumer();
  if (consumer.exiting() && consumer.exit_probe() == kBegin) return {};
  Framework& framework = session.framework();
  std::vector<std::pair<Unfired, Framework::Joined>> found;
  for (const Unfired& one : session.tracing().unfired()) {
    Framework::Joined joined = framework.joined(one.enabling);
    if (std::ranges::none_of(joined.probes, [&](ProbeId id) { return needs_no_word(framework.info(id)); }))
      found.emplace_back(one, std::move(joined));
  }
  const std::set<std::string> traced = found.empty() ? std::set<std::string>() : traced_calls(session);
  if (found.empty() || !framework.disable_all(session.tracing().enabled())) return {};
  const bool only_mistakes = quiet || consumer.exiting();
  std::vector<std::string> lines;
  size_t more = 0;
  for (const auto& [unfired, joined] : found) {
    const SourceText* text = text_of(*unfired.clause, session.program(), texts, compiled);
    if (text == nullptr) continue;
    const std::string reason = likely_reason(framework, joined, unfired.certain, traced);
    if (reason.empty() && (only_mistakes || !unfired.certain)) continue;
    const std::string what = unfired.certain ? " did not fire" : " did not fire, or the predicate was never true";
    const std::string line = name_of(*unfired.clause, *text) + what + (reason.empty() ? "" : "\n    " + reason);
    if (std::ranges::find(lines, line) != lines.end()) continue;
    if (lines.size() < kMostLines)
      lines.push_back(line);
    else
      more++;
  }
  if (more > 0)
    lines.push_back(std::to_string(more) + (more == 1 ? " more clause was not fired" : " more clauses were not fired"));
  return lines;
}

std::string unfired_note(Session& session, std::span<const uint32_t> enablings, std::span<const uint32_t> clauses) {
  Framework& framework = session.framework();
  for (const Unfired& one : session.tracing().unfired(enablings, clauses)) {
    if (!one.certain) continue;
    const Framework::Joined joined = framework.joined(one.enabling);
    if (std::ranges::any_of(joined.probes, [&](ProbeId id) { return needs_no_word(framework.info(id)); })) continue;
    const std::string reason = likely_reason(framework, joined, true, traced_calls(session));
    return std::string("nothing has fired it") + (reason.empty() ? "" : ": " + without_ending(reason, "\n"));
  }
  return {};
}

namespace {

/// The paths that calls were to name, and which of them lead nowhere now.
std::string unnamed_paths(const std::vector<std::string>& paths) {
  std::string text = "nobody made a call that names", missing;
  for (const std::string& path : paths) {
    text += (path == paths.front() ? " " : " or ") + path;
    struct stat file {};
    if (::stat(path.c_str(), &file) != 0 && errno == ENOENT) missing += "\n    there is no file " + path + " now";
  }
  return text + missing;
}

}  // namespace

std::string unmade_calls(Session& session, const CallList& list) {
  const std::vector<std::string>& names = list.trace.names;
  const bool all = list.trace.all || names.empty();
  if ((all && list.paths.empty()) || !list.successful || !list.failed) return {};
  // Of a list with paths, the clauses that show a call have a predicate; one without forgets what an entry has named.
  const auto shows_calls = [&](const ClauseDesc& clause) {
    return (list.paths.empty() || clause.has_predicate) &&
           std::ranges::any_of(clause.descriptions, [](const auto& one) { return one.provider == "syscall"; });
  };
  for (const ClauseDesc* clause : session.tracing().consumer().passed())
    if (shows_calls(*clause)) return {};
  if (!list.paths.empty()) return unnamed_paths(list.paths);
  std::string text = std::string("nobody made ") + (names.size() > kMostNamed ? "any of these calls" : "the call");
  if (names.size() > kMostNamed) return text;
  for (const std::string& name : names) text += (name == names.front() ? " " : " or ") + name;
  for (const std::string& name : names) {
    const auto* row = std::ranges::find(kCallsInstead, name, &CallInstead::call);
    if (row == std::end(kCallsInstead)) continue;
    text += row->how == CallInstead::How::Vdso
                ? "\n    " + name + "() is answered in the process, without a system call"
                : "\n    programs may call " + std::string(row->instead) + " instead: --trace=" + name + "," +
                      std::string(row->instead);
  }
  return text;
}

}  // namespace sonde
