// SPDX-License-Identifier: GPL-3.0-or-later
// The call that a thread sleeps in
//
// A tracer that attaches to a sleeping thread learns nothing of its call before it returns. /proc/PID/task/TID/syscall
// has the number and the arguments, and the memory that the kernel reads can be read, too: so what the fire part
// captures at an entry is read here from outside. Only captures whose size is known are read; the others show as
// addresses.
#include "runtime/syscall/present_call.h"

#include <unistd.h>

#include <algorithm>
#include <climits>
#include <deque>
#include <fstream>
#include <vector>

#include "runtime/base/page.h"
#include "runtime/process/proc_maps.h"
#include "runtime/process/syscall_table.h"
#include "runtime/syscall/decode.h"

namespace sonde {
namespace {

/// Memory of one call, with its own copy of the bytes.
class PresentMemory {
 public:
  PresentMemory(uint32_t pid, const SystemCall& call, const ReadMemory& read) : pid_(pid), call_(call), read_(read) {}

  const CallMemory& take(std::span<const CallCapture> captures) {
    for (const CallCapture& capture : captures) {
      const uint64_t argument = call_.arguments[capture.argument % call_.arguments.size()];
      if (capture.pointer_at >= 0 || capture.argument == kTheResult) continue;
      if (capture.kind == CallCapture::Kind::Descriptor) describe(static_cast<int>(argument));
      if (capture.kind == CallCapture::Kind::Text) keep(argument, read_text(read_, argument, capture.most));
      if (capture.kind == CallCapture::Kind::Bytes) take_bytes(argument, size_of(capture));
    }
    return memory_;
  }

 private:
  void describe(int descriptor) {
    char path[PATH_MAX];
    const std::string link = "/proc/" + std::to_string(pid_) + "/fd/" + std::to_string(descriptor);
    const ssize_t length = ::readlink(link.c_str(), path, sizeof path);
    if (length > 0) memory_.describe(descriptor, {path, static_cast<size_t>(length)});
  }

  void take_bytes(uint64_t address, uint64_t size) {
    std::string bytes(size, '\0');
    if (size != 0 && read_(address, {reinterpret_cast<uint8_t*>(bytes.data()), size}))
      keep(address, {std::move(bytes), false});
  }

  void keep(uint64_t address, ForeignText text) {
    if (text.text.empty() && text.cut) return;  // nothing could be read
    kept_.push_back(std::move(text.text));
    memory_.add({address, kept_.back(), text.cut});
  }

  uint64_t size_of(const CallCapture& capture) const {
    uint64_t units = 0;
    if (capture.count == CallCapture::Count::Fixed) units = capture.most;
    if (capture.count == CallCapture::Count::Argument) {
      units = call_.arguments[capture.counted_by];
      if (capture.narrow) units = static_cast<uint32_t>(units);
    }
    return std::min<uint64_t>(units, capture.most) * capture.unit;
  }

  uint32_t pid_;
  const SystemCall& call_;
  const ReadMemory& read_;
  std::deque<std::string> kept_;
  CallMemory memory_;
};

}  // namespace

ForeignText read_text(const ReadMemory& read, uint64_t address, size_t most) {
  ForeignText found;
  while (found.cut && found.text.size() < most) {
    const uint64_t at = address + found.text.size();
    std::vector<uint8_t> bytes(std::min<uint64_t>(kPage - at % kPage, most - found.text.size()));
    if (!read(at, bytes)) break;
    const auto end = std::ranges::find(bytes, 0);
    found.text.append(bytes.begin(), end);
    found.cut = end == bytes.end();
  }
  return found;
}

std::string present_call(uint32_t pid, uint32_t tid, const ReadMemory& read) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/task/" + std::to_string(tid) + "/syscall");
  int64_t number = -1;
  SystemCall call;
  if (!(file >> number) || number < 0 || runs_compat_program(pid)) return {};
  for (uint64_t& argument : call.arguments) file >> std::hex >> argument;
  call.number = static_cast<uint32_t>(number);
  const SyscallInfo* info = find_syscall(call.number);
  if (!file || info == nullptr) return {};
  PresentMemory memory(pid, call, read);
  const CaptureNeeds needs{.arguments = true, .descriptors = true};
  return std::string(info->name) + "(" + decode_arguments(call, memory.take(captures_of(call.number, needs)));
}

}  // namespace sonde
