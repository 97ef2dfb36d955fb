// SPDX-License-Identifier: GPL-3.0-or-later
// What a fire part reads comes from the registers of the stop or from /proc, while the thread
// is stopped. Nothing is read in advance, so only programs that read /proc pay for it.
//
//   per firing    FireContext       status, cpu                  read once: the thread is stopped
//   per thread    Thread            comm, stat, schedstat        descriptors stay open, up to half of RLIMIT_NOFILE
//
// Invariant: a SIGKILL may end the thread at any moment. Each function then returns 0, an empty text or -1; there is no
// other failure. And no breakpoint is visible: read_target() puts the program's bytes in its place.
#include "runtime/guard/dif_env.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "kmod/shared/locate.h"
#include "runtime/base/hex.h"
#include "runtime/base/kept_fds.h"
#include "runtime/base/page.h"
#include "runtime/base/procfs.h"
#include "runtime/firing/texts.h"
#include "runtime/guard/tracer.h"
#include "runtime/process/cgroups.h"
#include "runtime/process/mounts.h"
#include "runtime/process/namespaces.h"

namespace sonde::guard {
namespace {

constexpr uint64_t kTextChunk = 512;  // enough for most texts

FireContext& context_of(void* pointer) { return *static_cast<FireContext*>(pointer); }

std::string thread_path(const Thread& thread, const std::string& name) {
  return "/proc/" + std::to_string(thread.process->pid) + "/task/" + std::to_string(thread.tid) + "/" + name;
}

/// Reads a file of /proc that is kept open: up to `size` - 1 bytes, and a NUL.
ssize_t read_kept(const Thread& thread, UniqueFd& fd, const char* name, char* to, size_t size) {
  if (!fd) fd.reset(open(thread_path(thread, name).c_str(), O_RDONLY | O_CLOEXEC));
  ssize_t got = fd ? pread(fd.get(), to, size - 1, 0) : -1;
  if (got < 0 || fd.get() > highest_kept_fd()) fd.reset();
  to[std::max<ssize_t>(got, 0)] = '\0';
  return got;
}

std::string read_whole(const std::string& path, size_t limit) {
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  char buffer[4096];
  while (fd && text.size() < limit) {
    const ssize_t got = read(fd.get(), buffer, std::min(sizeof buffer, limit - text.size()));
    if (got <= 0) break;
    text.append(buffer, static_cast<size_t>(got));
  }
  return text;
}

const FireContext::Status& status_of(FireContext& context) {
  if (context.has_status) return context.status;
  context.has_status = true;
  const std::string text = read_whole(thread_path(context.thread, "status"), 4096);
  const auto field = [&text](const char* name) {
    const size_t at = text.find(name);
    return at == std::string::npos ? "" : text.c_str() + at + std::strlen(name);
  };
  auto& s = context.status;
  std::sscanf(field("\nUid:"), "%lu %lu", &s.uid, &s.euid);
  std::sscanf(field("\nGid:"), "%lu %lu", &s.gid, &s.egid);
  std::sscanf(field("\nPPid:"), "%lu", &s.ppid);
  std::sscanf(field("\nThreads:"), "%lu", &s.threads);
  s.vpid = innermost_pid(text);
  return s;
}

uint64_t cgroup_of(FireContext& context) {
  if (!context.cgroup) context.cgroup = cgroup_id_of(read_whole(thread_path(context.thread, "cgroup"), 4 * kPage));
  return *context.cgroup;
}

/// Field `number` (3 or higher) of /proc/PID/task/TID/stat, numbered as in proc(5).
int64_t stat_number(Thread& thread, int number) {
  char text[1024];
  if (read_kept(thread, thread.stat, "stat", text, sizeof text) <= 0) return 0;
  const char* at = stat_field(text, number);
  return at != nullptr ? std::strtoll(at, nullptr, 10) : 0;
}

int64_t bound_cpu(const Thread& thread) {
  cpu_set_t allowed;
  if (sched_getaffinity(thread.tid, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) != 1) return -1;
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (CPU_ISSET(cpu, &allowed)) return cpu;
  return -1;
}

/// Reads pages that are there. /proc/PID/mem is a little faster than process_vm_readv(), and fails where that would wait
/// for a userfaultfd: for a page that has gone away since we looked.
bool read_now(const Thread& thread, uint64_t address, void* to, size_t length) {
  if (length == 0) return true;
  const AddressSpace& space = *thread.process->space;
  iovec here{to, length}, there{reinterpret_cast<void*>(address), length};
  if (!(space.memory().open() ? space.memory().read(address, to, length)
                              : process_vm_readv(thread.tid, &here, 1, &there, 1, 0) == static_cast<ssize_t>(length)))
    return false;
  space.hide(address, static_cast<uint8_t*>(to), length);
  return true;
}

bool write_now(const Thread& thread, uint64_t address, const void* from, size_t length) {
  iovec here{const_cast<void*>(from), length}, there{reinterpret_cast<void*>(address), length};
  return process_vm_writev(thread.tid, &here, 1, &there, 1, 0) == static_cast<ssize_t>(length);
}

/// Whether the program can read those pages now. If not, and if the firing may wait for them, notes that it must. The
/// firing of a sample cannot, because its thread runs on: so the guard itself waits, for 100 ms at most. Tables of frames
/// are seldom there before the first walk, and without them the sample would lose its callers.
bool are_here(FireContext& context, uint64_t address, size_t length) {
  Pages& pages = context.thread.process->space->pages();
  if (context.firing.stack != nullptr ? pages.bring_in(address, length) : pages.here(address, length)) return true;
  context.absent = true;
  Firing& firing = context.firing;
  const MemoryRange range{address, length};
  if (context.may_wait && firing.lacking.length == 0 && std::ranges::find(firing.lost, range) == firing.lost.end() &&
      pages.may_wait())
    firing.lacking = range;
  return false;
}

uint32_t walk_stack(FireContext& context, uint64_t* to, uint32_t max) {
  if (context.regs == nullptr) return 0;
  if (!machine::is_native(*context.regs)) {  // its frames have another layout
    to[0] = machine::pc(*context.regs);
    return 1;
  }
  const ReadMemory read = [&context](uint64_t address, void* bytes, size_t length) {
    return read_for(context, address, bytes, length);
  };
  Unwinder& unwinder = context.thread.process->space->unwinder();
  const uint32_t count = unwinder.walk(frame_registers(*context.regs), context.firing.at_edge, read, to, max);
  const bool whole = !std::exchange(context.absent, false);
  context.thread.tracer->notify_walked(*context.thread.process, context.firing.timestamp, whole);
  if (!whole) unwinder.forget_failures();
  return count;
}

int psargs(FireContext& context, char* to, uint32_t max) {
  Thread& thread = context.thread;
  const auto start = static_cast<uint64_t>(stat_number(thread, 48)),
             end = static_cast<uint64_t>(stat_number(thread, 49));
  if (start < end && !are_here(context, start, std::min<uint64_t>(end - start, 80))) return put_text("", to, max);
  std::string text = read_whole(thread_path(thread, "cmdline"), 80);
  text.resize(join_arguments(text.data(), text.size()));
  return put_text(text, to, max);
}

/// The name of any process.
int comm(uint64_t pid, char* to, uint32_t max) {
  std::string text = read_whole("/proc/" + std::to_string(pid) + "/comm", 64);
  if (text.ends_with('\n')) text.pop_back();
  return put_text(text, to, max);
}

constexpr const char* kUnknown = "<unknown>";

/// Where a link of the thread's folder leads; empty: there is none. An ordinary user may not read those of a process that is
/// not dumpable: they are there, but unknown.
std::string path_of(const Thread& thread, const std::string& link) {
  errno = 0;
  std::string path = read_link(thread_path(thread, link));
  return path.empty() && errno == EACCES ? kUnknown : path;
}

int put_path(const Thread& thread, const char* link, char* to, uint32_t max) {
  const std::string path = path_of(thread, link);
  return path.empty() ? -1 : put_text(path, to, max);
}

std::string fd_path(const Thread& thread, uint64_t fd) { return path_of(thread, "fd/" + std::to_string(fd)); }

/// The mount point, or with `type` the file system type, of the mount that the descriptor's fdinfo names.
std::string fd_mount(const Thread& thread, uint64_t fd, bool type) {
  const std::string info = read_whole(thread_path(thread, "fdinfo/" + std::to_string(fd)), 4096);
  const size_t at = info.find("mnt_id:");
  if (at == std::string::npos) return "";
  const unsigned long wanted = std::strtoul(info.c_str() + at + 7, nullptr, 10);
  const auto mount = mount_by_id(thread.tid, wanted);
  if (!mount) return "";
  return type ? mount->type : mount->point;
}

std::string fd_type(const Thread& thread, uint64_t fd) {
  const std::string path = fd_path(thread, fd);
  if (path.starts_with("socket:")) return "sockfs";
  if (path.starts_with("pipe:")) return "pipefs";
  if (path.starts_with("anon_inode:")) return "anon_inodefs";
  if (path == kUnknown) return path;
  return path.empty() ? "" : fd_mount(thread, fd, true);
}

/// A number from the descriptor's fdinfo; empty: the descriptor is not open.
std::string fd_number(const Thread& thread, uint64_t fd, const char* name, int base) {
  const std::string info = read_whole(thread_path(thread, "fdinfo/" + std::to_string(fd)), 4096);
  const size_t at = info.find(name);
  return at == std::string::npos ? ""
                                 : std::to_string(std::strtoll(info.c_str() + at + std::strlen(name), nullptr, base));
}

int read_bytes(void* pointer, uint64_t address, void* to, uint32_t length) {
  return read_for(context_of(pointer), address, to, length) ? 0 : -1;
}

int read_vector(void* pointer, uint32_t number, void* to) {
  return machine::read_vector(context_of(pointer).thread.tid, number, to);
}

/// Reads a part of an argument (location.h): 0 or -1.
int read_argument(FireContext& context, uint64_t address, void* to, uint32_t length) {
  const Locations& locations = context.firing.locations;
  if (locations == nullptr || context.regs == nullptr || !machine::is_native(*context.regs)) return -1;
  const FrameRegisters registers = frame_registers(*context.regs);
  const sonde_location_state state{registers.data(), machine::thread_block(*context.regs), read_bytes, read_vector,
                                   &context};
  return sonde_location_read(locations->data(), static_cast<uint32_t>(locations->size()), address, to, length, &state);
}

/// An array of characters in an argument: up to its NUL, or to the end of the argument.
int read_argument_text(FireContext& context, uint64_t address, char* to, uint32_t max) {
  uint32_t length = 0;
  while (length + 1 < max && read_argument(context, address + length, to + length, 1) == 0) {
    if (to[length] == '\0') return static_cast<int>(length);
    length++;
  }
  to[length] = '\0';
  return length > 0 || max <= 1 ? static_cast<int>(length) : -1;
}

/// A text, read in parts that do not cross a page.
template <typename Read>
int read_text(const Read& read, uint64_t address, char* to, uint32_t max) {
  uint32_t length = 0;
  while (length + 1 < max) {
    const uint64_t at = address + length;
    const uint64_t to_page_end = kPage - at % kPage;
    const auto chunk = static_cast<uint32_t>(std::min({uint64_t{max - 1 - length}, to_page_end, kTextChunk}));
    if (!read(at, to + length, chunk)) return -1;
    if (const void* end = std::memchr(to + length, 0, chunk))
      return static_cast<int>(static_cast<const char*>(end) - to);
    length += chunk;
  }
  to[length] = '\0';
  return static_cast<int>(length);
}

int env_read_user(void* pointer, uint64_t address, void* to, uint32_t length) {
  if (sonde_is_argument(address)) return read_argument(context_of(pointer), address, to, length);
  return read_bytes(pointer, address, to, length);
}

int env_read_text(void* pointer, uint64_t address, char* to, uint32_t max) {
  if (sonde_is_argument(address)) return read_argument_text(context_of(pointer), address, to, max);
  FireContext& context = context_of(pointer);
  return read_text([&](uint64_t at, char* part, size_t length) { return read_for(context, at, part, length); }, address,
                   to, max);
}

/// Pointers up to a NULL, read in parts that do not cross a page.
class PointerArray {
 public:
  PointerArray(FireContext& context, uint64_t address) : context_(context), address_(address) {}

