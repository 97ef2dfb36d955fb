// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/waits/facts.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <sstream>
#include <utility>

#include "runtime/base/procfs.h"
#include "runtime/base/unique_fd.h"
#include "runtime/process/namespaces.h"
#include "runtime/process/syscall_table.h"

namespace sonde {
namespace {

constexpr size_t kLongestName = 48;

std::string folder_of(uint32_t pid) { return "/proc/" + std::to_string(pid); }

std::string folder_of(uint32_t pid, uint32_t tid) { return folder_of(pid) + "/task/" + std::to_string(tid); }

/// The last number of a line as "NSpid: 4711 12", which is that of the innermost namespace.
uint32_t last_number_behind(std::string_view text, std::string_view key) {
  const size_t at = text.find(key);
  if (at == std::string_view::npos) return 0;
  std::string_view line = text.substr(at + key.size());
  line = line.substr(0, line.find('\n'));
  line.remove_prefix(std::min(line.find_last_of(" \t") + 1, line.size()));
  uint32_t number = 0;
  std::from_chars(line.data(), line.data() + line.size(), number);
  return number;
}

/// A line as it can be printed: no control characters, not too long.
std::string printable(std::string text) {
  for (char& c : text)
    if (std::iscntrl(static_cast<unsigned char>(c)) != 0) c = ' ';
  text.erase(text.find_last_not_of(' ') + 1);
  if (text.size() > kLongestName) text = text.substr(0, kLongestName - 3) + "...";
  return text;
}

/// A command line, with the name of its program in place of the path.
std::string without_folder(const std::string& words) {
  const size_t slash = words.substr(0, words.find_first_of(std::string_view("\0 ", 2))).rfind('/');
  return slash == std::string::npos ? words : words.substr(slash + 1);
}

std::string first_line(const std::string& path) {
  const std::string text = text_of_file(path);
  return text.substr(0, text.find('\n'));
}

/// "202 0x7f.. 0x80 0x2 0x0 0x0 0x0 0x7ffc.. 0x7f..": the call, its arguments, stack pointer, program counter.
void parse_call(ThreadFacts& thread) {
  std::istringstream words(thread.call_line);
  int64_t number = -1;
  if (!(words >> number) || number < 0) return;
  thread.call = syscall_of_native(static_cast<uint32_t>(number));
  std::string word;
  while (thread.arguments.size() < 6 && words >> word)
    thread.arguments.push_back(std::strtoull(word.c_str(), nullptr, 16));
  if (words >> word) thread.stack_pointer = std::strtoull(word.c_str(), nullptr, 16);
}

/// "futex_do_wait" of "[<0>] futex_do_wait+0x38/0x60".
std::vector<std::string> read_kernel_stack(const std::string& folder) {
  std::vector<std::string> frames;
  std::istringstream lines(text_of_file(folder + "/stack"));
  for (std::string line; std::getline(lines, line);) {
    const size_t begin = line.find("] "), end = line.find('+');
    if (begin != std::string::npos && end != std::string::npos && begin + 2 < end)
      frames.push_back(line.substr(begin + 2, end - begin - 2));
  }
  return frames;
}

uint64_t switches_of(const std::string& status) {
  return number_behind(status, "\nvoluntary_ctxt_switches:") + number_behind(status, "\nnonvoluntary_ctxt_switches:");
}

char state_of(const std::string& status) {
  const size_t at = status.find("\nState:\t");
  return at == std::string::npos ? 'X' : status[at + 8];
}

}  // namespace

std::string text_of_file(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  char part[4096];
  for (ssize_t got; file && (got = ::read(file.get(), part, sizeof part)) > 0;)
    text.append(part, static_cast<size_t>(got));
  return text;
}

uint64_t number_behind(std::string_view text, std::string_view key, int base) {
  size_t at = text.find(key);
  if (at == std::string_view::npos) return 0;
  at = std::min(text.find_first_not_of(" \t", at + key.size()), text.size());
  uint64_t number = 0;
  std::from_chars(text.data() + at, text.data() + text.size(), number, base);
  return number;
}

std::vector<uint32_t> numbers_in(const std::string& folder) {
  std::vector<uint32_t> numbers;
  std::error_code failed;
  for (std::filesystem::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    const std::string name = at->path().filename().string();
    uint32_t number = 0;
    const auto [behind, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error == std::errc() && behind == name.data() + name.size()) numbers.push_back(number);
  }
  std::ranges::sort(numbers);
  return numbers;
}

std::optional<ThreadFacts> read_thread(uint32_t pid, uint32_t tid) {
  const std::string folder = folder_of(pid, tid);
  const std::string status = text_of_file(folder + "/status");
  if (status.empty()) return std::nullopt;
  ThreadFacts thread;
  thread.tid = tid;
  thread.pid = pid;
  thread.number = last_number_behind(status, "\nNSpid:");
  thread.state = state_of(status);
  thread.switches = switches_of(status);
  thread.name = printable(first_line(folder + "/comm"));
  thread.call_line = first_line(folder + "/syscall");
  parse_call(thread);
  if (!thread.call) return thread;
  thread.sleeps_in = first_line(folder + "/wchan");
  thread.kernel_stack = read_kernel_stack(folder);
  return thread;
}

bool unchanged(const ThreadFacts& before) {
  const std::string folder = folder_of(before.pid, before.tid);
  const std::string line = first_line(folder + "/syscall"), status = text_of_file(folder + "/status");
  return line == before.call_line && state_of(status) == before.state && switches_of(status) == before.switches;
}

std::optional<ProcessFacts> read_process(uint32_t pid) {
  const std::string folder = folder_of(pid), status = text_of_file(folder + "/status");
  if (status.empty() || number_behind(status, "\nTgid:") != pid) return std::nullopt;
  ProcessFacts process;
  process.pid = pid;
  process.parent = static_cast<uint32_t>(number_behind(status, "\nPPid:"));
  process.tracer = static_cast<uint32_t>(number_behind(status, "\nTracerPid:"));
  process.number = static_cast<uint32_t>(innermost_pid(status));
  process.caught = number_behind(status, "\nSigCgt:", 16);
  process.name = printable(without_folder(text_of_file(folder + "/cmdline")));
  if (process.name.empty()) process.name = printable(first_line(folder + "/comm"));
  return process;
}

const std::map<uint32_t, ProcessFacts>& Facts::processes() {
  if (!std::exchange(has_processes_, true))
    for (uint32_t pid : numbers_in("/proc"))
      if (auto process = read_process(pid)) processes_.emplace(pid, std::move(*process));
  return processes_;
}

const ProcessFacts& Facts::process(uint32_t pid) {
  const auto known = processes_.find(pid);
  if (known != processes_.end()) return known->second;
  return processes_[pid] = read_process(pid).value_or(ProcessFacts{});
}

const std::map<uint32_t, ThreadFacts>& Facts::threads_of(uint32_t pid) {
  const auto [threads, is_new] = threads_.try_emplace(pid);
  if (!is_new) return threads->second;
  for (uint32_t tid : numbers_in(folder_of(pid) + "/task"))
    if (auto thread = read_thread(pid, tid); thread && !thread->has_ended())
      threads->second.emplace(tid, std::move(*thread));
  // Behind its threads: one that executes another program after this is not unchanged().
  if (auto process = read_process(pid)) processes_[pid] = std::move(*process);
  return threads->second;
}

std::vector<uint32_t> Facts::living_threads_of(uint32_t pid) {
  std::vector<uint32_t> living;
  for (const auto& [tid, thread] : threads_of(pid)) living.push_back(tid);
  return living;
}

const ThreadFacts* Facts::thread(uint32_t pid, uint32_t tid) {
  const auto& threads = threads_of(pid);
  const auto found = threads.find(tid);
  return found == threads.end() ? nullptr : &found->second;
}

const ThreadFacts* Facts::known_thread(uint32_t tid) const {
  for (const auto& [pid, threads] : threads_)
    if (const auto found = threads.find(tid); found != threads.end()) return &found->second;
  return nullptr;
}

const ThreadFacts* Facts::find_thread(uint32_t pid, uint32_t number) {
  for (const auto& [tid, thread] : threads_of(pid))
    if (thread.number == number) return &thread;
  const uint64_t space = inode_of(folder_of(pid) + "/ns/pid");
  if (space != 0 && space == inode_of("/proc/self/ns/pid")) {
    const pid_t owner = process_of_thread(static_cast<pid_t>(number));
    return owner == 0 ? nullptr : thread(static_cast<uint32_t>(owner), number);
  }
  for (const auto& [other, facts] : processes()) {
    if (other == pid || inode_of(folder_of(other) + "/ns/pid") != space) continue;
    for (const auto& [tid, thread] : threads_of(other))
      if (thread.number == number) return &thread;
  }
  return nullptr;
}

void Facts::read_descriptors(uint32_t pid) {
  const std::string folder = folder_of(pid) + "/fd";
  const UniqueFd opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened || ::access((folder + "/.").c_str(), X_OK) != 0) {
    closed_.insert(pid);
    return;
  }
  for (uint32_t fd : numbers_in(folder)) {
    const std::string link = folder + "/" + std::to_string(fd);
    struct stat about {};
    if (::lstat(link.c_str(), &about) != 0) continue;
    holders_[read_link(link)].push_back(
        {pid, static_cast<int>(fd), (about.st_mode & S_IRUSR) != 0, (about.st_mode & S_IWUSR) != 0});
  }
}

