// SPDX-License-Identifier: GPL-3.0-or-later
#include "providers/pid/objects.h"

#include <algorithm>

#include "providers/pid/field.h"
#include "runtime/framework/provider.h"
#include "runtime/process/elf_file.h"
#include "runtime/process/proc_maps.h"

namespace sonde::pid {
namespace {

struct Mapped {
  std::string program;
  std::vector<std::string> paths;  ///< the process's paths of the objects, in their order
  std::vector<Object> objects;
};

void add_object(void* arg, const sonde_mapping* mapping) {
  auto& mapped = *static_cast<Mapped*>(arg);
  if (std::ranges::count(mapped.paths, mapping->path) != 0) return;
  mapped.paths.emplace_back(mapping->path);
  mapped.objects.push_back({mapping->file, std::string(base_name(mapping->path)), mapping->path == mapped.program});
}

/// "libc" is short for "libc.so.6" and "libc-2.36.so", but not for "libcrypt.so.1".
bool is_short_for(std::string_view module, std::string_view name) {
  return name.size() > module.size() && name.starts_with(module) &&
         (name[module.size()] == '.' || name[module.size()] == '-');
}

}  // namespace

std::vector<Object> objects_of(uint32_t pid) {
  Mapped mapped{program_path(pid), {}, {}};
  sonde_mappings(pid, add_object, &mapped);
  if (!mapped.objects.empty() && !vdso_path().empty()) mapped.objects.push_back({kVdso, kVdso});
  return std::move(mapped.objects);
}

std::vector<const Object*> select_objects(const std::vector<Object>& objects, std::string_view module) {
  const Field glob(module);
  std::vector<const Object*> chosen;
  const bool any = module.find_first_not_of('*') == module.npos;
  for (const Object& object : objects) {
    if (any && object.compiled) continue;
    if (glob.matches(object.name) || (object.executable && module == "a.out")) chosen.push_back(&object);
  }
  if (!chosen.empty() || !glob.is_exact()) return chosen;
  for (const Object& object : objects)
    if (is_short_for(glob.literal(), object.name)) chosen.push_back(&object);
  return chosen;
}

}  // namespace sonde::pid
