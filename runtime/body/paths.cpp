// SPDX-License-Identifier: GPL-3.0-or-later
// Subroutines on paths: POSIX results, without access to any file system.
#include <string>
#include <vector>

#include "runtime/body/state.h"
#include "runtime/body/subroutines.h"

namespace sonde {
namespace {

std::string_view without_trailing_slashes(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  return path;
}

std::string_view base_of(std::string_view path) {
  if (path.empty()) return ".";
  path = without_trailing_slashes(path);
  size_t slash = path.rfind('/');
  return slash == std::string_view::npos || path.size() == 1 ? path : path.substr(slash + 1);
}

std::string_view directory_of(std::string_view path) {
  path = without_trailing_slashes(path);
  size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  if (slash == 0) return "/";
  return without_trailing_slashes(path.substr(0, slash));
}

/// Without ., //, x/.. and a slash at the end; a leading .. stays, except at the root. An empty result is ".".
std::string clean(std::string_view path) {
  bool absolute = path.starts_with('/');
  const bool empty = path.empty();
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    size_t slash = path.find('/');
    std::string_view part = path.substr(0, slash);
    path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      parts.push_back(part);
    } else if (!parts.empty() && parts.back() != "..") {
      parts.pop_back();
    } else if (!absolute) {
      parts.push_back(part);
    }
  }
  std::string result = absolute ? "/" : "";
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i != 0) result += '/';
    result += parts[i];
  }
  return result.empty() && !empty ? "." : result;
}

}  // namespace

extern "C" {

uint64_t sonde_fn_basename(BodyContext* context, uint32_t, const uint64_t* argv) {
  std::string_view path = string_argument(context, argv[0]);
  return context->fault != 0 ? 0 : make_string(context, base_of(path));
}

uint64_t sonde_fn_dirname(BodyContext* context, uint32_t, const uint64_t* argv) {
  std::string_view path = string_argument(context, argv[0]);
  return context->fault != 0 ? 0 : make_string(context, directory_of(path));
}

uint64_t sonde_fn_cleanpath(BodyContext* context, uint32_t, const uint64_t* argv) {
  std::string_view path = string_argument(context, argv[0]);
  return context->fault != 0 ? 0 : make_string(context, clean(path));
}

}  // extern "C"

}  // namespace sonde
