// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace sonde {

/// A folder for one test, which is the working directory during its lifetime.
class Folder {
 public:
  Folder() {
    std::string name = std::filesystem::temp_directory_path() / "sonde-cli-XXXXXX";
    path_ = ::mkdtemp(name.data());
    std::filesystem::current_path(path_);
  }
  ~Folder() {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return path_ / name;
  }
  std::string read(const std::string& name) const {
    std::ifstream file(path_ / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::filesystem::path before_ = std::filesystem::current_path(), path_;
};

}  // namespace sonde
