// SPDX-License-Identifier: GPL-3.0-or-later
// One walk over the arguments of a call
//
//   shape.h: the form of each argument --> put() --> append() ... --> text
//
// Most arguments need only their form and value. The meaning of others depends on another argument: the mode of open()
// on its flags, the arguments of ioctl(), fcntl(), futex() and prctl() on the command. Those read argument(n). If the
// command does not use the remaining arguments, they set ended_, and the walk stops.
//
// Invariant: memory comes only from memory_, through or_pointer() or find(), and an argument whose memory is absent
// prints as an address. A new form must keep to this.
#include "runtime/syscall/decode.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/futex.h>
#include <linux/netlink.h>
#include <linux/prctl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <termios.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "runtime/base/units.h"
#include "runtime/process/syscall_table.h"
#include "runtime/syscall/constants.h"
#include "runtime/syscall/shape.h"
#include "runtime/syscall/structures.h"
#include "runtime/syscall/terminal_settings.h"
#include "runtime/syscall/text.h"

namespace sonde {
namespace {

constexpr uint64_t kMinusOne = UINT64_MAX;
constexpr uint64_t kMostCounted = 4096;  ///< more elements of an array are never captured

constexpr int kRestartBlock = 516;

/// Results of interrupted calls that the kernel restarts, with strace's names. No program gets these numbers.
struct Restart {
  int error;
  const char* text;
};
constexpr Restart kRestarts[] = {{512, "? ERESTARTSYS (To be restarted if SA_RESTART is set)"},
                                 {513, "? ERESTARTNOINTR (To be restarted)"},
                                 {514, "? ERESTARTNOHAND (To be restarted if no handler)"},
                                 {kRestartBlock, "? ERESTART_RESTARTBLOCK (Interrupted by signal)"}};

/// What PR_SET_DUMPABLE takes and PR_GET_DUMPABLE gives: no header of user space has the names.
constexpr const char* kDumpable[] = {"SUID_DUMP_DISABLE", "SUID_DUMP_USER", "SUID_DUMP_ROOT"};

std::string signed_text(uint64_t value) { return std::to_string(static_cast<int64_t>(value)); }
std::string unsigned_text(uint64_t value) { return std::to_string(value); }
std::string int_text(uint64_t value) { return std::to_string(static_cast<int32_t>(value)); }

template <typename T>
T read_whole(std::string_view bytes, size_t at) {
  T value{};
  if (at + sizeof value <= bytes.size()) std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

class Decoder {
 public:
  Decoder(const SystemCall& call, const CallMemory& memory)
      : call_(call), memory_(memory), shape_(find_shape(call.number)) {}

  std::string arguments() {
    const SyscallInfo* info = find_syscall(call_.number);
    if (info == nullptr) return unnamed_arguments();
    if (shape_ == nullptr) return format_syscall_arguments(call_.number, call_.arguments);
    for (uint8_t i = 0; i < info->argument_count && !ended_; ++i) {
      value_ = cut(call_.arguments[i], info->parameters[i].bytes);
      put(i, shape_->arguments[i]);
    }
    return std::move(text_);
  }

  std::string result() const {
    if (call_.error != 0) return error();
    const auto value = static_cast<uint64_t>(call_.result);
    // The result of rt_sigreturn is that of the call that the signal interrupted.
    if (call_.number == SYS_rt_sigreturn && call_.result < 0 && call_.result > -4096)
      return format_syscall_result(UINT64_MAX, static_cast<int>(-call_.result));
    if (call_.number == SYS_prctl && argument(0) == PR_GET_DUMPABLE && value < std::size(kDumpable))
      return signed_text(value) + " (" + kDumpable[value] + ")";
    if (shape_ == nullptr) return signed_text(value);
    switch (shape_->result.form) {
      case Form::as_fd: return descriptor(value);
      case Form::as_pointer: return hex_text(value);
      case Form::as_octal: return octal_text(value);
      case Form::as_constant: {
        const auto name = name_of(static_cast<Set::Id>(shape_->result.which), value);
        return signed_text(value) + (name ? " (" + std::string(*name) + ")" : "");
      }
      case Form::as_fcntl_result: return fcntl_result(value);
      case Form::as_io_priority: return signed_text(value) + " (" + format_io_priority(value) + ")";
      default: return (takes_size() ? size(value) : signed_text(value)) + ready();
    }
  }

 private:
  /// Then its result, if it is no other number, says how much of it was used.
  bool takes_size() const {
    return std::ranges::any_of(shape_->arguments, [](const ArgumentShape& one) { return one.form == Form::as_size; });
  }

  /// `1048576`, or with units `1048576 /* 1.00 MiB */`.
  std::string size(uint64_t value) const {
    constexpr uint64_t kLarge = 64 * 1024, kNoSize = uint64_t{1} << 62;  // SIZE_MAX and the like mean something else
    const std::string text = unsigned_text(value);
    return call_.units && value >= kLarge && value < kNoSize ? text + " /* " + size_text(value) + " */" : text;
  }

  std::string unnamed_arguments() {
    for (const uint64_t argument : call_.arguments) append(hex_text(argument));
    return std::move(text_);
  }

  const SystemCall& call_;
  const CallMemory& memory_;
  const CallShape* shape_;
  std::string text_;
  uint64_t value_ = 0;  ///< of the argument that is being printed, cut to the width of its type
  bool ended_ = false;  ///< the call does not use the arguments that follow

  static uint64_t cut(uint64_t value, unsigned bytes) {
    return bytes >= 8 ? value : value & ((uint64_t{1} << (bytes * 8)) - 1);
  }

  void append(std::string_view text) {
    if (!text_.empty()) text_ += ", ";
    text_ += text;
  }

  void end() { ended_ = true; }
  void append_last(std::string_view text) {
    append(text);
    end();
  }

  uint64_t argument(uint8_t n) const { return call_.arguments[n]; }
  bool succeeded() const { return call_.returns && call_.error == 0; }
  std::string pointer() const { return pointer_text(value_); }

  /// The memory that the argument points to, formatted; or the address, if there is no memory or no text.
  template <typename Format>
  std::string or_pointer(bool out, Format format) const {
    const auto piece = out && !succeeded() ? std::nullopt : memory_.find(value_);
    const std::string text = piece ? format(*piece) : "";
    return text.empty() ? pointer() : text;
  }

  void put(uint8_t at, const ArgumentShape& shape) {
    switch (shape.form) {
      case Form::as_constant: return append(constant(static_cast<Set::Id>(shape.which)));
      case Form::as_structure: return append(structure(shape));
      case Form::as_unused: return;  // the upper half of an offset, which 64-bit programs pass in one word
      case Form::as_int: return append(int_text(value_));
      case Form::as_uint: return append(unsigned_text(static_cast<uint32_t>(value_)));
      case Form::as_long: return append(signed_text(value_));
      case Form::as_size: return append(size(value_));
      case Form::as_hex: return append(hex_text(value_));
      case Form::as_pointer: return append(pointer());
      case Form::as_octal:
      case Form::as_mode: return append(octal_text(value_));
      case Form::as_open_mode:
        if ((argument(shape.size) & O_CREAT) != 0 || (argument(shape.size) & O_TMPFILE) == O_TMPFILE)
          append(octal_text(value_));
        return;
      case Form::as_type_and_mode: return append(format_mode(static_cast<uint32_t>(value_)));
      case Form::as_id: return append(static_cast<uint32_t>(value_) == UINT32_MAX ? "-1" : unsigned_text(value_));
      case Form::as_fd: return append(descriptor(value_));
      case Form::as_fd_open_flags: return append(format_constant(Set::pipe_flags, value_));
      case Form::as_dirfd: return append(static_cast<int32_t>(value_) == AT_FDCWD ? "AT_FDCWD" : descriptor(value_));
      case Form::as_device:
        if (S_ISCHR(argument(shape.size)) || S_ISBLK(argument(shape.size))) append(format_device(value_));
        return;
      case Form::as_socket_protocol: return append(protocol(argument(shape.size)));
      case Form::as_socket_option: return append(option(argument(shape.size)));
      case Form::as_mremap_address:
        if ((argument(shape.size) & MREMAP_FIXED) != 0) append(pointer());
        return;
      case Form::as_ipc_key: return append(value_ == 0 ? "IPC_PRIVATE" : hex_text(value_));
      case Form::as_ipc_flags_mode: return append(flags_and_mode());
      case Form::as_path: return append(path(shape));
      case Form::as_string:
        return append(or_pointer(false, [](const auto& piece) { return shown(piece.bytes, piece.cut); }));
      case Form::as_data: return append(data(shape, Escape::Octal));
      case Form::as_random: return append(data(shape, Escape::Hex));
      case Form::as_strings: return append(strings());
      case Form::as_environment: return append(environment());
      case Form::as_msghdr: return append(message(shape.out));
      case Form::as_fd_set: return append(descriptors(shape));
      case Form::as_sigset_pair:
        return append(or_pointer(false, [this](const auto& piece) { return set_and_size(piece.bytes); }));
      case Form::as_arch_prctl_argument: return append(hex_text(value_));
      case Form::as_io_priority: return append(format_io_priority(value_));
      case Form::as_clone_arguments: return clone();
      case Form::as_futex_operation: return append(futex_operation());
      case Form::as_futex_argument: return futex_argument(at);
      case Form::as_prctl_argument: return prctl_argument(at);
      case Form::as_fcntl_argument: return fcntl_argument();
      case Form::as_ioctl_argument: return ioctl_argument();
      case Form::as_fcntl_result: return;  // no argument
    }
  }

  std::string constant(Set::Id set) const {
    switch (set) {
      case Set::signal: return format_signal(value_);
      case Set::ioctl_command: return control_name();
      case Set::futex_command: return futex_operation();
      default: return format_constant(set, value_);
    }
  }

  static bool is_array(const ArgumentShape& shape) { return shape.size != kNoSize; }

  std::string structure(const ArgumentShape& shape) const {
    const auto id = static_cast<Struct::Id>(shape.which);
    if (value_ == 0) return "NULL";
    switch (id) {
      case Struct::iovec: return vector(value_, shape.out ? &call_.result : nullptr);
      case Struct::dirents:
        return pointer() + (succeeded() && call_.result == 0 ? " /* 0 entries */" : or_empty(id, shape.out));
      case Struct::wait_status:
      case Struct::rusage:
        if (succeeded() && call_.result == 0 && call_.number == SYS_wait4) return pointer();
        break;
      case Struct::timespec_rest:
        if (const auto piece = memory_.find(value_); piece && is_interrupted_sleep())
          return format_structure(id, piece->bytes, false);
        return pointer();
      default: break;
    }
    if (id == Struct::option_value && argument(1) == SOL_SOCKET && argument(2) == SO_ERROR)
      return or_pointer(shape.out, [](const auto& piece) { return error_name(piece.bytes); });
    if (id == Struct::option_value && argument(1) == SOL_SOCKET && argument(2) == SO_LINGER)
      return or_pointer(shape.out, [](const auto& piece) { return linger_text(piece.bytes); });
    if (id == Struct::capability_data && has_one_capability_word())
      return or_pointer(shape.out, [&](const auto& piece) {
        return format_structure(id, piece.bytes.substr(0, sizeof(__user_cap_data_struct)), true);
      });
    if (is_array(shape) && is_empty(shape)) return id == Struct::option_value ? "\"\"" : "[]";
    if (id == Struct::fd_pair)
      return or_pointer(shape.out, [&](const auto& piece) {
        return "[" + descriptor(read_whole<uint32_t>(piece.bytes, 0)) + ", " +
               descriptor(read_whole<uint32_t>(piece.bytes, 4)) + "]";
      });
    return or_pointer(shape.out, [&](const auto& piece) {
      return format_structure(id, piece.bytes.substr(0, most_bytes(id, shape)), is_array(shape));
    });
  }

  /// Another argument may point to a longer array at the same address.
  size_t most_bytes(Struct::Id id, const ArgumentShape& shape) const {
    if (!is_array(shape) || shape.size >= 6) return std::string_view::npos;
    const uint8_t bytes = find_syscall(call_.number)->parameters[shape.size].bytes;
    const uint64_t count = cut(argument(shape.size), bytes);
    return count > kMostCounted ? std::string_view::npos : count * size_of(id).bytes;
  }

  /// In the first version of capget and capset there is no second structure.
  bool has_one_capability_word() const {
    const auto header = memory_.find(argument(0));
    return header && read_whole<uint32_t>(header->bytes, 0) == _LINUX_CAPABILITY_VERSION_1;
  }

  /// The kernel gives the rest of a time, not of a moment, and only where a signal has ended the call.
  bool is_interrupted_sleep() const {
    const bool interrupted = call_.error == EINTR || call_.error == kRestartBlock;
    return interrupted && (call_.number != SYS_clock_nanosleep || argument(1) == 0);
  }

  static std::string linger_text(std::string_view bytes) {
    if (bytes.size() != sizeof(linger)) return quote(bytes, false);
    return "{l_onoff=" + std::to_string(read_whole<int>(bytes, 0)) +
           ", l_linger=" + std::to_string(read_whole<int>(bytes, 4)) + "}";
  }

  /// The value of SO_ERROR.
  static std::string error_name(std::string_view bytes) {
    if (bytes.size() != sizeof(int)) return "";
    const auto error = read_whole<int>(bytes, 0);
    const char* name = error > 0 ? strerrorname_np(error) : nullptr;
    return "[" + (name != nullptr ? std::string(name) : std::to_string(error)) + "]";
  }

  std::string or_empty(Struct::Id id, bool out) const {
    const auto piece = out && !succeeded() ? std::nullopt : memory_.find(value_);
    return piece ? format_structure(id, piece->bytes, true) : "";
  }

  /// An array without elements has no memory to be read.
  bool is_empty(const ArgumentShape& shape) const {
    if (shape.size == kByResult) return succeeded() && call_.result == 0;
    return shape.size < 6 && argument(shape.size) == 0 && (!shape.out || succeeded());
  }

  std::string descriptor(uint64_t value) const {
    const auto fd = static_cast<int32_t>(value);
    std::string_view what = fd < 0 ? "" : memory_.description(fd);
    if (what.empty()) return std::to_string(fd);
    constexpr std::string_view kDeleted = " (deleted)";
    const bool deleted = what.ends_with(kDeleted);
    if (deleted) what.remove_suffix(kDeleted.size());
    return std::to_string(fd) + "<" + escaped(what) + (deleted ? ">(deleted)" : ">");
  }

  /// `text` as quote() escapes it, without the quotes.
  static std::string escaped(std::string_view text) {
    const std::string quoted = quote(text, false);
    return quoted.substr(1, quoted.size() - 2);
  }

  static std::string shown(std::string_view bytes, bool cut) {
    cut = cut || bytes.size() > shown_amount().bytes;
    return quote(bytes.substr(0, shown_amount().bytes), cut);
  }

  std::string path(const ArgumentShape& shape) const {
    return or_pointer(shape.out, [&](const auto& piece) {
      // getcwd() counts the NUL.
      const bool counted = shape.out && !piece.bytes.empty() && piece.bytes.back() == '\0';
      return quote(piece.bytes.substr(0, piece.bytes.size() - (counted ? 1 : 0)), piece.cut);
    });
  }

  /// The captured bytes of a buffer, with dots if the buffer is longer.
  std::string data(const ArgumentShape& shape, Escape escape) const {
    if (shape.out && !succeeded()) return pointer();
    const uint64_t length = shape.size == kByResult ? static_cast<uint64_t>(call_.result) : call_.arguments[shape.size];
    if (length == 0) return value_ == 0 ? "NULL" : "\"\"";
    return or_pointer(shape.out,
                      [&](const auto& piece) { return quote(piece.bytes, length > piece.bytes.size(), escape); });
  }

  std::string strings() const {
    if (const CallMemory::List* list = memory_.list(value_)) return texts(*list);
    const std::string_view count = memory_.pointers(value_);
    if (memory_.texts().empty()) {
      const auto first = memory_.find(value_);
      const bool is_empty = first && first->bytes.size() >= 8 && read_whole<uint64_t>(first->bytes, 0) == 0;
      return is_empty || count == "0" ? "[]" : pointer();
    }
    const bool endless = count.ends_with('?');
    return texts({{memory_.texts().begin(), memory_.texts().end()},
                  endless ? CallMemory::List::End::Unreadable : CallMemory::List::End::Null,
                  value_ + 8 * memory_.texts().size()});
  }

  static std::string texts(const CallMemory::List& list) {
    using End = CallMemory::List::End;
    constexpr size_t kMost = 28 << 10;  // bytes: strsize has room for two arrays
    std::string text;
    size_t count = 0;
    for (; count < std::min(list.texts.size(), shown_amount().texts()) && text.size() < kMost; count++) {
      const CallMemory::Piece& one = list.texts[count];
      text += text.empty() ? "" : ", ";
      text += one.bytes.data() == nullptr ? hex_text(one.address) : shown(one.bytes, one.cut);
    }
    if (count < list.texts.size() || list.end == End::More) return "[" + text + ", ...]";
    return "[" + text + (list.end == End::Unreadable ? ", ... /* " + hex_text(list.end_at) + " */]" : "]");
  }

  std::string environment() const {
    const CallMemory::List* list = shown_amount().whole ? memory_.list(value_) : nullptr;  // it may be argv's
    return list != nullptr ? texts(*list) : pointer() + variables();
  }

  std::string variables() const {
    if (std::string_view count = memory_.pointers(value_); !count.empty()) {
      const bool endless = count.ends_with('?');
      if (endless) count.remove_suffix(1);
      return " /* " + std::string(count) + (count == "1" ? " var" : " vars") + (endless ? ", unterminated */" : " */");
    }
    const auto piece = memory_.find(value_);
    if (!piece) return "";
    for (size_t at = 0; at + 8 <= piece->bytes.size(); at += 8) {
      if (read_whole<uint64_t>(piece->bytes, at) != 0) continue;
      return " /* " + std::to_string(at / 8) + (at == 8 ? " var */" : " vars */");
    }
    return "";
  }

  /// `moved`: how many bytes the call has transferred; null: as many as the vector contains.
  std::string vector(uint64_t address, const int64_t* moved) const {
    if (moved != nullptr && !succeeded()) return pointer_text(address);
    const auto piece = memory_.find(address);
    if (!piece) return pointer_text(address);
    uint64_t left = moved != nullptr ? static_cast<uint64_t>(*moved) : kMinusOne;
    std::string text;
    for (size_t at = 0; at + 16 <= piece->bytes.size(); at += 16) {
      const auto base = read_whole<uint64_t>(piece->bytes, at), length = read_whole<uint64_t>(piece->bytes, at + 8);
      text += (text.empty() ? "{iov_base=" : ", {iov_base=") + buffer(base, std::min(length, left)) +
              ", iov_len=" + unsigned_text(length) + "}";
      left -= std::min(length, left);
    }
    return "[" + text + "]";
  }

  std::string buffer(uint64_t base, uint64_t length) const {
    if (length == 0 && base != 0) return "\"\"";
    const auto piece = memory_.find(base);
    return piece && !piece->bytes.empty() ? quote(piece->bytes, length > piece->bytes.size()) : pointer_text(base);
  }

  std::string message(bool out) const {
    const auto piece = memory_.find(value_);
    if (!piece || piece->bytes.size() < 56) return pointer();
    const std::string_view bytes = piece->bytes;
    const auto name = read_whole<uint64_t>(bytes, 0), vector_at = read_whole<uint64_t>(bytes, 16);
    const auto name_length = read_whole<uint32_t>(bytes, 8);
    if (out && !succeeded()) return "{msg_namelen=" + unsigned_text(name_length) + "}";
    const auto control = read_whole<uint64_t>(bytes, 32), control_length = read_whole<uint64_t>(bytes, 40);
    const auto address = memory_.find(name);
    const std::string from = address ? format_address(address->bytes) : "";
    std::string text = "{msg_name=" + (from.empty() ? pointer_text(name) : from);
    text += ", msg_namelen=" + unsigned_text(name_length);
    text += ", msg_iov=" + vector(vector_at, out ? &call_.result : nullptr);
    text += ", msg_iovlen=" + unsigned_text(read_whole<uint64_t>(bytes, 24));
    if (const auto data = control_length == 0 ? std::nullopt : memory_.find(control))
      text += ", msg_control=" + format_control(data->bytes, control_length);
    text += ", msg_controllen=" + unsigned_text(control_length);
    return text + ", msg_flags=" + format_constant(Set::message_flags, read_whole<uint32_t>(bytes, 48)) + "}";
  }

  std::string descriptors(const ArgumentShape& shape) const {
    return or_pointer(false, [&](const auto& piece) { return format_bits(piece.bytes, argument(shape.size)); });
  }

  /// The last argument of pselect6: the signal mask and its size.
  std::string set_and_size(std::string_view bytes) const {
    if (bytes.size() < 16) return "";
    const auto mask = read_whole<uint64_t>(bytes, 0);
    const auto piece = memory_.find(mask);
    return "{sigmask=" + (piece ? format_structure(Struct::sigset, piece->bytes, false) : pointer_text(mask)) +
           ", sigsetsize=" + unsigned_text(read_whole<uint64_t>(bytes, 8)) + "}";
  }

  std::string protocol(uint64_t family) const {
    switch (static_cast<uint32_t>(family)) {
      case AF_INET:
      case AF_INET6: return format_constant(Set::ip_protocol, value_);
      case AF_NETLINK: return format_constant(Set::netlink_protocol, value_);
      default: return int_text(value_);
    }
  }

  std::string option(uint64_t level) const {
    switch (static_cast<uint32_t>(level)) {
      case SOL_SOCKET: return format_constant(Set::sol_socket, value_);
      case 0: return format_constant(Set::sol_ip, value_);
      case 6: return format_constant(Set::sol_tcp, value_);
      case 41: return format_constant(Set::sol_ipv6, value_);
      case SOL_NETLINK: return format_constant(Set::sol_netlink, value_);
      default: return hex_text(value_);
    }
  }

  std::string flags_and_mode() const {
    const uint64_t flags = value_ & ~uint64_t{0777};
    return (flags != 0 ? format_constant(Set::ipc_flags, flags) + "|" : "") + octal_text(value_ & 0777);
  }

  void clone() {
    const uint64_t flags = argument(0), signal = flags & 0xff;
    append("child_stack=" + pointer_text(argument(1)));
    std::string names =
        (flags & ~uint64_t{0xff}) != 0 ? format_constant(Set::clone_flags, flags & ~uint64_t{0xff}) : "";
    if (signal != 0) names += (names.empty() ? "" : "|") + format_signal(signal);
    append("flags=" + (names.empty() ? "0" : names));
    if ((flags & (CLONE_PARENT_SETTID | CLONE_PIDFD)) != 0) append("parent_tid=" + pointer_text(argument(2)));
    if ((flags & CLONE_SETTLS) != 0) append("tls=" + pointer_text(argument(4)));
    if ((flags & (CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID)) != 0) append("child_tidptr=" + pointer_text(argument(3)));
    end();
  }

  uint32_t futex_command() const { return static_cast<uint32_t>(argument(1)) & 0x7f; }

  std::string futex_operation() const {
    const auto flags = static_cast<uint32_t>(value_);
    std::string text = format_constant(Set::futex_command, futex_command());
    if ((flags & FUTEX_PRIVATE_FLAG) != 0) text += "_PRIVATE";
    return (flags & FUTEX_CLOCK_REALTIME) != 0 ? text + "|FUTEX_CLOCK_REALTIME" : text;
  }

  /// The three arguments after the value. The command decides what they mean, and how many are used.
  void futex_argument(uint8_t at) {
    const bool bitset = futex_command() == FUTEX_WAIT_BITSET || futex_command() == FUTEX_WAKE_BITSET;
    switch (futex_command()) {
      case FUTEX_WAIT:
      case FUTEX_LOCK_PI:
      case FUTEX_LOCK_PI2:
      case FUTEX_WAIT_BITSET:
        if (at == 3) append(timeout());
        if (at == 5 && bitset) append(bits(value_));
        if (at == 3 && !bitset) end();
        return;
      case FUTEX_WAKE_BITSET:
        if (at == 5) append(bits(value_));
        return;
      case FUTEX_REQUEUE:
      case FUTEX_CMP_REQUEUE:
      case FUTEX_WAKE_OP:
      case FUTEX_CMP_REQUEUE_PI:
        if (at == 3) append(unsigned_text(static_cast<uint32_t>(value_)));
        if (at == 4) append(pointer());
        if (at == 5 && futex_command() != FUTEX_REQUEUE)
          append(futex_command() == FUTEX_WAKE_OP ? hex_text(value_) : unsigned_text(value_));
        return;
      case FUTEX_WAIT_REQUEUE_PI:
        if (at == 3) append(timeout());
        if (at == 4) append(pointer());
        return;
      default: end();
    }
  }

  std::string timeout() const {
    return or_pointer(false, [](const auto& piece) { return format_structure(Struct::timespec, piece.bytes, false); });
  }

  static std::string bits(uint64_t value) {
    return static_cast<uint32_t>(value) == UINT32_MAX ? "FUTEX_BITSET_MATCH_ANY" : hex_text(value);
  }

  void prctl_argument(uint8_t at) {
    switch (static_cast<uint32_t>(argument(0))) {
      case PR_GET_DUMPABLE:
      case PR_GET_KEEPCAPS:
      case PR_GET_SECCOMP:
      case PR_GET_SECUREBITS:
      case PR_GET_TIMERSLACK:
      case PR_GET_TIMING: return end();
      case PR_SET_VMA:
        if (at == 1) return append(format_constant(Set::vma_option, value_));
        if (at == 2) return append(hex_text(value_));
        if (at == 3) return append(unsigned_text(value_));
        return append(or_pointer(false, [](const auto& piece) { return quote(piece.bytes, piece.cut); }));
      case PR_SET_PDEATHSIG: return append_last(format_signal(value_));
      case PR_SET_NAME:
      case PR_GET_NAME:
        return append_last(or_pointer(static_cast<uint32_t>(argument(0)) == PR_GET_NAME, [](const auto& piece) {
          return quote(piece.bytes.substr(0, 15), piece.bytes.size() > 15);
        }));
      case PR_SET_DUMPABLE: return append_last(value_ < 3 ? kDumpable[value_] : hex_text(value_));
      case PR_CAP_AMBIENT:
        if (at == 1) return append(format_constant(Set::cap_ambient, value_));
        return append(at == 2 && argument(1) != PR_CAP_AMBIENT_CLEAR_ALL ? format_constant(Set::capability, value_)
                                                                         : hex_text(value_));
      case PR_SET_KEEPCAPS:
      case PR_SET_TIMERSLACK:
      case PR_SET_CHILD_SUBREAPER: return append_last(unsigned_text(value_));
      case PR_CAPBSET_READ:
      case PR_CAPBSET_DROP: return append_last(format_constant(Set::capability, value_));
      case PR_GET_PDEATHSIG:
      case PR_GET_CHILD_SUBREAPER:
      case PR_GET_TID_ADDRESS: return append_last(hex_text(value_));
      case PR_SET_NO_NEW_PRIVS:
      case PR_GET_NO_NEW_PRIVS: return append(unsigned_text(value_));
      default: return append(hex_text(value_));
    }
  }

  void fcntl_argument() {
    switch (static_cast<uint32_t>(argument(1))) {
      case F_GETFD:
      case F_GETFL:
      case F_GETOWN:
      case F_GETSIG:
      case F_GETLEASE:
      case F_GETPIPE_SZ:
      case F_GET_SEALS: return;
      case F_SETFD: return append(format_constant(Set::fd_flags, value_));
      case F_SETFL: return append(format_constant(Set::open_flags, value_));
      case F_SETSIG: return append(format_signal(value_));
      case F_SETLEASE: return append(format_constant(Set::lock_type, value_));
      case F_ADD_SEALS: return append(format_constant(Set::seal_flags, value_));
      case F_DUPFD:
      case F_DUPFD_CLOEXEC:
      case F_SETOWN:
      case F_SETPIPE_SZ: return append(int_text(value_));
      case F_GETLK:
      case F_OFD_GETLK:
        return append(or_pointer(false, [this](const auto& piece) { return format_lock(piece.bytes, succeeded()); }));
      case F_SETLK:
      case F_SETLKW:
      case F_OFD_SETLK:
      case F_OFD_SETLKW:
        return append(or_pointer(false, [](const auto& piece) { return format_lock(piece.bytes, false); }));
      default: return append(hex_text(value_));
    }
  }

  std::string fcntl_result(uint64_t value) const {
    const auto flags = [&](Set::Id set) {
      return value == 0 ? "0" : hex_text(value) + " (flags " + format_constant(set, value) + ")";
    };
    switch (static_cast<uint32_t>(argument(1))) {
      case F_DUPFD:
      case F_DUPFD_CLOEXEC: return descriptor(value);
      case F_GETFD: return flags(Set::fd_flags);
      case F_GETFL: return hex_text(value) + " (flags " + format_constant(Set::open_flags, value) + ")";
      case F_GET_SEALS: return flags(Set::seal_flags);
      default: return signed_text(value);
    }
  }

  std::string control_name() const {
    for (Set::Id set : {Set::ioctl_command, Set::ioctl_file})
      if (const auto name = name_of(set, value_)) return std::string(*name);
    constexpr const char* kDirections[] = {"_IOC_NONE", "_IOC_WRITE", "_IOC_READ", "_IOC_READ|_IOC_WRITE"};
    const auto code = static_cast<uint32_t>(value_);
    const auto two_digits = [](uint32_t byte) { return byte == 0 ? std::string("0") : hex_text(byte); };
    return std::string("_IOC(") + kDirections[_IOC_DIR(code)] + ", " + two_digits(_IOC_TYPE(code)) + ", " +
           two_digits(_IOC_NR(code)) + ", " + two_digits(_IOC_SIZE(code)) + ")";
  }

  void ioctl_argument() {
    const auto command = static_cast<uint32_t>(argument(1));
    switch (command) {
      case FIOCLEX:
      case FIONCLEX:
      case TIOCNOTTY:
      case TIOCEXCL:
      case TIOCNXCL: return;
      case TIOCSCTTY:
      case TCSBRK:
      case TCFLSH:
      case TCXONC: return append(int_text(value_));
      case 0x40049409: return append(descriptor(value_));  // FICLONE
      default: break;
    }
    const bool read_by_kernel = command == TCSETS || command == TCSETSW || command == TCSETSF ||
                                command == TIOCSWINSZ || command == TIOCSPGRP || command == FIONBIO ||
                                command == FIOASYNC || command == TIOCSPTLCK || command == TIOCPKT ||
                                command == FS_IOC_SETFLAGS;
    append(or_pointer(!read_by_kernel, [&](const auto& piece) { return control(command, piece.bytes); }));
  }

  static std::string control(uint32_t command, std::string_view bytes) {
    switch (command) {
      case TCGETS:
      case TCSETS:
      case TCSETSW:
      case TCSETSF: return format_terminal_settings(bytes, shown_amount().whole);
      case FS_IOC_GETFLAGS:
      case FS_IOC_SETFLAGS:
        return bytes.size() < 4 ? "" : "[" + format_constant(Set::inode_flags, read_whole<uint32_t>(bytes, 0)) + "]";
      case BLKGETSIZE64: return bytes.size() < 8 ? "" : "[" + std::to_string(read_whole<uint64_t>(bytes, 0)) + "]";
      case TIOCGWINSZ:
      case TIOCSWINSZ:
        return "{ws_row=" + std::to_string(read_whole<uint16_t>(bytes, 0)) +
               ", ws_col=" + std::to_string(read_whole<uint16_t>(bytes, 2)) +
               ", ws_xpixel=" + std::to_string(read_whole<uint16_t>(bytes, 4)) +
               ", ws_ypixel=" + std::to_string(read_whole<uint16_t>(bytes, 6)) + "}";
      default: return bytes.size() < 4 ? "" : "[" + std::to_string(read_whole<int32_t>(bytes, 0)) + "]";
    }
  }

  std::string error() const {
    for (const Restart& restart : kRestarts)
      if (restart.error == call_.error) return restart.text;
    return format_syscall_result(static_cast<uint64_t>(call_.result), call_.error);
  }

  /// Which descriptors are ready, for poll, select and their kin; empty for other calls.
  std::string ready() const {
    const bool polls = shape_->arguments[0].form == Form::as_structure && shape_->arguments[0].which == Struct::pollfd;
    const bool selects = shape_->arguments[1].form == Form::as_fd_set;
    if (!polls && !selects) return "";
    if (call_.result == 0) return " (Timeout)";
    if (polls) {
      const auto piece = memory_.find(argument(0));
      return piece ? " (" + format_ready(piece->bytes) + ")" : "";
    }
    std::string text;
    constexpr const char* kSets[] = {"in ", "out ", "except "};
    for (uint8_t i = 1; i <= 3; ++i) {
      const auto piece = memory_.find(argument(i));
      const std::string bits = piece ? format_bits(piece->bytes, argument(0)) : "[]";
      if (bits != "[]") text += (text.empty() ? "" : ", ") + std::string(kSets[i - 1]) + bits;
    }
    return text.empty() ? "" : " (" + text + ")";
  }
};

}  // namespace

std::string decode_arguments(const SystemCall& call, const CallMemory& memory) {
  return Decoder(call, memory).arguments();
}
namespace {

std::string quoted_words(std::span<const std::string> words) {
  std::string shown;
  for (const std::string& word : words) {
    shown += shown.empty() ? "" : ", ";
    shown += quote(std::string_view(word).substr(0, shown_amount().bytes), word.size() > shown_amount().bytes);
  }
  return shown;
}

}  // namespace

std::string decode_exec(std::string_view path, std::span<const std::string> words,
                        std::span<const std::string> environment) {
  const std::string begin = quote(path, false) + ", [" +
                            quoted_words(words.first(std::min(words.size(), shown_amount().texts()))) +
                            (words.size() > shown_amount().texts() ? ", ...], " : "], ");
  if (shown_amount().whole) return begin + "[" + quoted_words(environment) + "]";
  return begin + "/* " + std::to_string(environment.size()) + (environment.size() == 1 ? " var */" : " vars */");
}

std::string decode_result(const SystemCall& call, const CallMemory& memory) { return Decoder(call, memory).result(); }

}  // namespace sonde
