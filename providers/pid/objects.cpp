// SPDX-License-Identifier: GPL-3.0-or-later
#include "providers/pid/objects.h"

#include <fcntl.h>
#include <glob.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "providers/pid/field.h"
#include "runtime/base/procfs.h"
#include "runtime/base/unique_fd.h"
#include "runtime/framework/provider.h"
#include "runtime/process/arch.h"
#include "runtime/process/elf_file.h"
#include "runtime/process/proc_maps.h"
#include "runtime/process/program_file.h"

namespace sonde::pid {
namespace {

void add_object(void* arg, const sonde_mapping* mapping) {
  auto& objects = *static_cast<std::vector<Object>*>(arg);
  const FileId id{mapping->major, mapping->minor, mapping->inode};
  const auto known = std::ranges::find(objects, id, &Object::id);
  if (known == objects.end())
    objects.push_back({.path = mapping->file,
                       .name = std::string(base_name(mapping->path)),
                       .executable = mapping->program != 0,
                       .id = id,
                       .mapped = mapping->path});
  else
    known->executable |= mapping->program != 0;
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
    return "it has ended, and its parent has not waited for it yet (a zombie)";
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
  return "you may not trace it; only root and its owner may";
}

/// The files that a path leads to from here: one, or those that match its wildcards.
std::vector<std::string> files_at(const Field& field, std::string_view path) {
  if (field.is_exact()) return {field.literal()};
  glob_t found{};
  std::vector<std::string> files;
  if (::glob(std::string(path).c_str(), GLOB_NOSORT, nullptr, &found) == 0)
    files.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  return files;
}

/// The module field is a path.
std::vector<const Object*> objects_at(const std::vector<Object>& objects, std::string_view path) {
  const Field field(path);
  const std::vector<std::string> files = files_at(field, path);
  std::vector<const Object*> chosen;
  for (const Object& object : objects) {
    const auto is_it = [&](const std::string& file) {
      struct stat status {};
      return stat(file.c_str(), &status) == 0 && leads_to(file, object.id);
    };
    if (!object.mapped.empty() && (field.matches(object.mapped) || std::ranges::any_of(files, is_it)))
      chosen.push_back(&object);
  }
  return chosen;
}

}  // namespace

std::vector<Object> objects_of(uint32_t pid, std::string& why) {
  std::vector<Object> objects;
  const int error = sonde_mappings(pid, add_object, &objects);
  if (objects.empty()) why = why_none(pid, error);
  tell_if_descriptors_lack(error);
  if (!objects.empty() && !vdso_path().empty()) objects.push_back({.path = kVdso, .name = kVdso});
  return objects;
}

void tell_if_descriptors_lack(int error) {
  if (error != EMFILE && error != ENFILE) return;
  sonde_print_message(
      "too many files are open, so sonde cannot probe the functions of some libraries; raise ulimit -n");
}

void add_file_at(std::vector<Object>& objects, const std::string& module) {
  const Field field(module);
  if (!is_path(module) || !field.is_exact() || !select_objects(objects, module).empty()) return;
  std::error_code error;
  const std::string path = std::filesystem::canonical(field.literal(), error);
  if (error || !why_no_object(path).empty()) return;
  objects.push_back({.path = path, .name = std::string(base_name(path)), .id = shown_number(path), .mapped = path});
}

std::string why_no_object(const std::string& path) {
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return path + ": " + std::strerror(errno);
  struct stat status {};
  if (fstat(file.get(), &status) != 0) return path + ": " + std::strerror(errno);
  if (!S_ISREG(status.st_mode)) return path + " is not a regular file";
  return ElfFile::open(path) ? "" : path + " is no ELF file for " + machine::kName;
}

std::vector<const Object*> select_objects(const std::vector<Object>& objects, std::string_view module) {
  if (is_path(module)) return objects_at(objects, module);
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
