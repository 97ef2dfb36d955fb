// SPDX-License-Identifier: GPL-3.0-or-later
// BTF has, for each tracepoint, a typedef of pointers to the functions that may be called there: btf_trace_NAME. The first
// parameter of such a function is its own; the others are the tracepoint's.
#include "runtime/process/tracepoints.h"

#include <algorithm>
#include <cerrno>

#include "runtime/process/kernel_files.h"

namespace sonde {
namespace {

constexpr std::string_view kPrefix = "btf_trace_";
constexpr int kDeepest = 8;  ///< typedefs of typedefs

}  // namespace

std::vector<std::string> tracepoint_names(CTypes& kernel) {
  std::vector<std::string> names = kernel.typedefs(kPrefix);
  for (std::string& name : names) name.erase(0, kPrefix.size());
  return names;
}

std::map<std::string, std::string, std::less<>> tracepoint_subsystems_of(std::string_view list) {
  std::map<std::string, std::string, std::less<>> found;
  while (!list.empty()) {
    const std::string_view line = list.substr(0, list.find('\n'));
    list.remove_prefix(std::min(list.size(), line.size() + 1));
    if (const size_t colon = line.find(':'); colon != line.npos)
      found.try_emplace(std::string(line.substr(colon + 1)), line.substr(0, colon));
  }
  return found;
}

Result<std::map<std::string, std::string, std::less<>>> tracepoint_subsystems() {
  auto list = read_tracefs("available_events");
  if (!list) return std::move(list).error();
  return tracepoint_subsystems_of(list->view());
}

std::optional<CFunction> find_tracepoint(CTypes& kernel, std::string_view name) {
  const auto type = kernel.find(CName::Typedef, std::string(kPrefix) + std::string(name));
  if (!type) return std::nullopt;
  const CType pointer = kernel.type(kernel.type(*type).target);
  auto function = kernel.prototype(pointer.target);
  if (!function || function->parameters.empty()) return std::nullopt;
  function->parameters.erase(function->parameters.begin());
  return function;
}

Result<std::vector<TracepointArgument>> tracepoint_arguments(CTypes& kernel, const std::string& name) {
  const auto function = find_tracepoint(kernel, name);
  if (!function) return Error("this kernel has no tracepoint " + name, ENOENT);
  std::vector<TracepointArgument> arguments;
  for (const CParameter& one : function->parameters) {
    CType type = kernel.type(one.type);
    for (int turn = 0; turn < kDeepest && type.kind == CType::Kind::Typedef; turn++) type = kernel.type(type.target);
    arguments.push_back({type.size, type.is_signed});
  }
  return arguments;
}

}  // namespace sonde
