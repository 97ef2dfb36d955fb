// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/plugin/plugins.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "runtime/plugin/plugin.h"
#include "runtime/plugin/trial.h"

namespace sonde {
namespace {

namespace fs = std::filesystem;

/// Whether only root and ourselves can have put there what is there.
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
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (!folder.empty()) add(plugins_in(folder, false));
  }
  add(plugins_in(installed, true));
  std::set<std::string> names;
  std::erase_if(all, [&](const std::string& file) { return !names.insert(fs::path(file).filename()).second; });
  return all;
}

Plugins::Plugins(const std::vector<std::string>& files, std::chrono::milliseconds patience) {
  const auto deadline = Trial::Clock::now() + patience;
  std::vector<Result<Trial>> trials;
  for (const std::string& file : files) {
    // A bare name is a file of this folder: dlopen() would look in the system's.
    const std::string path = file.find('/') == std::string::npos ? "./" + file : file;
    trials.push_back(Trial::begin([&](Progress& progress) { ask_plugin(path, progress); }, Trial::Voice::Quiet));
    files_.push_back(path);
  }
  std::vector<std::string> good;
  for (size_t i = 0; i < files_.size(); i++) {
    const std::string why = trials[i] ? trials[i]->verdict(deadline) : trials[i].error().message();
    if (why.empty())
      good.push_back(files_[i]);
    else
      leave_out(files_[i], why);
  }
  files_ = std::move(good);
}

void Plugins::start(Framework& framework) {
  for (const std::string& file : files_) {
    auto plugin = open_plugin(file);
    if (!plugin) {
      leave_out(file, plugin.error().message());
      continue;
    }
    if (auto started = start_plugin(**plugin, framework); !started) {
      leave_out(file, started.error().message());
      continue;
    }
    framework.at_end.push_back((*plugin)->stop);
    started_.emplace_back(file, *plugin);
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

void Plugins::leave_out(const std::string& file, const std::string& why) {
  left_out_.push_back("provider " + file + " is left out: " + why);
}

}  // namespace sonde
