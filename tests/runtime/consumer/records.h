// SPDX-License-Identifier: GPL-3.0-or-later
// Hand-made clauses, records and sources for tests and benchmarks of the consumer.
#pragma once

#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/body/body.h"
#include "runtime/buffer/mapped_ring.h"
#include "runtime/consumer/consumer.h"

namespace sonde::testing {

/// Keeps everything that is written.
class TextOutput : public Output {
 public:
  void write(std::string_view piece) override { text += piece; }
  void message(std::string_view line) override { messages.emplace_back(line); }
  void flush() override { ++flushes; }
  std::string text;
  std::vector<std::string> messages;
  int flushes = 0;
};

/// A source that only supports reading memory and releasing threads.
class QuietSource : public EventSource, public ThreadControl {
 public:
  std::string_view name() const override { return "test"; }
  const SourceCapabilities& capabilities() const override { return kPtraceRow.can; }
  Result<void> create_buffers(uint64_t) override { return {}; }
  std::span<const MappedRing> mapped_rings() override { return ring_list; }
  Result<void> load_programs(std::span<const Loading>) override { return {}; }
  Result<void> add_ecbs(std::span<const Ecb>) override { return {}; }
  Result<void> remove_ecbs(std::span<const Epid>) override { return {}; }
  Result<void> arm(std::span<const Tap>) override { return {}; }
  Result<void> disarm(std::span<const TapId>) override { return {}; }
  ThreadControl* threads() override { return this; }
  Result<void> read_memory(uint32_t, uint64_t address, std::span<uint8_t> to) override {
    if (address < memory_at || address + to.size() > memory_at + memory.size()) return Error("bad address", EFAULT);
    std::memcpy(to.data(), memory.data() + (address - memory_at), to.size());
    return {};
  }
  Result<void> write_memory(uint32_t, uint64_t, std::span<const uint8_t>) override { return {}; }
  Result<void> release(uint32_t tid, Release how) override {
    released.emplace_back(tid, how);
    return {};
  }
  Result<void> follow(uint32_t, bool) override { return {}; }
  Result<void> follow_files(std::string_view) override { return {}; }
  Result<std::vector<uint64_t>> stack_of(uint32_t) override { return Error("no stacks", EOPNOTSUPP); }
  Result<void> acknowledge(uint32_t) override { return {}; }
  int event_fd() const override { return -1; }
  Result<std::optional<SourceEvent>> next_event() override { return std::optional<SourceEvent>(); }
  Result<sonde_statistics> statistics() override { return sonde_statistics{}; }

  std::vector<MappedRing> ring_list;
  uint64_t memory_at = 0x1000;
  std::string memory;
  std::vector<std::pair<uint32_t, Release>> released;
};

/// Builds a record: words and texts in the order of slots.
class RecordBuilder {
 public:
  RecordBuilder(uint32_t epid, uint32_t probe, uint64_t timestamp) {
    header_.epid = epid;
    header_.probe = probe;
    header_.timestamp = timestamp;
    header_.pid = header_.tid = 100;
    header_.sequence = static_cast<uint32_t>(timestamp);
  }
  RecordBuilder& thread(uint32_t pid, uint32_t tid) {
    header_.pid = pid;
    header_.tid = tid;
    return *this;
  }
  RecordBuilder& cpu(uint32_t cpu) {
    header_.cpu = cpu;
    return *this;
  }
  RecordBuilder& flags(uint16_t flags) {
    header_.flags = flags;
    return *this;
  }
  RecordBuilder& word(uint64_t word) {
    slots_.push_back({word, {}, false});
    return *this;
  }
  RecordBuilder& fault(uint64_t address) {
    header_.faults |= uint64_t{1} << slots_.size();
    return word(address);
  }
  RecordBuilder& text(std::string_view text) {
    slots_.push_back({0, std::string(text) + '\0', true});
    return *this;
  }
  RecordBuilder& bytes(std::string_view bytes) {
    slots_.push_back({0, std::string(bytes), false, true});
    return *this;
  }

