// SPDX-License-Identifier: GPL-3.0-or-later
// One list, used twice: when the clause is compiled, and when a record is read
//
//   Lister: shape --> captures  c0 c1 c2 ...
//   record:    slots of text    0 | 1 2 3 ...    each capture takes texts() and bytes() of them,
//              slots of bytes   0 | 1 | 2 ...    in the order of the list
//   Collector: captures + record --> CallMemory
//
// Invariant: the order of the list, with texts() and bytes(), defines the layout of the record. Collector::take()
// advances by exactly these counts, also past slots that were not captured. A capture whose address is in captured
// memory (the buffers of an iovec, the fields of a msghdr) comes after the capture of that memory.
#include "runtime/syscall/capture.h"

#include <asm/ioctls.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/futex.h>
#include <linux/prctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <unordered_map>

#include "runtime/process/syscall_table.h"
#include "runtime/syscall/shape.h"

namespace sonde {
namespace {

ShownAmount shown;

using Kind = CallCapture::Kind;
using Count = CallCapture::Count;

constexpr CallCapture::Command kLocks[] = {{F_GETLK, 1}, {F_SETLK, 1},     {F_SETLKW, 1},
                                           {36, 1},      {F_OFD_SETLK, 1}, {F_OFD_SETLKW, 1}};
constexpr CallCapture::Command kNames[] = {{PR_SET_NAME, 16}}, kNamesOut[] = {{PR_GET_NAME, 16}};
/// The kernel takes 79 letters and a NUL for the name of an anonymous mapping.
constexpr CallCapture::Command kMappingNames[] = {{PR_SET_VMA, 80}};
constexpr CallCapture::Command kTimeouts[] = {
    {FUTEX_WAIT, 1}, {FUTEX_LOCK_PI, 1}, {FUTEX_LOCK_PI2, 1}, {FUTEX_WAIT_BITSET, 1}, {FUTEX_WAIT_REQUEUE_PI, 1}};
/// How many bytes the argument of an ioctl points to: for commands that read them, and for commands that write them.
constexpr CallCapture::Command kControlsIn[] = {{TCSETS, 36},   {TCSETSW, 36},       {TCSETSF, 36}, {TIOCSWINSZ, 8},
                                                {TIOCSPGRP, 4}, {FIONBIO, 4},        {FIOASYNC, 4}, {TIOCSPTLCK, 4},
                                                {TIOCPKT, 4},   {FS_IOC_SETFLAGS, 4}};
constexpr CallCapture::Command kControlsOut[] = {{TCGETS, 36},  {TIOCGWINSZ, 8},   {TIOCGPGRP, 4},      {FIONREAD, 4},
                                                 {TIOCOUTQ, 4}, {TIOCGPTN, 4},     {TIOCGSID, 4},       {FIGETBSZ, 4},
                                                 {TIOCGPKT, 4}, {TIOCGPTLCK, 4},   {TIOCGEXCL, 4},      {BLKSSZGET, 4},
                                                 {BLKROGET, 4}, {BLKGETSIZE64, 8}, {FS_IOC_GETFLAGS, 4}};

/// Offsets in struct msghdr of 64-bit programs.
enum : uint8_t { kName = 0, kNameLength = 8, kVector = 16, kVectorLength = 24, kControl = 32, kControlLength = 40 };
constexpr uint16_t kMessageHeader = 56, kMostControl = 64, kMostAddress = 128, kEnvironmentWords = 128,
                   kMostVector = 16;

class Lister {
 public:
  Lister(const CallShape& shape, CaptureNeeds needs) : shape_(shape), needs_(needs) {}

  std::vector<CallCapture> list() {
    for (uint8_t i = 0; i < 6; ++i) {
      const bool shown = needs_.arguments && !(needs_.returns && shape_.before);
      if (shown || polls(shape_.arguments[i])) add(i, shape_.arguments[i]);
    }
    if (needs_.result && needs_.returns && needs_.descriptors && gives_descriptor())
      all_.push_back({.kind = Kind::Descriptor, .argument = kTheResult, .out = true});
    std::ranges::stable_sort(all_, {}, &CallCapture::out);
    return std::move(all_);
  }

 private:
  static uint16_t most_bytes() { return static_cast<uint16_t>(shown_amount().bytes); }
  static uint16_t most_text() { return static_cast<uint16_t>(most_bytes() + 1); }

  const CallShape& shape_;
  CaptureNeeds needs_;
  std::vector<CallCapture> all_;

  bool gives_descriptor() const {
    return shape_.result.form == Form::as_fd || shape_.result.form == Form::as_fcntl_result;
  }

  /// The result names the descriptors that are ready, which are in the argument's memory.
  bool polls(const ArgumentShape& shape) const {
    return needs_.result && needs_.returns &&
           (shape.form == Form::as_fd_set || (shape.form == Form::as_structure && shape.which == Struct::pollfd));
  }

