// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/process/kernel_files.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>

#include "runtime/base/unique_fd.h"

namespace sonde {
namespace {

constexpr size_t kUsualBytes = 8u << 20, kLeastRoom = 1u << 16;

Result<std::vector<char>> read_all_of(int file, const std::string& path) {
  std::vector<char> text(kUsualBytes);
  for (size_t used = 0;;) {
    if (text.size() - used < kLeastRoom) text.resize(2 * text.size());
    const ssize_t got = ::read(file, text.data() + used, text.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Error::from_errno(path);
    used += static_cast<size_t>(got);
    if (got > 0) continue;
    text.resize(used);
    return text;
  }
}

}  // namespace

Result<std::vector<char>> read_kernel_file(const std::string& path) {
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return Error::from_errno(path);
  return read_all_of(file.get(), path);
}

Result<std::vector<char>> read_tracefs(const std::string& name) {
  const UniqueFd context(fsopen("tracefs", FSOPEN_CLOEXEC));
  if (!context || fsconfig(context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0)
    return Error::from_errno("tracefs");
  const UniqueFd folder(fsmount(context.get(), FSMOUNT_CLOEXEC, MOUNT_ATTR_RDONLY));
  if (!folder) return Error::from_errno("tracefs");
  const UniqueFd file(openat(folder.get(), name.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return Error::from_errno(name);
  return read_all_of(file.get(), name);
}

}  // namespace sonde
