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

/// The *.so files of a folder, sorted by name; empty if there is no such folder. `trusted`: only if neither the folder
/// nor the file belongs to another user or is writable by everybody.
std::vector<std::string> plugins_in(const std::string& folder, bool trusted);

/// The folder of installed plug-ins, relative to the command: PREFIX/LIB/sonde/providers.
std::string installed_plugins();

/// `named` first, in their order; then those in the folders of `search_path`, separated by ':'; then those in
/// `installed`. Of two files with the same name the first counts.
std::vector<std::string> find_plugins(const std::vector<std::string>& named, const std::string& search_path,
                                      const std::string& installed);

class Plugins {
 public:
  /// Tries each in a child. One that does not pass within `patience` will be left out.
  explicit Plugins(const std::vector<std::string>& files, Trial::Patience patience = {});

  /// Waits for the children, loads the plug-ins that passed, and starts them in the current framework, whose end stops
  /// them. Call it once.
  void start(Framework& framework);

  /// The D texts of those that were started, each with a name for messages.
  std::vector<std::pair<std::string, std::string>> texts() const;
  /// Lines for the user: which plug-in was left out, and why.
  const std::vector<std::string>& left_out() const { return left_out_; }

 private:
  struct Asked {
    std::string file;
    Result<Trial> trial;
  };
  Result<void> load(Asked& asked, Framework& framework);

  std::vector<Asked> asked_;
  Trial::Patience patience_;
  std::vector<std::pair<std::string, const struct sonde_plugin*>> started_;
  std::vector<std::string> left_out_;
};

}  // namespace sonde
