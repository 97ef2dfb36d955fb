// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/process/lacking.h"

#include <sys/stat.h>

#include <cerrno>
#include <string_view>

#include "runtime/base/procfs.h"
#include "runtime/process/jit_map.h"
#include "runtime/process/proc_maps.h"

namespace sonde {
namespace {

constexpr uint64_t kMostLines = 16;

/// How to start a language's runtime, by the beginning of its program's name, so that there is more to see.
struct Remedy {
  std::string_view program, names, frames;
};

constexpr std::string_view kNode = "start it with --perf-basic-prof --interpreted-frames-native-stack";
constexpr std::string_view kPython = "start it with -X perf (from 3.12 on)";
constexpr Remedy kRemedies[] = {
    {"node", kNode, kNode},
    {"java", R"("jcmd PID Compiler.perfmap" names it (from 17 on))", "start it with -XX:+PreserveFramePointer"},
    {"python", kPython, kPython},
    {"dotnet", "start it with DOTNET_PerfMapEnabled=1", "start it with DOTNET_PerfMapEnabled=1"},
    {"", "only the program itself can name it, in /tmp/perf-PID.map", "its compiler must keep frame pointers"},
};

const Remedy& remedy_for(std::string_view program) {
  const Remedy* found = kRemedies;
  while (!program.starts_with(found->program)) found++;
  return *found;
}

/// With the process's number for PID.
std::string filled(std::string_view remedy, pid_t pid) {
  std::string text(remedy);
  if (const size_t at = text.find("PID"); at != text.npos) text.replace(at, 3, std::to_string(pid));
  return text;
}

std::string text_of(pid_t pid, const std::string& program, const LackingStack& found) {
  const Remedy& remedy = remedy_for(program);
  const std::string start = "process " + std::to_string(pid) + (program.empty() ? "" : " (" + program + ")");
  switch (found.lack) {
    case Lack::Names:
      return start + ": functions that it compiled at run time have no names in stacks: " + filled(remedy.names, pid);
    case Lack::Frames:
      return start + ": stacks end at code that it compiled at run time, which has no frame information: " +
             filled(remedy.frames, pid);
    case Lack::Table: break;
  }
  return start + ": stacks end at " + found.file +
         ", which has no frame information: build it with -fno-omit-frame-pointer, or keep its .eh_frame";
}

}  // namespace

std::string LackingLines::next(pid_t pid, const std::string& program, const LackingStack& found) {
  if (told_ > kMostLines) return {};
  if (told_++ < kMostLines) return text_of(pid, program, found);
  return "stacks of more processes end early or have no names; sonde names no more of them";
}

std::string program_of(pid_t pid) {
  const std::string path = read_link("/proc/" + std::to_string(pid) + "/exe");
  return path.substr(path.rfind('/') + 1);
}

bool lacks_name_map(pid_t pid) {
  if (has_own_root(static_cast<uint32_t>(pid))) return false;
  const auto place = JitMapPlace::of(static_cast<uint32_t>(pid), false);
  const std::string name = place ? place->name : "perf-" + std::to_string(pid) + ".map";  // of a process that has ended
  struct stat found {};
  return lstat(("/tmp/" + name).c_str(), &found) != 0 && errno == ENOENT;
}

}  // namespace sonde
