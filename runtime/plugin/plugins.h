// SPDX-License-Identifier: GPL-3.0-or-later
// The plug-ins of a run
//
//   find_plugins() --> Plugins(files): each is asked in a child --> start(framework): those that stand it are loaded
//
// The children are forked before sonde opens its source or makes a thread, so each is cheap and holds nothing of ours. All run at
// the same time, while the session is made. Where there is no plug-in, nothing is forked.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "runtime/framework/framework.h"
#include "runtime/framework/provider.h"
#include "runtime/plugin/trial.h"

namespace sonde {

/// The *.so files of a folder, by name. Empty where there is none such. `trusted`: only where neither the folder nor the file is
/// of another user, or can be written by everybody.
std::vector<std::string> plugins_in(const std::string& folder, bool trusted);

/// Where installed plug-ins are, seen from the command: PREFIX/LIB/sonde/providers.
std::string installed_plugins();

/// `named` first, in their order; then those of the folders in `search_path`, which ':' parts; then those of `installed`. Of two files of one name
/// the first counts.
std::vector<std::string> find_plugins(const std::vector<std::string>& named, const std::string& search_path,
                                      const std::string& installed);

class Plugins {
 public:
  static constexpr std::chrono::milliseconds kPatience{5000};

  /// Asks each in a child; one that does not stand it within `patience` will be left out.
  explicit Plugins(const std::vector<std::string>& files, std::chrono::milliseconds patience = kPatience);

  /// Waits for the children, loads what stands it, and starts it in the current framework, which stops it when it goes. Once.
  void start(Framework& framework);

  /// The D texts of those that were started; a name for messages with each.
  std::vector<std::pair<std::string, std::string>> texts() const;
  /// Lines for the user: which one was left out, and why.
  const std::vector<std::string>& left_out() const { return left_out_; }

 private:
  struct Asked {
    std::string file;
    Result<Trial> trial;
  };
  Result<void> load(Asked& asked, Framework& framework);

  std::vector<Asked> asked_;
  Trial::Clock::time_point deadline_;
  std::vector<std::pair<std::string, const struct sonde_plugin*>> started_;
  std::vector<std::string> left_out_;
};

}  // namespace sonde
