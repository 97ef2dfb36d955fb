// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/guard/withheld_rights.h"

#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "runtime/base/procfs.h"

namespace sonde::guard {

std::string withheld_rights(pid_t pid) {
  if (geteuid() == 0 || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1) return {};
  const std::string path = proc_folder(pid) + "/exe";
  struct stat file {};
  struct statvfs system {};
  if (stat(path.c_str(), &file) != 0 || statvfs(path.c_str(), &system) != 0 || (system.f_flag & ST_NOSUID) != 0)
    return {};
  if ((file.st_mode & S_ISUID) != 0 && file.st_uid != geteuid()) return "set-user-ID";
  if ((file.st_mode & S_ISGID) != 0 && (file.st_mode & S_IXGRP) != 0 && file.st_gid != getegid()) return "set-group-ID";
  return getxattr(path.c_str(), "security.capability", nullptr, 0) > 0 ? "capabilities" : "";
}

}  // namespace sonde::guard