  void add(uint8_t at, const ArgumentShape& shape) {
    if (shape.out && !needs_.returns) return;
    switch (shape.form) {
      case Form::as_fd:
      case Form::as_dirfd:
        if (needs_.descriptors) all_.push_back({.kind = Kind::Descriptor, .argument = at});
        return;
      case Form::as_path:
        if (shape.out) return add_counted(at, shape, 1, 4095);
        all_.push_back({.kind = Kind::Text, .argument = at, .most = 4095});
        return;
      case Form::as_string: all_.push_back({.kind = Kind::Text, .argument = at, .most = most_text()}); return;
      case Form::as_data:
      case Form::as_random: return add_counted(at, shape, 1, most_bytes());
      case Form::as_strings: return add_strings(at);
      case Form::as_environment: return add_environment(at);
      case Form::as_structure: return add_structure(at, shape);
      case Form::as_msghdr: return add_message(at, shape.out);
      case Form::as_fd_set:
        all_.push_back({.argument = at, .count = Count::Bits, .counted_by = shape.size, .unit = 8, .most = 16});
        return;
      case Form::as_sigset_pair:
        all_.push_back({.argument = at, .most = 16});
        all_.push_back({.argument = at, .pointer_at = 0, .most = 8});
        return;
      case Form::as_prctl_argument:
        if (at == 1) add_command(Kind::Text, at, shape.size, kNames, 1);
        if (at == 4) add_command(Kind::Text, at, shape.size, kMappingNames, 1);
        if (at == 1 && needs_.returns) add_command(Kind::Text, at, shape.size, kNamesOut, 1);
        if (at == 1 && needs_.returns) all_.back().out = true;
        return;
      case Form::as_futex_argument:
        if (at == 3) add_command(Kind::Bytes, at, shape.size, kTimeouts, 16, 0x7f);
        return;
      case Form::as_fcntl_argument: return add_command(Kind::Bytes, at, shape.size, kLocks, sizeof(flock));
      case Form::as_ioctl_argument:
        add_command(Kind::Bytes, at, shape.size, kControlsIn, 1);
        if (needs_.returns) add_command(Kind::Bytes, at, shape.size, kControlsOut, 1);
        if (needs_.returns) all_.back().out = true;
        return;
      case Form::as_clone_arguments: return;
      default: return;  // needs no memory
    }
  }

  /// The slots of Texts are fewer than what may be shown.
  static bool needs_list() { return shown_amount().lists && shown_amount().texts() > kShownStrings; }

  void add_strings(uint8_t at) {
    if (needs_list()) return all_.push_back({.kind = Kind::List, .argument = at});
    all_.push_back({.kind = Kind::Texts, .argument = at, .most = most_text()});
    // How it ends: an array that is empty, or has no end, has as many texts as one that cannot be read.
    if (shown_amount().lists) return all_.push_back({.kind = Kind::Pointers, .argument = at});
    all_.push_back({.argument = at, .unit = 8, .most = 1});
  }

  void add_environment(uint8_t at) {
    if (shown_amount().whole && shown_amount().lists) return all_.push_back({.kind = Kind::List, .argument = at});
    if (shown_amount().lists) return all_.push_back({.kind = Kind::Pointers, .argument = at});
    all_.push_back({.argument = at, .unit = 8, .most = kEnvironmentWords});
  }

  void add_command(Kind kind, uint8_t at, uint8_t by, std::span<const CallCapture::Command> commands, uint16_t unit,
                   uint32_t mask = 0xffffffff) {
    uint16_t most = 0;
    for (const CallCapture::Command& one : commands) most = std::max(most, one.units);
    all_.push_back({.kind = kind,
                    .argument = at,
                    .count = Count::Command,
                    .counted_by = by,
                    .unit = unit,
                    .most = most,
                    .commands = commands,
                    .command_mask = mask});
  }

  void add_counted(uint8_t at, const ArgumentShape& shape, uint16_t unit, uint16_t most) {
    CallCapture capture{.argument = at, .unit = unit, .most = most, .out = shape.out};
    if (shape.size == kByResult) {
      capture.count = Count::Result;
    } else if (shape.size >= kSizeAt && shape.size != kNoSize) {
      capture.count = Count::Pointed;
      capture.counted_by = shape.size - kSizeAt;
    } else if (shape.size != kNoSize) {
      capture.count = Count::Argument;
      capture.counted_by = shape.size;
      capture.narrow = find_syscall(shape_.number)->parameters[shape.size].bytes == 4;
    }
    all_.push_back(capture);
  }

