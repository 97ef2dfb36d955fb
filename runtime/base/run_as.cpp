// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/base/run_as.h"

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

namespace sonde {
namespace {

const passwd* look_up(const std::string& name) {
  if (const passwd* user = ::getpwnam(name.c_str())) return user;
  uid_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc() && end == name.data() + name.size() ? ::getpwuid(number) : nullptr;
}

}  // namespace

Result<RunAs> find_user(const std::string& name) {
  if (::geteuid() != 0) return Error("only root starts programs as another user", EPERM);
  const passwd* user = look_up(name);
  if (user == nullptr) return Error("no user '" + name + "'", ENOENT);
  int count = 0;
  ::getgrouplist(user->pw_name, user->pw_gid, nullptr, &count);
  std::vector<gid_t> groups(static_cast<size_t>(std::max(count, 1)));
  if (::getgrouplist(user->pw_name, user->pw_gid, groups.data(), &count) < 0)
    return Error("the groups of user '" + name + "' change", EAGAIN);
  groups.resize(static_cast<size_t>(count));
  return RunAs{user->pw_uid, user->pw_gid, {groups.begin(), groups.end()}};
}

int become_user(const RunAs& user, const char* path) {
  struct stat file {};
  const bool known = ::stat(path, &file) == 0;
  const uid_t uid = known && (file.st_mode & S_ISUID) != 0 ? file.st_uid : user.uid;
  const gid_t gid = known && (file.st_mode & S_ISGID) != 0 ? file.st_gid : user.gid;
  if (::setgroups(user.groups.size(), user.groups.data()) != 0) return errno;
  if (::setregid(user.gid, gid) != 0) return errno;
  return ::setreuid(user.uid, uid) == 0 ? 0 : errno;
}

}  // namespace sonde
