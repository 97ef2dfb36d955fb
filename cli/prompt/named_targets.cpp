// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/prompt/named_targets.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "cli/words.h"
#include "runtime/base/procfs.h"

namespace sonde {
namespace {

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string name_of_process(uint32_t pid) {
  char text[64];
  const ssize_t got = read_proc(("/proc/" + std::to_string(pid) + "/comm").c_str(), text, sizeof text);
  std::string name(text, static_cast<size_t>(std::max<ssize_t>(got, 0)));
  return name.substr(0, name.find('\n'));
}

}  // namespace

Result<NamedTargets::Target> NamedTargets::start(const std::string& text) {
  auto words = split_words(text);
  if (!words) return std::move(words).error();
  const bool own_terminal = words->front() == "-t";
  if (own_terminal) words->erase(words->begin());
  if (words->empty()) return Error("start which program? :target -t COMMAND", EINVAL);
  std::string name;
  if (const std::string& first = words->front(); words->size() > 1 && first.size() > 1 && first.ends_with(':')) {
    name = first.substr(0, first.size() - 1);
    words->erase(words->begin());
  }
  return start(name.empty() ? base_name(words->front()) : name, *words, own_terminal);
}

Result<NamedTargets::Target> NamedTargets::start(std::string name, const std::vector<std::string>& words,
                                                 bool own_terminal) {
  Relay& relay = session_.relay();
  name = free_name(name);
  std::optional<TerminalEnd> terminal;
  if (own_terminal || Session::relays()) {
    auto opened = relay.open(own_terminal, name);
    if (!opened) return std::move(opened).error();
    terminal = *opened;
  }
  auto pid = session_.tracing().start_target(words, terminal);
  if (!pid) {
    if (terminal) relay.drop(*terminal);
    return std::move(pid).error();
  }
  if (terminal) relay.serve(*terminal);
  all_.push_back({name, words, *pid, own_terminal});
  return all_.back();
}

Result<NamedTargets::Target> NamedTargets::start_again(std::string_view name) {
  const auto wanted = [name](const Target& one) { return !one.words.empty() && (name.empty() || one.name == name); };
  const auto last = std::ranges::find_if(all_.rbegin(), all_.rend(), wanted);
  if (last == all_.rend())
    return Error(name.empty() ? "no program was started yet: :target COMMAND starts one"
                              : "no program was started as " + std::string(name) + "; :target lists those that live",
                 ENOENT);
  const Target again = *last;
  return start(again.name, again.words, again.own_terminal);
}

Result<NamedTargets::Target> NamedTargets::attach(uint32_t pid) {
  auto process = session_.tracing().attach_target(pid);
  if (!process) return std::move(process).error();
  all_.push_back({free_name(name_of_process(*process)), {}, *process});
  return all_.back();
}

bool NamedTargets::lives(uint32_t pid) const {
  const std::vector<uint32_t>& live = session_.targets().live();
  return std::ranges::find(live, pid) != live.end();
}

std::string NamedTargets::free_name(const std::string& name) const {
  const auto taken = [this](const std::string& one) {
    return std::ranges::any_of(all_, [&](const Target& target) { return target.name == one && lives(target.pid); });
  };
  std::string free = name;
  for (int number = 2; taken(free); number++) free = name + "-" + std::to_string(number);
  return free;
}

std::string NamedTargets::describe(uint32_t pid) const {
  const auto last =
      std::ranges::find_if(all_.rbegin(), all_.rend(), [pid](const Target& target) { return target.pid == pid; });
  return "process " + std::to_string(pid) + (last == all_.rend() ? "" : " (" + last->name + ")");
}

std::string NamedTargets::listing() const {
  std::string text;
  for (uint32_t pid : session_.targets().live()) {
    const auto known =
        std::ranges::find_if(all_.rbegin(), all_.rend(), [pid](const Target& one) { return one.pid == pid; });
    text += "pid " + std::to_string(pid);
    if (known != all_.rend()) text += "  " + known->name + (known->words.empty() ? "" : "  " + joined(known->words));
    text += "\n";
  }
  return text;
}

}  // namespace sonde
