// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/call_set.h"

#include <regex.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "runtime/base/suggest.h"
#include "runtime/process/syscall_table.h"
#include "runtime/syscall/classes.h"

namespace sonde {
namespace {

using Numbers = std::set<uint32_t>;

/// Calls that only 32-bit code has are not named by strace's sets of a 64-bit program.
bool is_native(const SyscallInfo& call) { return call.number < kCompatCalls; }

void add_all(Numbers& to) {
  for (const SyscallInfo& call : syscall_table()) to.insert(call.number);
}

/// `what` begins with % where strace asks for it: %file, %%stat. Seven classes also have their older name, without it.
const CallClass* find_class(std::string_view what) {
  constexpr std::array<std::string_view, 7> kBareNames = {"desc",    "file",    "ipc",   "memory",
                                                          "network", "process", "signal"};
  const bool bare = std::ranges::find(kBareNames, what) != kBareNames.end();
  if (!bare && !what.starts_with('%')) return nullptr;
  const auto row = std::ranges::find(kCallClasses, bare ? what : what.substr(1), &CallClass::name);
  return row == kCallClasses.end() ? nullptr : &*row;
}

void add_class(const CallClass& row, Numbers& to) {
  for (size_t at = 0; at < row.calls.size();) {
    const size_t end = std::min(row.calls.find(' ', at), row.calls.size());
    if (const SyscallInfo* call = find_syscall(row.calls.substr(at, end - at))) to.insert(call->number);
    at = end + 1;
  }
}

/// Returns whether a call matches.
Result<bool> add_matching(const std::string& pattern, Numbers& to) {
  regex_t compiled;
  if (const int error = ::regcomp(&compiled, pattern.c_str(), REG_EXTENDED | REG_NOSUB); error != 0) {
    char text[128];
    ::regerror(error, &compiled, text, sizeof text);
    return Error("/" + pattern + ": " + text, EINVAL);
  }
  bool found = false;
  for (const SyscallInfo& call : syscall_table()) {
    if (!is_native(call) || ::regexec(&compiled, call.name, 0, nullptr, 0) != 0) continue;
    to.insert(call.number);
    found = true;
  }
  ::regfree(&compiled);
  return found;
}

Error no_such_call(std::string_view item) {
  Suggestion suggestion(item);
  for (const SyscallInfo& call : syscall_table()) suggestion.offer(call.name);
  for (const CallClass& row : kCallClasses) suggestion.offer("%" + std::string(row.name));
  const std::string hint = suggestion.hint();
  return Error("no system call '" + std::string(item) + "'" + (hint.empty() ? "" : "\n    " + hint), EINVAL);
}

Result<void> add_item(std::string_view item, Numbers& to) {
  const bool may_be_unknown = item.starts_with('?');
  if (may_be_unknown) item.remove_prefix(1);
  if (item == "all") return add_all(to), Result<void>();
  if (item == "none") return {};
  if (item.starts_with('/')) {
    auto found = add_matching(std::string(item.substr(1)), to);
    if (!found) return std::move(found).error();
    if (*found || may_be_unknown) return {};
    return Error("no system call matches " + std::string(item), EINVAL);
  }
  if (const CallClass* row = find_class(item)) return add_class(*row, to), Result<void>();
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(item.data(), item.data() + item.size(), number);
  const bool is_number = error == std::errc() && end == item.data() + item.size();
  if (const SyscallInfo* call = is_number ? find_syscall(number) : find_syscall(item)) {
    to.insert(call->number);
    return {};
  }
  return may_be_unknown ? Result<void>() : no_such_call(item);
}

}  // namespace

std::vector<std::string_view> items_of(std::string_view list) {
  std::vector<std::string_view> items;
  for (size_t at = 0; at <= list.size();) {
    const size_t end = std::min(list.find(',', at), list.size());
    items.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return items;
}

Result<CallSet> parse_call_set(std::string_view text) {
  const bool others = text.starts_with('!');
  if (others) text.remove_prefix(1);
  if (text == "all" || text == "none") return CallSet{(text == "all") != others, {}};
  Numbers chosen;
  for (const std::string_view item : items_of(text))
    if (auto done = add_item(item, chosen); !done) return std::move(done).error();
  CallSet set{false, {}};
  for (const SyscallInfo& call : syscall_table())
    if (chosen.contains(call.number) != others) set.names.emplace_back(call.name);
  if (others) set.names.push_back(unnamed_call(std::nullopt));
  return set;
}

namespace {

std::vector<std::string> names_in(const CallSet& calls) {
  if (!calls.all) return calls.names;
  std::vector<std::string> names;
  for (const SyscallInfo& call : syscall_table()) names.emplace_back(call.name);
  names.push_back(unnamed_call(std::nullopt));
  return names;
}

}  // namespace

CallSet in_both(const CallSet& one, const CallSet& other) {
  if (other.all) return one;
  CallSet set{false, names_in(one)};
  std::erase_if(set.names,
                [&](const std::string& name) { return std::ranges::find(other.names, name) == other.names.end(); });
  return set;
}

CallSet only_in(const CallSet& one, const CallSet& other) {
  if (other.all) return {false, {}};
  if (other.none()) return one;
  CallSet set{false, names_in(one)};
  std::erase_if(set.names,
                [&](const std::string& name) { return std::ranges::find(other.names, name) != other.names.end(); });
  return set;
}

Result<std::vector<std::string_view>> parse_words(std::string_view text, const std::vector<std::string_view>& known,
                                                  std::string_view what) {
  const bool others = text.starts_with('!');
  if (others) text.remove_prefix(1);
  const std::vector<std::string_view> items = items_of(text);
  for (const std::string_view item : items) {
    if (item == "all" || item == "none" || std::ranges::find(known, item) != known.end()) continue;
    Suggestion suggestion(item);
    for (const std::string_view word : known) suggestion.offer(word);
    const std::string hint = suggestion.hint();
    return Error("no " + std::string(what) + " '" + std::string(item) + "'" + (hint.empty() ? "" : "\n    " + hint),
                 EINVAL);
  }
  const bool all = std::ranges::find(items, "all") != items.end();
  std::vector<std::string_view> chosen;
  for (const std::string_view word : known)
    if ((all || std::ranges::find(items, word) != items.end()) != others) chosen.push_back(word);
  return chosen;
}

}  // namespace sonde