void Facts::read_descriptors() {
  if (std::exchange(has_descriptors_, true)) return;
  for (const auto& [pid, process] : processes()) read_descriptors(pid);
}

const std::vector<HeldFile>& Facts::holders_of(const std::string& file) {
  read_descriptors();
  return holders_[file];
}

const std::set<uint32_t>& Facts::closed_processes() {
  read_descriptors();
  return closed_;
}

bool Facts::may_be_inherited(const std::vector<HeldFile>& holders) {
  const auto holds = [&](uint32_t pid) { return std::ranges::find(holders, pid, &HeldFile::pid) != holders.end(); };
  return std::ranges::any_of(closed_processes(), [&](uint32_t pid) { return holds(process(pid).parent); });
}

std::string Facts::file_of(uint32_t pid, uint64_t fd) {
  return read_link(folder_of(pid) + "/fd/" + std::to_string(static_cast<uint32_t>(fd)));
}

std::string Facts::about_descriptor(uint32_t pid, uint64_t fd) {
  return text_of_file(folder_of(pid) + "/fdinfo/" + std::to_string(static_cast<uint32_t>(fd)));
}

bool Facts::read_memory(uint32_t pid, uint64_t address, void* to, size_t size) {
  const UniqueFd memory(::open((folder_of(pid) + "/mem").c_str(), O_RDONLY | O_CLOEXEC));
  return memory && ::pread(memory.get(), to, size, static_cast<off_t>(address)) == static_cast<ssize_t>(size);
}

std::string Facts::name_of_process(uint32_t pid) {
  return "process " + std::to_string(pid) + " (" + process(pid).name + ")";
}

std::string Facts::name_of(uint32_t pid, uint32_t tid, uint32_t to_pid) {
  const auto& threads = threads_of(pid);
  if (threads.size() == 1 && tid == pid) return name_of_process(pid);
  const auto thread = threads.find(tid);
  const std::string name =
      "thread " + std::to_string(tid) + (thread == threads.end() ? "" : " (" + thread->second.name + ")");
  return pid == to_pid ? name : name + " of " + name_of_process(pid);
}

}  // namespace sonde
