// SPDX-License-Identifier: GPL-3.0-or-later
#include "providers/pid/missing.h"

#include <algorithm>

#include "providers/pid/field.h"
#include "runtime/base/procfs.h"
#include "runtime/base/suggest.h"
#include "runtime/process/program_file.h"

namespace sonde::pid {
namespace {

constexpr size_t kMostNamed = 12;  ///< modules in a list

/// The names by which people know the program: the first word of its command line without its folders, and its comm.
/// A process may change either.
std::vector<std::string> names_of_program(uint32_t pid) {
  const std::string folder = "/proc/" + std::to_string(pid);
  char line[4096] = "", comm[32] = "";
  (void)read_proc((folder + "/cmdline").c_str(), line, sizeof line);
  (void)read_proc((folder + "/comm").c_str(), comm, sizeof comm);
  const std::string word = std::string(line).substr(0, std::string(line).find_first_of(" :"));
  return {word.substr(word.rfind('/') + 1), std::string(comm).substr(0, std::string(comm).find('\n'))};
}

/// "spin (or a.out), libc.so.6, ...": the program comes first.
std::string modules(const std::vector<Object>& objects) {
  std::string text;
  size_t count = 0;
  for (bool program : {true, false}) {
    for (const Object& object : objects) {
      if (object.executable != program || object.compiled) continue;
      if (++count > kMostNamed) continue;
      text += (text.empty() ? "" : ", ") + object.name + (program ? " (or a.out)" : "");
    }
  }
  return count > kMostNamed ? text + " and " + std::to_string(count - kMostNamed) + " more" : text;
}

/// What the user may have meant by a module that is not there.
std::string meant(uint32_t pid, const std::string& module, const std::vector<Object>& objects) {
  const auto program = std::ranges::find_if(objects, &Object::executable);
  const std::vector<std::string> names = names_of_program(pid);
  if (program != objects.end() && std::ranges::find(names, module) != names.end())
    return "the file of the program " + module + " is " + program->name + ": write that, or a.out";
  Suggestion suggestion(module);
  for (const Object& object : objects) suggestion.offer(object.name);
  suggestion.offer("a.out");
  const std::string hint = suggestion.hint();
  return (hint.empty() ? "" : hint + " ") + "its modules are " + modules(objects);
}

}  // namespace

std::string why_not_there(uint32_t pid, const dtrace_probedesc_t& spec, const std::vector<Object>& objects,
                          const std::string& near) {
  const std::string process = "process " + std::to_string(pid), module = spec.dtpd_mod;
  const Field field(module), function(spec.dtpd_func);
  if (is_path(module) && field.is_exact()) return process + " has not mapped that file\nuse -Z to wait until it does";
  const std::vector<const Object*> chosen = select_objects(objects, module);
  if (!chosen.empty()) {
    const std::string of = module.empty() || chosen.size() > 1 ? "its " + std::to_string(chosen.size()) + " modules"
                                                               : chosen.front()->name;
    return process + " has no such function in " + of +
           (near.empty() ? "\nuse -Z to wait for libraries that it loads later" : near);
  }
  const std::string hint =
      field.is_exact() ? meant(pid, field.literal(), objects) : "its modules are " + modules(objects);
  return process + " has no module " + module + "\n" + hint + "; use -Z to wait for libraries that it loads later";
}

}  // namespace sonde::pid