  /// Returns the record, aligned to 8 bytes.
  std::vector<uint64_t> build() const {
    std::vector<uint8_t> body;
    std::vector<uint64_t> words;
    uint32_t first = static_cast<uint32_t>(sizeof(sonde_record) + 8 * slots_.size());
    for (const Slot& slot : slots_) {
      if (!slot.is_text && !slot.is_bytes) {
        words.push_back(slot.word);
        continue;
      }
      while (body.size() % 8 != 0) body.push_back(0);
      auto length = static_cast<uint32_t>(slot.bytes.size() - (slot.is_text ? 1 : 0));
      words.push_back(SONDE_SPAN(first + body.size(), length));
      body.insert(body.end(), slot.bytes.begin(), slot.bytes.end());
    }
    while (body.size() % 8 != 0) body.push_back(0);
    sonde_record header = header_;
    header.slots = static_cast<uint16_t>(slots_.size());
    header.size = first + static_cast<uint32_t>(body.size());
    std::vector<uint64_t> record(header.size / 8);
    auto* at = reinterpret_cast<uint8_t*>(record.data());
    std::memcpy(at, &header, sizeof header);
    if (!words.empty()) std::memcpy(at + sizeof header, words.data(), 8 * words.size());
    if (!body.empty()) std::memcpy(at + first, body.data(), body.size());
    return record;
  }

 private:
  struct Slot {
    uint64_t word;
    std::string bytes;
    bool is_text;
    bool is_bytes = false;
  };
  std::vector<Slot> slots_;
  sonde_record header_{};  // last, because it ends in a flexible array
};

/// A program with hand-written bodies, and its consumer.
class Bench {
 public:
  /// A clause whose fire part has slots of these kinds.
  ClauseDesc& clause(BodyFunction body, std::vector<uint8_t> kinds = {}) {
    auto fire = std::make_shared<FireProgram>();
    fire->kinds = std::move(kinds);
    ClauseDesc clause;
    clause.fire = fire;
    if (body != nullptr) clause.body = std::make_shared<Body>(body);
    program.clauses.push_back(std::move(clause));
    return program.clauses.back();
  }
  ProbeInfo& probe(uint32_t id, std::string provider, std::string module, std::string function, std::string name) {
    const auto keep = [this](std::string& text) -> const std::string& { return texts.emplace_back(std::move(text)); };
    probes.push_back({ProbeId{id}, keep(provider), keep(module), keep(function), keep(name)});
    return probes.back();
  }
  Consumer& start() {
    if (consumer == nullptr) consumer = std::make_unique<Consumer>(program, framework, &source, options, output);
    return *consumer;
  }
  /// Adds an ECB: its epid is the number of calls so far.
  uint32_t ecb(const ProbeInfo& probe, uint32_t clause) {
    start().add_ecb({Epid{++last_epid}, &probe, clause});
    return last_epid;
  }
  void consume(const RecordBuilder& builder) {
    std::vector<uint64_t> record = builder.build();
    start().consume(*reinterpret_cast<const sonde_record*>(record.data()));
  }
  /// The output since the last call.
  std::string printed() {
    start().drain();
    return std::exchange(output.text, {});
  }

  BodyProgram program;
  Options options;
  TextOutput output;
  QuietSource source;
  Framework framework{nullptr};
  std::deque<std::string> texts;
  std::deque<ProbeInfo> probes;
  std::unique_ptr<Consumer> consumer;
  uint32_t last_epid = 0;
};

inline ValueType integer(uint32_t size = 8, bool is_signed = true) {
  return {ValueType::Kind::Integer, is_signed, size, ""};
}
inline ValueType string_type() { return {ValueType::Kind::String, false, 256, "string"}; }
inline uint64_t word_of(const char* text) { return reinterpret_cast<uint64_t>(text); }

}  // namespace sonde::testing
