// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/plugin/plugins.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <set>
#include <sstream>

#include "runtime/base/path_search.h"
#include "runtime/framework/aftermath.h"
#include "runtime/framework/op_scope.h"
#include "runtime/plugin/last_words.h"
#include "runtime/plugin/plugin.h"
#include "runtime/plugin/watchdog.h"

namespace sonde {
namespace {

namespace fs = std::filesystem;

/// Who else can have written what is there, in words; empty: nobody but root and this user.
std::string other_writers(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return "it cannot be looked at: " + std::string(std::strerror(errno));
  if (found.st_uid != 0 && found.st_uid != ::geteuid())
    return path + " belongs to user " + std::to_string(found.st_uid);
  return (found.st_mode & S_IWOTH) != 0 ? "everybody can write " + path + ": chmod o-w" : "";
}

/// The *.so files of a folder, sorted by name; empty if there is no such folder.
std::vector<std::string> plugins_in(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, none))
    if (entry.path().extension() == ".so") files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

}  // namespace

std::string installed_plugins() { return beside_command(SONDE_PROVIDERS_FROM_BIN); }

FoundPlugins find_plugins(const std::vector<std::string>& named, const std::string& search_path,
                          const std::string& installed) {
  FoundPlugins all;
  std::set<std::string> names;
  const auto is_new = [&](const std::string& file) { return names.insert(fs::path(file).filename()).second; };
  std::ranges::copy_if(named, std::back_inserter(all.named), is_new);
  std::istringstream folders(search_path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (!folder.empty()) std::ranges::copy_if(plugins_in(folder), std::back_inserter(all.found), is_new);
  const std::string of_folder = other_writers(installed);
  for (const std::string& file : plugins_in(installed)) {
    if (!is_new(file)) continue;
    const std::string why = of_folder.empty() ? other_writers(file) : of_folder;
    if (why.empty())
      all.found.push_back(file);
    else
      all.skipped.push_back("provider " + file + " is skipped: " + why);
  }
  return all;
}

Plugins::Plugins(const FoundPlugins& files, Trial::Patience for_named, Trial::Patience for_found)
    : left_out_(files.skipped) {
  for (const std::string& file : files.named) ask(file, for_named, true);
  for (const std::string& file : files.found) ask(file, for_found, false);
}

void Plugins::ask(const std::string& file, Trial::Patience patience, bool named) {
  // A bare name is a file of the current folder; dlopen() would search the system's folders.
  const std::string path = file.find('/') == std::string::npos ? "./" + file : file;
  const auto act = [&](Progress& progress) { ask_plugin(path, progress); };
  asked_.push_back({path, Trial::begin(act, Trial::Voice::Quiet), patience, named});
}

Result<void> Plugins::load(Asked& asked, Framework& framework) {
  if (!asked.trial) return std::move(asked.trial).error();
  if (const std::string why = asked.trial->verdict(asked.patience); !why.empty()) {
    const bool waits_longer = asked.trial->took_too_long() && !asked.named;
    return Error(why +
                 (waits_longer ? "\n    every run would wait for it; --provider=" + asked.file + " waits longer" : ""));
  }
  auto plugin = open_plugin(asked.file);
  if (!plugin) return std::move(plugin).error();
  expect_plugins();
  explain_ends();
  watch_ops();
  note_code(*plugin, plugin_of(*plugin));
  if (auto started = start_plugin(**plugin, framework); !started) return started;
  framework.at_end.push_back([plugin = *plugin] { stop_plugin(*plugin); });
  started_.emplace_back(asked.file, *plugin);
  return {};
}

void Plugins::start(Framework& framework) {
  for (Asked& asked : asked_) {
    if (auto loaded = load(asked, framework); !loaded)
      left_out_.push_back("provider " + asked.file + " is left out: " + loaded.error().message());
  }
}

std::vector<std::pair<std::string, std::string>> Plugins::texts() const {
  std::vector<std::pair<std::string, std::string>> all;
  for (const auto& [file, plugin] : started_) {
    for (const sonde_text* text = plugin->texts; text != nullptr && text->file != nullptr; text++)
      all.emplace_back(fs::path(file).filename().string() + ":" + text->file, text->text);
  }
  return all;
}

}  // namespace sonde
