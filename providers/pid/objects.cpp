// SPDX-License-Identifier: GPL-3.0-or-later
#include "providers/pid/objects.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "providers/pid/field.h"
#include "runtime/base/procfs.h"
#include "runtime/framework/provider.h"
#include "runtime/process/elf_file.h"
#include "runtime/process/proc_maps.h"
#include "runtime/process/program_file.h"

namespace sonde::pid {
namespace {

struct Mapped {
  std::string program;
  std::vector<Object> objects;
};

void add_object(void* arg, const sonde_mapping* mapping) {
  auto& mapped = *static_cast<Mapped*>(arg);
  const FileId id{mapping->major, mapping->minor, mapping->inode};
  if (std::ranges::count(mapped.objects, id, &Object::id) != 0) return;
  mapped.objects.push_back(
      {mapping->file, std::string(base_name(mapping->path)), mapping->path == mapped.program, false, id});
}

/// "libc" is short for "libc.so.6" and "libc-2.36.so", but not for "libcrypt.so.1".
bool is_short_for(std::string_view module, std::string_view name) {
  return name.size() > module.size() && name.starts_with(module) &&
         (name[module.size()] == '.' || name[module.size()] == '-');
}

/// Why nothing is known of what a process has mapped; `error`: an errno, or 0.
std::string why_none(uint32_t pid, int error) {
  const std::string folder = "/proc/" + std::to_string(pid);
  struct stat files {};
  if (stat(folder.c_str(), &files) != 0) return "no such process";
  if (living_thread(static_cast<pid_t>(pid)) == 0)
    return "it has ended: it is a zombie, for which its parent has not waited yet";
  if (error == 0) return "it runs no program: it is a thread of the kernel, or is ending";
  if (error != EACCES && error != EPERM) return std::strerror(error);
  char status[4096];
  (void)read_proc((folder + "/status").c_str(), status, sizeof status);
  const char* ids = std::strstr(status, "\nUid:");
  unsigned real = 0, effective = ~0U;
  if (ids != nullptr) (void)std::sscanf(ids, " Uid: %u %u", &real, &effective);
  if (effective == geteuid())
    return "it is not dumpable (it has gained privileges, may not be read, or has said so by prctl()): only root may "
           "trace it";
  return "you may not trace it; only root, or who runs it, may";
}

}  // namespace

std::vector<Object> objects_of(uint32_t pid, std::string& why) {
  Mapped mapped{program_path(pid), {}};
  const int error = sonde_mappings(pid, add_object, &mapped);
  if (mapped.objects.empty()) why = why_none(pid, error);
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
