// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/process/served_files.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <vector>

#include "runtime/base/interrupt.h"
#include "runtime/base/thread.h"
#include "runtime/base/unique_fd.h"

namespace sonde {
namespace {

using Clock = std::chrono::steady_clock;

using std::chrono::milliseconds;

constexpr milliseconds kPatience(1000), kPatienceAtTheEnd(200), kLook(20);  // without progress
constexpr std::chrono::seconds kLeftAlone(10);
constexpr uint64_t kMostCopied = 1u << 30;  // bytes of all copies

/// What a thread does for sonde. It may outlive the wait, so both own it.
struct Job {
  std::atomic<uint64_t> copied{0};
  std::atomic<uint64_t> room{0};
  std::mutex mutex;
  std::condition_variable ended;
  std::optional<Result<UniqueFd>> result;
  std::string original;
};

struct Copy {
  UniqueFd bytes;
  std::string path;
  CopiedFile of;
};

struct Copies {
  bool refused = false;
  uint64_t size = 0;
  std::map<FileId, Copy> files;
  std::map<std::pair<uint32_t, uint32_t>, Clock::time_point> silent;  ///< devices whose server did not answer
};

Copies& copies() {
  static Copies all;
  return all;
}

Result<UniqueFd> copy_file(const std::string& path, Job& job) {
  const UniqueFd from(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!from) return Error::from_errno("open " + path);
  UniqueFd to(memfd_create("sonde-copy", MFD_CLOEXEC));
  if (!to) return Error::from_errno("memfd_create");
  std::vector<char> chunk(1u << 20);
  for (;;) {
    const ssize_t got = read(from.get(), chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Error::from_errno("read " + path);
    if (got == 0) return to;
    if (job.copied + static_cast<uint64_t>(got) > job.room) return Error(path + " is too large to be copied", EFBIG);
    if (write(to.get(), chunk.data(), static_cast<size_t>(got)) != got) return Error::from_errno("copy " + path);
    job.copied += static_cast<uint64_t>(got);
  }
}

void run_job(Job& job, uint32_t pid, const MapEntry& entry) {
  auto path = find_file(pid, entry);
  auto made = path ? copy_file(*path, job) : Result<UniqueFd>(std::move(path).error());
  const std::lock_guard lock(job.mutex);
  if (path) job.original = *path;
  job.result.emplace(std::move(made));
  job.ended.notify_one();
}

/// Waits for the job's end. False: it does not get on.
bool wait_for(Job& job) {
  std::unique_lock lock(job.mutex);
  uint64_t copied = 0;
  for (auto since = Clock::now(); !job.result; job.ended.wait_for(lock, kLook)) {
    if (job.copied != copied) since = Clock::now();
    copied = job.copied;
    if (Clock::now() - since > (interrupted() ? kPatienceAtTheEnd : kPatience)) return false;
  }
  return true;
}

Error unanswered(const MapEntry& entry) {
  return Error(entry.path + " is on a file system whose server does not answer", ETIMEDOUT);
}

}  // namespace

void refuse_served_files() { copies().refused = true; }

Result<std::string> copy_of_served(uint32_t pid, const MapEntry& entry) {
  Copies& all = copies();
  if (all.refused) return Error(entry.path + " is on a file system that somebody serves", EAGAIN);
  if (const auto known = all.files.find(entry.file); known != all.files.end()) return known->second.path;
  const std::pair device(entry.file.major, entry.file.minor);
  if (const auto silent = all.silent.find(device); silent != all.silent.end() && Clock::now() < silent->second)
    return unanswered(entry);
  const auto job = std::make_shared<Job>();
  job->room = kMostCopied - all.size;
  try {
    start_thread([job, pid, entry] { run_job(*job, pid, entry); }).detach();
  } catch (const std::system_error& error) {
    return Error(entry.path + ": " + error.what(), EAGAIN);
  }
  if (!wait_for(*job)) {
    all.silent[device] = Clock::now() + kLeftAlone;
    return unanswered(entry);
  }
  if (!*job->result) return std::move(*job->result).error();
  all.size += job->copied;
  Copy copy{std::move(**job->result), "", {entry.file, job->original}};
  copy.path = "/proc/self/fd/" + std::to_string(copy.bytes.get());
  return all.files.emplace(entry.file, std::move(copy)).first->second.path;
}

const CopiedFile* copied_file(const std::string& path) {
  for (const auto& [file, copy] : copies().files)
    if (copy.path == path) return &copy.of;
  return nullptr;
}

std::string path_of_copy(const FileId& file) {
  const auto found = copies().files.find(file);
  return found == copies().files.end() ? "" : found->second.path;
}

}  // namespace sonde
