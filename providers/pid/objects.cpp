// SPDX-License-Identifier: GPL-3.0-or-later
#include "providers/pid/objects.h"

#include <unistd.h>

#include <algorithm>

#include "providers/pid/field.h"
#include "runtime/framework/provider.h"
#include "runtime/process/elf_file.h"
#include "runtime/process/proc_maps.h"

namespace sonde::pid {
namespace {

std::string executable_of(uint32_t pid) {
  char path[4096];
  const std::string link = "/proc/" + std::to_string(pid) + "/exe";
  const ssize_t length = readlink(link.c_str(), path, sizeof path);
  return length > 0 ? std::string(path, static_cast<size_t>(length)) : "";
}

void add_object(void* arg, const sonde_mapping* mapping) {
  auto& objects = *static_cast<std::vector<Object>*>(arg);
  if (std::ranges::find(objects, mapping->path, &Object::path) != objects.end()) return;
  objects.push_back({mapping->path, std::string(base_name(mapping->path))});
}

/// "libc" begins "libc.so.6" and "libc-2.36.so", but not "libcrypt.so.1".
bool is_short_for(std::string_view module, std::string_view name) {
  return name.size() > module.size() && name.starts_with(module) &&
         (name[module.size()] == '.' || name[module.size()] == '-');
}

}  // namespace

std::vector<Object> objects_of(uint32_t pid) {
  std::vector<Object> objects;
  sonde_mappings(pid, add_object, &objects);
  if (!objects.empty() && !vdso_path().empty()) objects.push_back({kVdso, kVdso});
  const std::string executable = executable_of(pid);
  for (Object& object : objects) object.executable = object.path == executable;
  return objects;
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
  for (const Object& object : objects) {
    if (is_short_for(glob.literal(), object.name)) chosen.push_back(&object);
  }
  return chosen;
}

}  // namespace sonde::pid
