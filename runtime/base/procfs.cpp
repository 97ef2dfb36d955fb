// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/base/procfs.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstring>

#include "runtime/base/unique_fd.h"

namespace sonde {

ssize_t read_proc(const char* path, char* to, size_t size) {
  const UniqueFd file(open(path, O_RDONLY | O_CLOEXEC));
  const ssize_t got = file ? read(file.get(), to, size - 1) : -1;
  to[std::max<ssize_t>(got, 0)] = '\0';
  return got;
}

const char* stat_field(const char* text, int number) {
  const char* at = std::strrchr(text, ')');  // field 2, the name in parentheses, may contain anything
  for (int field = 2; at != nullptr && field < number; field++) at = std::strchr(at + 1, ' ');
  return at == nullptr ? nullptr : at + 1;
}

std::string read_link(const std::string& link) {
  char text[PATH_MAX];
  const ssize_t length = readlink(link.c_str(), text, sizeof text);
  return {text, static_cast<size_t>(std::max<ssize_t>(length, 0))};
}

}  // namespace sonde