  /// None: it cannot be read.
  std::optional<uint64_t> next() {
    if (used_ == there_ && !fill()) return std::nullopt;
    return words_[used_++];
  }
  uint64_t end() const { return address_; }

 private:
  bool fill() {
    const uint64_t to_page_end = kPage - address_ % kPage;
    const uint64_t words = std::clamp<uint64_t>(to_page_end / sizeof(uint64_t), 1, words_.size());
    if (!read_for(context_, address_, words_.data(), words * sizeof(uint64_t))) return false;
    address_ += words * sizeof(uint64_t);
    used_ = 0;
    there_ = words;
    return true;
  }

  FireContext& context_;
  uint64_t address_;
  std::array<uint64_t, 64> words_;
  size_t used_ = 0, there_ = 0;
};

/// Writes the items of SONDE_DIF_TEXT_STRINGS.
class Items {
 public:
  Items(char* to, uint32_t max) : to_(to), left_(max - 1) {}

  /// False: there is no room.
  bool put(sonde_strings_item kind, std::string_view text) {
    if (text.size() + 2 > left_) return false;
    *to_++ = static_cast<char>(kind);
    to_ = std::ranges::copy(text, to_).out;
    *to_++ = '\0';
    left_ -= static_cast<uint32_t>(text.size() + 2);
    return true;
  }
  char* end() const { return to_; }