  void add_structure(uint8_t at, const ArgumentShape& shape) {
    const auto which = static_cast<Struct::Id>(shape.which);
    const StructSize size = size_of(which);
    add_counted(at, shape, size.bytes, size.most);
    if (which == Struct::timespec_rest) all_.back().out = false;  // the kernel fills it in where the call fails
    if (which == Struct::fd_pair && needs_.descriptors) {
      for (int8_t offset : {0, 4})
        all_.push_back({.kind = Kind::Descriptor, .argument = at, .pointer_at = offset, .out = true});
    }
    if (which == Struct::iovec) {
      all_.back().out = false;  // the kernel writes to the buffers, not to the vector
      add_buffers({.argument = at, .count = Count::Argument, .counted_by = shape.size}, shape.out);
    }
  }

  void add_buffers(CallCapture buffers, bool out) {
    buffers.kind = Kind::Buffers;
    buffers.most = most_bytes();
    buffers.out = out;
    all_.push_back(buffers);
  }

  void add_message(uint8_t at, bool out) {
    all_.push_back({.argument = at, .most = kMessageHeader});
    all_.push_back({.argument = at,
                    .pointer_at = kName,
                    .count = Count::IntField,
                    .counted_by = kNameLength,
                    .most = kMostAddress,
                    .out = out});
    all_.push_back({.argument = at,
                    .pointer_at = kVector,
                    .count = Count::Field,
                    .counted_by = kVectorLength,
                    .unit = 16,
                    .most = kMostVector});
    add_buffers({.argument = at, .pointer_at = kVector, .count = Count::Field, .counted_by = kVectorLength}, out);
    all_.push_back({.argument = at,
                    .pointer_at = kControl,
                    .count = Count::Field,
                    .counted_by = kControlLength,
                    .most = kMostControl,
                    .out = out});
  }
};

/// Reads captures from a record, in their order.
class Collector {
 public:
  Collector(const CallSlots& slots, const sonde_record& record, std::span<const uint64_t> arguments, int64_t result)
      : record_(record), arguments_(arguments), result_(result), text_(slots.texts), bytes_(slots.bytes) {}

  void take(const CallCapture& capture) {
    switch (capture.kind) {
      case Kind::Text: return add(address_of(capture), text_++, capture.most);
      case Kind::Bytes: return add(address_of(capture), bytes_++, 0);
      case Kind::Descriptor: return describe(capture);
      case Kind::Texts:
        for (uint32_t i = 0; i <= kShownStrings; ++i) add_text(text_++, capture.most);
        return;
      case Kind::List: return add_list(address_of(capture), text_++);
      case Kind::Pointers:
        if (!is_missing(text_)) memory.count_pointers(address_of(capture), span(text_));
        text_++;
        return;
      case Kind::Buffers:
        for (uint32_t i = 0; i < kShownBuffers; ++i) {
          const auto base = word_at(address_of(capture), 16 * i, 8);
          if (base) add(*base, bytes_, 0);
          bytes_++;
        }
        return;
    }
  }

  CallMemory memory;

 private:
  const sonde_record& record_;
  std::span<const uint64_t> arguments_;
  int64_t result_;
  uint32_t text_, bytes_;

  bool is_missing(uint32_t slot) const {
    return slot >= record_.slots || record_.slot[slot] == 0 || (record_.faults >> slot & 1) != 0;
  }

  std::string_view span(uint32_t slot) const {
    const uint64_t where = record_.slot[slot];
    return {reinterpret_cast<const char*>(&record_) + SONDE_SPAN_OFFSET(where), SONDE_SPAN_LENGTH(where)};
  }

  void add(uint64_t address, uint32_t slot, uint32_t limit) {
    if (is_missing(slot)) return;
    const std::string_view bytes = span(slot);
    memory.add({address, bytes, limit != 0 && bytes.size() >= limit});
  }

  void add_text(uint32_t slot, uint32_t limit) {
    if (slot < record_.slots && (record_.faults >> slot & 1) != 0)
      return memory.add_unreadable_text(record_.slot[slot]);
    if (is_missing(slot)) return;
    memory.add_text({0, span(slot), span(slot).size() >= limit});
  }

  void add_list(uint64_t address, uint32_t slot) {
    if (is_missing(slot)) return;
    CallMemory::List list;
    for (std::string_view rest = span(slot); !rest.empty();) {
      const std::string_view item = rest.substr(0, rest.find('\0'));
      rest.remove_prefix(std::min(item.size() + 1, rest.size()));
      if (!item.empty()) add_item(list, item.front(), item.substr(1));
    }
    memory.add_list(address, std::move(list));
  }

  static uint64_t hex_number(std::string_view text) {
    uint64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number, 16);
    return number;
  }

