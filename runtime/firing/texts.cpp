// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/firing/texts.h"

#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstring>

namespace sonde {

int put_text(std::string_view text, char* to, uint32_t max) {
  if (max == 0) return -1;
  const size_t length = std::min<size_t>(text.size(), max - 1);
  std::memcpy(to, text.data(), length);
  to[length] = '\0';
  return static_cast<int>(length);
}

int put_link(const char* path, char* to, uint32_t max) {
  char target[PATH_MAX];
  const ssize_t length = readlink(path, target, sizeof target);
  return length < 0 ? -1 : put_text({target, static_cast<size_t>(length)}, to, max);
}

size_t join_arguments(char* text, size_t length) {
  while (length > 0 && text[length - 1] == '\0') length--;
  std::replace(text, text + length, '\0', ' ');
  return length;
}

}  // namespace sonde