 private:
  char* to_;
  uint32_t left_;
};

/// Writes the item of the text at an address. False: there is no room.
bool put_string(FireContext& context, uint64_t address, Items& items) {
  char text[4096];
  const int length = env_read_text(&context, address, text, sizeof text);
  if (length < 0) return items.put(SONDE_STRINGS_ADDRESS, hex_digits(address));
  const std::string_view read(text, static_cast<size_t>(length));
  return items.put(read.size() + 1 == sizeof text ? SONDE_STRINGS_CUT : SONDE_STRINGS_TEXT, read);
}

int put_strings(FireContext& context, uint64_t array, char* to, uint32_t max) {
  PointerArray pointers(context, array);
  std::optional<uint64_t> pointer = pointers.next();
  if (!pointer) return -1;
  Items items(to, max);
  while (pointer && *pointer != 0 && put_string(context, *pointer, items)) pointer = pointers.next();
  if (!pointer) items.put(SONDE_STRINGS_UNREADABLE, hex_digits(pointers.end()));
  if (pointer == 0u) items.put(SONDE_STRINGS_END, "");
  *items.end() = '\0';
  return static_cast<int>(items.end() - to);
}

/// As SONDE_DIF_TEXT_POINTERS; empty if nothing can be read.
std::string count_pointers(FireContext& context, uint64_t array) {
  constexpr uint64_t kMost = 1 << 20;  // more than exec accepts
  PointerArray pointers(context, array);
  uint64_t count = 0;
  std::optional<uint64_t> pointer = pointers.next();
  if (!pointer) return "";
  for (; pointer && *pointer != 0 && count < kMost; pointer = pointers.next()) count++;
  return std::to_string(count) + (pointer == 0u ? "" : "?");
}

uint64_t env_variable(void* pointer, uint32_t variable) {
  FireContext& context = context_of(pointer);
  Thread& thread = context.thread;
  switch (static_cast<sonde_dif_variable>(variable)) {
    case SONDE_DIF_VAR_PID: return static_cast<uint64_t>(thread.process->pid);
    case SONDE_DIF_VAR_TID: return static_cast<uint64_t>(thread.tid);
    case SONDE_DIF_VAR_PPID: return status_of(context).ppid;
    case SONDE_DIF_VAR_UID: return status_of(context).uid;
    case SONDE_DIF_VAR_GID: return status_of(context).gid;
    case SONDE_DIF_VAR_EUID: return status_of(context).euid;
    case SONDE_DIF_VAR_EGID: return status_of(context).egid;
    case SONDE_DIF_VAR_NLWP: return status_of(context).threads;
    case SONDE_DIF_VAR_CPU: return cpu_of(context);
    case SONDE_DIF_VAR_TIMESTAMP: return context.firing.timestamp;
    case SONDE_DIF_VAR_VTIMESTAMP: return run_time_of(thread);
    case SONDE_DIF_VAR_ERRNO: return static_cast<uint64_t>(context.firing.error);
    case SONDE_DIF_VAR_PROBE: return context.firing.probe;
    case SONDE_DIF_VAR_PGID: return static_cast<uint64_t>(getpgid(thread.process->pid));
    case SONDE_DIF_VAR_SID: return static_cast<uint64_t>(getsid(thread.process->pid));
    case SONDE_DIF_VAR_SYSCALL: return static_cast<uint64_t>(context.firing.call);
    case SONDE_DIF_VAR_UCALLER: {
      uint64_t frames[2];
      return walk_stack(context, frames, 2) == 2 ? frames[1] : 0;
    }
    case SONDE_DIF_VAR_USTACKDEPTH: {
      uint64_t frames[SONDE_DIF_MAX_FRAMES];
      return walk_stack(context, frames, SONDE_DIF_MAX_FRAMES);
    }
    case SONDE_DIF_VAR_STACK_START: return static_cast<uint64_t>(stat_number(thread, 28));
    case SONDE_DIF_VAR_TTY: return static_cast<uint64_t>(stat_number(thread, 7));
    case SONDE_DIF_VAR_PRIORITY: return static_cast<uint64_t>(stat_number(thread, 18));
    case SONDE_DIF_VAR_POLICY: return static_cast<uint64_t>(stat_number(thread, 41));
    case SONDE_DIF_VAR_BOUND_CPU: return static_cast<uint64_t>(bound_cpu(thread));
    case SONDE_DIF_VAR_VPID: return status_of(context).vpid;
    case SONDE_DIF_VAR_PIDNS: return inode_of(thread_path(thread, "ns/pid"));
    case SONDE_DIF_VAR_CGROUPID: return cgroup_of(context);
    case SONDE_DIF_VAR_CALLER:
    case SONDE_DIF_VAR_STACKDEPTH:
    case SONDE_DIF_VAR_CURTHREAD:  // an address in the kernel, which ptrace does not show
    case SONDE_DIF_VAR_COUNT: break;
  }
  return 0;
}

uint64_t env_register(void* pointer, uint32_t number) {
  const machine::Registers* regs = context_of(pointer).regs;
  return regs != nullptr ? d_register(*regs, number) : 0;
}

uint64_t env_descends(void* pointer, uint64_t pid) {
  FireContext& context = context_of(pointer);
  if (static_cast<uint64_t>(context.thread.process->pid) == pid) return 1;
  return has_ancestor(status_of(context).ppid, pid, SONDE_DIF_ANCESTORS) ? 1 : 0;
}

int env_text(void* pointer, uint32_t which, uint64_t operand, char* to, uint32_t max) {
  FireContext& context = context_of(pointer);
  Thread& thread = context.thread;
  switch (static_cast<sonde_dif_text>(which)) {
    case SONDE_DIF_TEXT_EXECNAME: {
      char name[16];
      read_execname(thread, name);
      return put_text(name, to, max);
    }
    case SONDE_DIF_TEXT_PSARGS: return psargs(context, to, max);
    case SONDE_DIF_TEXT_CWD: return put_path(thread, "cwd", to, max);
    case SONDE_DIF_TEXT_ROOT: return put_path(thread, "root", to, max);
    case SONDE_DIF_TEXT_EXEPATH: return put_path(thread, "exe", to, max);
    case SONDE_DIF_TEXT_FDPATH: {
      const std::string path = fd_path(thread, operand);
      return put_text(path.empty() ? "<none>" : path, to, max);
    }
    case SONDE_DIF_TEXT_FDFS: return put_text(fd_type(thread, operand), to, max);
    case SONDE_DIF_TEXT_FDMOUNT:
      return put_text(fd_path(thread, operand) == kUnknown ? kUnknown : fd_mount(thread, operand, false), to, max);
    case SONDE_DIF_TEXT_FDPOS: return put_text(fd_number(thread, operand, "pos:", 10), to, max);
    case SONDE_DIF_TEXT_FDFLAGS: return put_text(fd_number(thread, operand, "flags:", 8), to, max);
    case SONDE_DIF_TEXT_PROBE_TEXT: return operand == 0 ? put_text(context.firing.text, to, max) : -1;
    case SONDE_DIF_TEXT_COMM: return comm(operand, to, max);
    case SONDE_DIF_TEXT_STRINGS: return put_strings(context, operand, to, max);
    case SONDE_DIF_TEXT_POINTERS: return put_text(count_pointers(context, operand), to, max);
    case SONDE_DIF_TEXT_SYSCALL_ARGS:  // refused when the program is loaded
    case SONDE_DIF_TEXT_COUNT: break;
  }
  return -1;
}

int env_stack(void* pointer, uint64_t* to, uint32_t max) {
  return static_cast<int>(walk_stack(context_of(pointer), to, max));
}

}  // namespace

const sonde_dif_env kPtraceEnv = {env_read_user, env_read_text, env_variable, env_register,
                                  env_descends,  env_text,      env_stack};

bool read_target(const Thread& thread, uint64_t address, void* to, size_t length) {
  return thread.process->space->pages().bring_in(address, length) && read_now(thread, address, to, length);
}

bool read_present(const Thread& thread, uint64_t address, void* to, size_t length) {
  return thread.process->space->pages().here(address, length) && read_now(thread, address, to, length);
}

bool read_for(FireContext& context, uint64_t address, void* to, size_t length) {
  const StackCopy* stack = context.firing.stack;
  if (stack != nullptr && stack->read(address, to, length)) return true;
  if (!are_here(context, address, length) || !read_now(context.thread, address, to, length)) return false;
  if (stack != nullptr) stack->put_over(address, to, length);  // its thread has run on
  return true;
}

bool write_target(const Thread& thread, uint64_t address, const void* from, size_t length) {
  return thread.process->space->pages().bring_in(address, length, Access::Write) &&
         write_now(thread, address, from, length);
}

bool write_present(const Thread& thread, uint64_t address, const void* from, size_t length) {
  return thread.process->space->pages().here(address, length, Access::Write) &&
         write_now(thread, address, from, length);
}

std::vector<uint64_t> stack_of(Thread& thread, machine::Registers& regs) {
  static const StackCopy kNone;  // as for a sample: pages are brought in
  Firing firing;
  firing.stack = &kNone;
  firing.timestamp = monotonic_now();
  FireContext context{thread, firing, &regs};
  std::vector<uint64_t> frames(SONDE_DIF_MAX_FRAMES);
  frames.resize(walk_stack(context, frames.data(), SONDE_DIF_MAX_FRAMES));
  return frames;
}

int read_target_text(const Thread& thread, uint64_t address, char* to, uint32_t max) {
  return read_text([&](uint64_t at, char* part, size_t length) { return read_target(thread, at, part, length); },
                   address, to, max);
}

void read_execname(Thread& thread, char* to) {
  char text[32];
  ssize_t got = read_kept(thread, thread.comm, "comm", text, sizeof text);
  if (got < 0) got = read_kept(thread, thread.comm, "comm", text, sizeof text);
  if (got > 0 && text[got - 1] == '\n') text[--got] = '\0';
  put_text({text, static_cast<size_t>(std::max<ssize_t>(got, 0))}, to, 16);
}

uint64_t run_time_of(Thread& thread) {
  char text[128];
  return read_kept(thread, thread.schedstat, "schedstat", text, sizeof text) > 0 ? std::strtoull(text, nullptr, 10) : 0;
}

char state_of(Thread& thread) {
  char text[1024];
  if (read_kept(thread, thread.stat, "stat", text, sizeof text) <= 0) return 0;
  const char* state = stat_field(text, 3);
  return state != nullptr ? *state : '\0';
}

uint64_t cpu_of(FireContext& context) {
  if (context.cpu < 0) context.cpu = stat_number(context.thread, 39);
  return static_cast<uint64_t>(context.cpu);
}

}  // namespace sonde::guard
