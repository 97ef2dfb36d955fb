// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/plugin/plugins.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "runtime/framework/op_scope.h"
#include "runtime/plugin/last_words.h"
#include "runtime/plugin/plugin.h"
#include "runtime/plugin/watchdog.h"

namespace sonde {
namespace {

namespace fs = std::filesystem;

/// Whether only root and this user can have written what is there.
bool is_ours(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return false;
  return (found.st_uid == 0 || found.st_uid == ::geteuid()) && (found.st_mode & S_IWOTH) == 0;
}

}  // namespace

std::vector<std::string> plugins_in(const std::string& folder, bool trusted) {
  std::vector<std::string> files;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, none)) {
    if (entry.path().extension() == ".so" && (!trusted || (is_ours(folder) && is_ours(entry.path()))))
      files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

std::string installed_plugins() {
  std::error_code none;
  const fs::path command = fs::read_symlink("/proc/self/exe", none);
  return (command.parent_path() / SONDE_PROVIDERS_FROM_BIN).lexically_normal();
}

std::vector<std::string> find_plugins(const std::vector<std::string>& named, const std::string& search_path,
                                      const std::string& installed) {
  std::vector<std::string> all = named;
  std::istringstream folders(search_path);
  const auto add = [&](const std::vector<std::string>& files) { all.insert(all.end(), files.begin(), files.end()); };
  for (std::string folder; std::getline(folders, folder, ':');)
    if (!folder.empty()) add(plugins_in(folder, false));
  add(plugins_in(installed, true));
  std::set<std::string> names;
  std::erase_if(all, [&](const std::string& file) { return !names.insert(fs::path(file).filename()).second; });
  return all;
}

Plugins::Plugins(const std::vector<std::string>& files, Trial::Patience patience) : patience_(patience) {
  for (const std::string& file : files) {
    // A bare name is a file of the current folder; dlopen() would search the system's folders.
    const std::string path = file.find('/') == std::string::npos ? "./" + file : file;
    const auto ask = [&](Progress& progress) { ask_plugin(path, progress); };
    asked_.push_back({path, Trial::begin(ask, Trial::Voice::Quiet)});
  }
}

Result<void> Plugins::load(Asked& asked, Framework& framework) {
  if (!asked.trial) return std::move(asked.trial).error();
  if (const std::string why = asked.trial->verdict(patience_); !why.empty()) return Error(why);
  auto plugin = open_plugin(asked.file);
  if (!plugin) return std::move(plugin).error();
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
