// SPDX-License-Identifier: MIT OR GPL-2.0-only
#include "runtime/bpf/file_news.h"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>

#include "runtime/base/page.h"
#include "runtime/bpf/cpus.h"

namespace sonde::bpf {
namespace {

constexpr uint64_t kDataBytes = 64 * 1024;  ///< a power of two: some 500 mappings

/// PERF_RECORD_MMAP2, behind its header; the path follows.
struct MappingRecord {
  uint32_t pid, tid;
  uint64_t address, bytes, offset;
  uint32_t major, minor;
  uint64_t inode, generation;
  uint32_t protection, flags;
};
/// PERF_RECORD_LOST
struct LostRecord {
  uint64_t id, lost;
};

}  // namespace

/// The kernel writes behind data_head, and we read up to it; data_tail says how far.
class FileNews::Buffer {
 public:
  static Result<std::shared_ptr<Buffer>> open(uint32_t cpu) {
    perf_event_attr attr{};
    attr.type = PERF_TYPE_SOFTWARE;
    attr.size = sizeof attr;
    attr.config = PERF_COUNT_SW_DUMMY;
    attr.mmap = attr.mmap2 = 1;  // mappings with the right to execute
    attr.watermark = 1;
    attr.wakeup_watermark = 1;
    auto made = std::make_shared<Buffer>();
    made->fd_.reset(
        static_cast<int>(syscall(SYS_perf_event_open, &attr, -1, static_cast<int>(cpu), -1, PERF_FLAG_FD_CLOEXEC)));
    if (!made->fd_) return Error::from_errno("hear of mappings on CPU " + std::to_string(cpu));
    void* at = mmap(nullptr, kPage + kDataBytes, PROT_READ | PROT_WRITE, MAP_SHARED, made->fd_.get(), 0);
    if (at == MAP_FAILED) return Error::from_errno("map the buffer of mappings on CPU " + std::to_string(cpu));
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
  /// The next mapping of a file. What others were lost is added to `lost`.
  std::optional<NewMapping> take(uint64_t& lost) {
    uint64_t tail = page_->data_tail;
    // Pairs with the kernel's barrier before it writes data_head.
    const uint64_t head =
        std::atomic_ref(*reinterpret_cast<uint64_t*>(&page_->data_head)).load(std::memory_order_acquire);
    std::optional<NewMapping> found;
    while (!found && tail < head) {
      perf_event_header header{};
      copy(tail, &header, sizeof header);
      if (header.size < sizeof header) break;
      found = mapping_of(header, tail + sizeof header, lost);
      tail += header.size;
    }
    // The kernel may write there from now on.
    std::atomic_ref(*reinterpret_cast<uint64_t*>(&page_->data_tail)).store(tail, std::memory_order_release);
    return found;
  }

 private:
  void copy(uint64_t from, void* to, size_t bytes) const {
    const auto* data = reinterpret_cast<const uint8_t*>(page_) + kPage;
    for (size_t n = 0; n < bytes; n++) static_cast<uint8_t*>(to)[n] = data[(from + n) % kDataBytes];
  }

  std::optional<NewMapping> mapping_of(const perf_event_header& header, uint64_t from, uint64_t& lost) const {
    const size_t bytes = header.size - sizeof header;
    if (header.type == PERF_RECORD_LOST && bytes >= sizeof(LostRecord)) {
      LostRecord record{};
      copy(from, &record, sizeof record);
      lost += record.lost;
    }
    if (header.type != PERF_RECORD_MMAP2 || bytes <= sizeof(MappingRecord)) return std::nullopt;
    MappingRecord record{};
    copy(from, &record, sizeof record);
    std::string path(bytes - sizeof record, '\0');
    copy(from + sizeof record, path.data(), path.size());
    path.resize(std::strlen(path.c_str()));
    if (record.inode == 0 || !path.starts_with('/') || path.starts_with("//")) return std::nullopt;  // "//anon"
    return NewMapping{record.pid,   record.address, record.bytes, record.offset,
                      record.major, record.minor,   record.inode, std::move(path)};
  }

  UniqueFd fd_;
  perf_event_mmap_page* page_ = nullptr;
};

Result<FileNews> FileNews::open() {
  FileNews made;
  for (const uint32_t cpu : online_cpus()) {
    auto buffer = Buffer::open(cpu);
    if (!buffer) return std::move(buffer).error();
    made.fds_.push_back((*buffer)->fd());
    made.buffers_.push_back(std::move(*buffer));
  }
  return made;
}

std::optional<NewMapping> FileNews::take() {
  for (const auto& buffer : buffers_)
    if (auto found = buffer->take(lost_)) return found;
  return std::nullopt;
}

}  // namespace sonde::bpf
