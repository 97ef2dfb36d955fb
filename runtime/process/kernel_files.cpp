// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/process/kernel_files.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "runtime/base/unique_fd.h"

namespace sonde {
namespace {

constexpr size_t kUsualBytes = 16u << 20, kLeastRoom = 1u << 16;

Result<KernelText> read_all_of(int file, const std::string& path) {
  size_t room = kUsualBytes;
  KernelText text{std::make_unique_for_overwrite<char[]>(room), 0};
  for (;;) {
    if (room - text.size < kLeastRoom) {
      auto wider = std::make_unique_for_overwrite<char[]>(room *= 2);
      std::memcpy(wider.get(), text.bytes.get(), text.size);
      text.bytes = std::move(wider);
    }
    const ssize_t got = ::read(file, text.bytes.get() + text.size, room - text.size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Error::from_errno(path);
    if (got == 0) return text;
    text.size += static_cast<size_t>(got);
  }
}

}  // namespace

Result<KernelText> read_kernel_file(const std::string& path) {
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return Error::from_errno(path);
  return read_all_of(file.get(), path);
}

Result<KernelText> read_tracefs(const std::string& name) {
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
