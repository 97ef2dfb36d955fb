// SPDX-License-Identifier: MIT OR GPL-2.0-only
#include "runtime/bpf/process_news.h"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <ctime>
#include <limits>

#include "runtime/base/clock.h"
#include "runtime/base/page.h"
#include "runtime/bpf/cpus.h"

namespace sonde::bpf {
namespace {

constexpr uint64_t kDataBytes = 64 * 1024;  ///< a power of two: some 500 mappings

// Records, behind their header and before their time.

/// PERF_RECORD_MMAP2; the path follows.
struct MappingRecord {
  uint32_t pid, tid;
  uint64_t address, bytes, offset;
  uint32_t major, minor;
  uint64_t inode, generation;
  uint32_t protection, flags;
};
/// PERF_RECORD_FORK and PERF_RECORD_EXIT, of a thread
struct TaskRecord {
  uint32_t pid, parent, tid, parent_tid;
  uint64_t time;
};
/// PERF_RECORD_COMM; the name follows.
struct NameRecord {
  uint32_t pid, tid;
};
/// PERF_RECORD_LOST
struct LostRecord {
  uint64_t id, lost;
};

Nanoseconds time_of(const std::optional<ProcessEvent>& event) {
  return event ? std::visit([](const auto& one) { return one.time; }, *event) : std::numeric_limits<Nanoseconds>::max();
}

}  // namespace

/// The kernel writes behind data_head, and we read up to it; data_tail says how far.
class ProcessNews::Buffer {
 public:
  static Result<std::shared_ptr<Buffer>> open(uint32_t cpu) {
    perf_event_attr attr{};
    attr.type = PERF_TYPE_SOFTWARE;
    attr.size = sizeof attr;
    attr.config = PERF_COUNT_SW_DUMMY;
    attr.mmap = attr.mmap2 = 1;  // mappings with the right to execute
    attr.comm = attr.comm_exec = attr.task = 1;
    attr.sample_id_all = 1;
    attr.sample_type = PERF_SAMPLE_TIME;
    attr.use_clockid = 1;
    attr.clockid = CLOCK_MONOTONIC;
    attr.watermark = 1;
    attr.wakeup_watermark = 1;
    auto made = std::make_shared<Buffer>();
    made->fd_.reset(
        static_cast<int>(syscall(SYS_perf_event_open, &attr, -1, static_cast<int>(cpu), -1, PERF_FLAG_FD_CLOEXEC)));
    if (!made->fd_) return Error::from_errno("hear of processes on CPU " + std::to_string(cpu));
    void* at = mmap(nullptr, kPage + kDataBytes, PROT_READ | PROT_WRITE, MAP_SHARED, made->fd_.get(), 0);
    if (at == MAP_FAILED) return Error::from_errno("map the buffer of news on CPU " + std::to_string(cpu));
    made->page_ = static_cast<perf_event_mmap_page*>(at);
    return made;
  }
  Buffer() = default;
  ~Buffer() {
    if (page_ != nullptr) munmap(page_, kPage + kDataBytes);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  int fd() const { return fd_.get(); }
  /// The next event, where load() has put it.
  std::optional<ProcessEvent>& next() { return next_; }
  /// Of mappings there are those of files. What others were lost is added to `lost`.
  void load(uint64_t& lost) {
    if (next_) return;
    uint64_t tail = page_->data_tail;
    // Pairs with the kernel's barrier before it writes data_head.
    const uint64_t head = std::atomic_ref(page_->data_head).load(std::memory_order_acquire);
    while (!next_ && tail < head) {
      perf_event_header header{};
      copy(tail, &header, sizeof header);
      if (header.size < sizeof header) break;
      next_ = event_of(header, tail + sizeof header, lost);
      tail += header.size;
    }
    // The kernel may write there from now on.
    std::atomic_ref(page_->data_tail).store(tail, std::memory_order_release);
  }

 private:
  void copy(uint64_t from, void* to, size_t bytes) const {
    const auto* data = reinterpret_cast<const uint8_t*>(page_) + kPage;
    for (size_t n = 0; n < bytes; n++) static_cast<uint8_t*>(to)[n] = data[(from + n) % kDataBytes];
  }

  template <typename Record>
  Record record_at(uint64_t from) const {
    Record record{};
    copy(from, &record, sizeof record);
    return record;
  }

  std::optional<ProcessEvent> event_of(const perf_event_header& header, uint64_t from, uint64_t& lost) const {
    if (header.size < sizeof header + sizeof(uint64_t)) return std::nullopt;
    const size_t bytes = header.size - sizeof header - sizeof(uint64_t);
    const Nanoseconds time(record_at<uint64_t>(from + bytes));
    switch (header.type) {
      case PERF_RECORD_LOST:
        if (bytes >= sizeof(LostRecord)) lost += record_at<LostRecord>(from).lost;
        return std::nullopt;
      case PERF_RECORD_FORK: {
        const auto record = record_at<TaskRecord>(from);
        if (bytes < sizeof record || record.pid == record.parent) return std::nullopt;  // a thread
        return NewProcess{record.pid, record.parent, time};
      }
      case PERF_RECORD_EXIT: {
        const auto record = record_at<TaskRecord>(from);
        if (bytes < sizeof record || record.pid != record.tid) return std::nullopt;
        return ProcessEnd{record.pid, time};
      }
      case PERF_RECORD_COMM:
        if (bytes < sizeof(NameRecord) || (header.misc & PERF_RECORD_MISC_COMM_EXEC) == 0) return std::nullopt;
        return NewProgram{record_at<NameRecord>(from).pid, time};
      case PERF_RECORD_MMAP2: return mapping_of(from, bytes, time);
      default: return std::nullopt;
    }
  }

  std::optional<ProcessEvent> mapping_of(uint64_t from, size_t bytes, Nanoseconds time) const {
    const auto record = record_at<MappingRecord>(from);
    if (bytes <= sizeof record) return std::nullopt;
    std::string path(bytes - sizeof record, '\0');
    copy(from + sizeof record, path.data(), path.size());
    path.resize(std::strlen(path.c_str()));
    if (record.inode == 0 || !path.starts_with('/') || path.starts_with("//")) return std::nullopt;  // "//anon"
    return NewMapping{record.pid,   time,         record.address, record.bytes,   record.offset,
                      record.major, record.minor, record.inode,   std::move(path)};
  }

  std::optional<ProcessEvent> next_;
  UniqueFd fd_;
  perf_event_mmap_page* page_ = nullptr;
};

Result<ProcessNews> ProcessNews::open() {
  ProcessNews made;
  for (const uint32_t cpu : online_cpus()) {
    auto buffer = Buffer::open(cpu);
    if (!buffer) return std::move(buffer).error();
    made.fds_.push_back((*buffer)->fd());
    made.buffers_.push_back(std::move(*buffer));
  }
  return made;
}

void ProcessNews::load() {
  for (const auto& buffer : buffers_) buffer->load(lost_);
}

/// A process goes from CPU to CPU, and a buffer that was empty may have an earlier event by now: so an event that happened
/// after the buffers were looked at waits until they have been looked at again.
std::optional<ProcessEvent> ProcessNews::take() {
  const auto first = [this] {
    return std::ranges::min_element(buffers_, {}, [](const auto& buffer) { return time_of(buffer->next()); });
  };
  load();
  auto found = first();
  if (found == buffers_.end() || !(*found)->next()) return std::nullopt;
  if (time_of((*found)->next()) > loaded_) {
    loaded_ = monotonic_now();
    load();
    found = first();
  }
  return std::exchange((*found)->next(), std::nullopt);
}

}  // namespace sonde::bpf