  static void add_item(CallMemory::List& list, char kind, std::string_view text) {
    using End = CallMemory::List::End;
    switch (kind) {
      case SONDE_STRINGS_TEXT:
      case SONDE_STRINGS_CUT: list.texts.push_back({0, text, kind == SONDE_STRINGS_CUT}); return;
      case SONDE_STRINGS_ADDRESS: list.texts.push_back({hex_number(text), {}, true}); return;
      case SONDE_STRINGS_END: list.end = End::Null; return;
      case SONDE_STRINGS_UNREADABLE:
        list.end = End::Unreadable;
        list.end_at = hex_number(text);
        return;
      default: return;
    }
  }

  void describe(const CallCapture& capture) {
    const uint32_t slot = text_++;
    if (is_missing(slot) || span(slot) == "<none>") return;
    memory.describe(descriptor_of(capture), span(slot));
  }

  int descriptor_of(const CallCapture& capture) const {
    if (capture.argument == kTheResult) return static_cast<int>(result_);
    const uint64_t argument = arguments_[capture.argument];
    if (capture.pointer_at < 0) return static_cast<int>(argument);
    return static_cast<int>(word_at(argument, static_cast<uint32_t>(capture.pointer_at), 4).value_or(0));
  }

  std::optional<uint64_t> word_at(uint64_t address, uint32_t offset, uint32_t bytes) const {
    const auto piece = memory.find(address);
    if (!piece || piece->bytes.size() < offset + bytes) return std::nullopt;
    uint64_t word = 0;
    std::memcpy(&word, piece->bytes.data() + offset, bytes);
    return word;
  }

  uint64_t address_of(const CallCapture& capture) const {
    const uint64_t address = arguments_[capture.argument];
    if (capture.pointer_at < 0) return address;
    return word_at(address, static_cast<uint32_t>(capture.pointer_at), 8).value_or(0);
  }
};

}  // namespace

const ShownAmount& shown_amount() { return shown; }
void set_shown_amount(const ShownAmount& amount) {
  shown = amount;
  shown.bytes = std::min(amount.bytes, kMostShownBytes);
}

bool operator==(const CallCapture& a, const CallCapture& b) {
  return a.kind == b.kind && a.argument == b.argument && a.pointer_at == b.pointer_at && a.count == b.count &&
         a.counted_by == b.counted_by && a.unit == b.unit && a.most == b.most && a.out == b.out &&
         a.narrow == b.narrow && a.commands.data() == b.commands.data() && a.command_mask == b.command_mask;
}

uint32_t CallCapture::texts() const {
  switch (kind) {
    case Kind::Text:
    case Kind::Descriptor:
    case Kind::List:
    case Kind::Pointers: return 1;
    case Kind::Texts: return kShownStrings + 1;
    case Kind::Bytes:
    case Kind::Buffers: break;
  }
  return 0;
}

uint32_t CallCapture::bytes() const { return kind == Kind::Bytes ? 1 : kind == Kind::Buffers ? kShownBuffers : 0; }

const std::vector<CallCapture>& captures_of(uint32_t call, CaptureNeeds needs) {
  static std::unordered_map<uint32_t, std::vector<CallCapture>> known;
  const uint32_t key = call << 4 | static_cast<uint32_t>(needs.returns) << 3 |
                       static_cast<uint32_t>(needs.arguments) << 2 | static_cast<uint32_t>(needs.result) << 1 |
                       static_cast<uint32_t>(needs.descriptors);
  const auto [at, is_new] = known.try_emplace(key);
  const CallShape* shape = is_new ? find_shape(call) : nullptr;
  if (shape != nullptr) at->second = Lister(*shape, needs).list();
  return at->second;
}

std::optional<CallMemory::Piece> CallMemory::find(uint64_t address) const {
  std::optional<Piece> most;
  for (const Piece& piece : pieces_)
    if (address != 0 && piece.address == address && (!most || piece.bytes.size() > most->bytes.size())) most = piece;
  return most;
}

std::string_view CallMemory::description(int descriptor) const {
  const auto found = descriptors_.find(descriptor);
  return found == descriptors_.end() ? std::string_view() : std::string_view(found->second);
}

const CallMemory::List* CallMemory::list(uint64_t address) const {
  const auto found = lists_.find(address);
  return found == lists_.end() ? nullptr : &found->second;
}

std::string_view CallMemory::pointers(uint64_t address) const {
  const auto found = counts_.find(address);
  return found == counts_.end() ? std::string_view() : std::string_view(found->second);
}

CallMemory collect(std::span<const CallCapture> captures, const CallSlots& slots, const sonde_record& record,
                   std::span<const uint64_t> arguments, int64_t result) {
  Collector collector(slots, record, arguments, result);
  for (const CallCapture& capture : captures) collector.take(capture);
  return std::move(collector.memory);
}

}  // namespace sonde
