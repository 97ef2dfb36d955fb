// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/waits/file_locks.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

#include "runtime/waits/holders.h"

namespace sonde {
namespace {

using LockKind = FileLock::Kind;

std::optional<LockKind> kind_of(std::string_view word) {
  if (word == "FLOCK") return LockKind::Flock;
  if (word == "POSIX") return LockKind::Process;
  if (word == "OFDLCK") return LockKind::OpenFile;
  return std::nullopt;
}

constexpr std::string_view kLock = "lock:\t";

/// The lines of fdinfo that are locks, without their numbers.
std::vector<std::string> locks_of(uint32_t pid, int fd) {
  std::vector<std::string> found;
  std::istringstream lines(Facts::about_descriptor(pid, static_cast<uint64_t>(fd)));
  for (std::string line; std::getline(lines, line);)
    if (const size_t colon = line.find(": "); line.starts_with(kLock) && colon != std::string::npos)
      found.push_back(line.substr(colon + 2));
  return found;
}

/// What the waiter's own descriptor has, or what its process has for itself, is in nobody's way.
bool is_own(const ThreadFacts& thread, const std::vector<std::string>& own, const std::string& line,
            const FileLock& lock) {
  if (lock.kind == LockKind::Process) return lock.pid == thread.pid;
  return std::ranges::find(own, line) != own.end();
}

using Holders = std::vector<HeldFile>;

/// The locks in the way, by their lines, and who has them.
std::map<std::string, Holders> locks_in_way(Facts& facts, const ThreadFacts& thread, const FileLock& wanted,
                                            const std::string& file) {
  const std::vector<std::string> own = locks_of(thread.pid, static_cast<int>(thread.arguments[0]));
  std::map<std::string, Holders> found;
  for (const HeldFile& one : facts.holders_of(file))
    for (const std::string& line : locks_of(one.pid, one.fd))
      if (const auto held = parse_file_lock(line);
          held && stands_in_way(*held, wanted) && !is_own(thread, own, line, *held))
        found[line].push_back(one);
  return found;
}

std::string range_text(const FileLock& lock) {
  if (lock.first == 0 && lock.last == ~uint64_t{0}) return "";
  return "bytes " + std::to_string(lock.first) + " to " +
         (lock.last == ~uint64_t{0} ? "the end" : std::to_string(lock.last)) + " of ";
}

Wait wait_for_lock(Facts& facts, const ThreadFacts& thread, FileLock wanted) {
  const int fd = static_cast<int>(thread.arguments[0]);
  struct stat about {};
  const std::string path = "/proc/" + std::to_string(thread.pid) + "/fd/" + std::to_string(fd);
  const std::string file = Facts::file_of(thread.pid, thread.arguments[0]);
  const std::string text = "waits for the lock of " + range_text(wanted) + file;
  if (::stat(path.c_str(), &about) != 0) return wait_outside(text);
  wanted.inode = about.st_ino;
  const auto in_way = locks_in_way(facts, thread, wanted, file);
  if (in_way.empty()) return wait_outside(text + ", and who has it is not known");
  Wait wait{.text = text, .needs = {}};
  for (const auto& [line, holders] : in_way) {
    Wait one = wait_for_holders(facts, thread, holders, wait.needs.empty() ? ", which is held by " : " and by ");
    wait.text += one.text;
    wait.may_end = wait.may_end || one.may_end;
    wait.needs.insert(wait.needs.end(), one.needs.begin(), one.needs.end());
  }
  return wait;
}

/// The first and the last byte of what fcntl() was asked for; false: they are counted from the end of the file.
bool find_range(const ThreadFacts& thread, const struct flock& asked, FileLock& lock) {
  if (asked.l_whence != SEEK_SET && asked.l_whence != SEEK_CUR) return false;
  const auto position = static_cast<int64_t>(
      asked.l_whence == SEEK_SET ? 0 : number_behind(Facts::about_descriptor(thread.pid, thread.arguments[0]), "pos:"));
  const int64_t from = position + asked.l_start, to = from + asked.l_len;
  lock.first = static_cast<uint64_t>(std::min(from, to));
  if (asked.l_len != 0) lock.last = static_cast<uint64_t>(std::max(from, to)) - 1;
  return true;
}

}  // namespace

std::optional<FileLock> parse_file_lock(std::string_view line) {
  std::istringstream words{std::string(line)};
  std::string kind, advisory, access, place, last;
  int64_t pid = 0;
  FileLock lock;
  if (!(words >> kind >> advisory >> access >> pid >> place >> lock.first >> last) || !kind_of(kind))
    return std::nullopt;
  lock.kind = *kind_of(kind);
  lock.writes = access == "WRITE";
  lock.pid = pid > 0 ? static_cast<uint32_t>(pid) : 0;
  lock.inode = std::strtoull(place.substr(place.rfind(':') + 1).c_str(), nullptr, 10);
  if (last != "EOF") lock.last = std::strtoull(last.c_str(), nullptr, 10);
  return lock;
}

bool stands_in_way(const FileLock& held, const FileLock& wanted) {
  const bool same_kind = (held.kind == LockKind::Flock) == (wanted.kind == LockKind::Flock);
  return same_kind && held.inode == wanted.inode && (held.writes || wanted.writes) && held.first <= wanted.last &&
         wanted.first <= held.last;
}

Wait explain_flock(Facts& facts, const ThreadFacts& thread) {
  return wait_for_lock(facts, thread, {.kind = LockKind::Flock, .writes = (thread.arguments[1] & LOCK_EX) != 0});
}

Wait explain_fcntl(Facts& facts, const ThreadFacts& thread) {
  const auto command = static_cast<int>(thread.arguments[1]);
  struct flock asked {};
  if ((command != F_SETLKW && command != F_OFD_SETLKW) ||
      !Facts::read_memory(thread.pid, thread.arguments[2], &asked, sizeof asked))
    return wait_outside("waits in fcntl(), and for whom is not known");
  FileLock wanted{.kind = command == F_SETLKW ? LockKind::Process : LockKind::OpenFile,
                  .writes = asked.l_type == F_WRLCK};
  const bool known = find_range(thread, asked, wanted);
  Wait wait = wait_for_lock(facts, thread, wanted);
  wait.may_end = wait.may_end || !known;
  return wait;
}

}  // namespace sonde
