// SPDX-License-Identifier: GPL-3.0-or-later
// The plug-ins of a run
//
//   find_plugins() --> Plugins(files): each is tried in a child --> start(framework): loads those that passed
//
// The children are forked before sonde opens its source or makes a thread, so each fork is cheap and inherits nothing
// of ours. All run at the same time, while the session is prepared. Without plug-ins nothing is forked.
#pragma once

#include <string>
#include <vector>

#include "runtime/framework/framework.h"
#include "runtime/framework/provider.h"
#include "runtime/plugin/trial.h"

namespace sonde {

/// The files of a run.
struct FoundPlugins {
  std::vector<std::string> named;    ///< by the user, in their order
  std::vector<std::string> found;    ///< in folders: every run pays for them, so they have less patience
  std::vector<std::string> skipped;  ///< lines for the user: installed files that others can write
};

/// The folder of installed plug-ins, relative to the command: PREFIX/LIB/sonde/providers.
std::string installed_plugins();

/// `named` first, in their order; then the *.so files in the folders of `search_path`, separated by ':', each sorted by
/// name; then those in `installed`, if neither this folder nor the file belongs to another user or is writable by
/// everybody. Of two files with the same name the first counts.
FoundPlugins find_plugins(const std::vector<std::string>& named, const std::string& search_path,
                          const std::string& installed);

/// Of plug-ins that were found, and not named: a hundred times what a plug-in with a few probes takes.
inline constexpr Trial::Patience kPatienceForFound{std::chrono::seconds(1), std::chrono::seconds(5)};

class Plugins {
 public:
  /// Tries each in a child. One that does not pass within its patience will be left out.
  explicit Plugins(const FoundPlugins& files, Trial::Patience for_named = {},
                   Trial::Patience for_found = kPatienceForFound);

  /// Waits for the children, loads the plug-ins that passed, and starts them in the current framework, whose end stops
  /// them. Call it once.
  void start(Framework& framework);

  /// The D texts of those that were started, each with a name for messages.
  std::vector<std::pair<std::string, std::string>> texts() const;
  /// Lines for the user: which plug-in was left out or skipped, and why.
  const std::vector<std::string>& left_out() const { return left_out_; }

 private:
  struct Asked {
    std::string file;
    Result<Trial> trial;
    Trial::Patience patience;
    bool named;
  };
  void ask(const std::string& file, Trial::Patience patience, bool named);
  Result<void> load(Asked& asked, Framework& framework);

  std::vector<Asked> asked_;
  std::vector<std::pair<std::string, const struct sonde_plugin*>> started_;
  std::vector<std::string> left_out_;
};

}  // namespace sonde
