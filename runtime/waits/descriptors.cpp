// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/waits/descriptors.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>
#include <utility>

#include "runtime/process/syscall_table.h"
#include "runtime/waits/holders.h"
#include "runtime/waits/sockets.h"

namespace sonde {
namespace {

constexpr size_t kMostPolled = 4096, kMostLookedAt = 16, kMostShown = 3;

struct Polled {
  int fd = -1;
  bool writes = false;
};

std::string number_of(const Polled& polled) { return "descriptor " + std::to_string(polled.fd); }

bool is_fifo(uint32_t pid, int fd) {
  struct stat about {};
  const std::string path = "/proc/" + std::to_string(pid) + "/fd/" + std::to_string(fd);
  return ::stat(path.c_str(), &about) == 0 && S_ISFIFO(about.st_mode);
}

Wait on_pipe(Facts& facts, const ThreadFacts& thread, const Polled& polled, const std::string& file) {
  std::vector<HeldFile> ends;
  for (const HeldFile& one : facts.holders_of(file))
    if (polled.writes ? one.reads : one.writes) ends.push_back(one);
  return unless_handler_writes(
      facts, thread, ends,
      wait_for_holders(facts, thread, ends,
                       polled.writes ? "waits for room in " + file + ", whose read end is held by "
                                     : "waits for data from " + file + ", whose write end is held by "));
}

Wait on_socket(Facts& facts, const ThreadFacts& thread, const Polled& polled, const std::string& file) {
  const std::string text =
      (polled.writes ? "waits for room in " : "waits for data from ") + file + " (" + number_of(polled) + ")";
  const SocketPeer peer = find_peer(thread.pid, file);
  if (peer.file.empty())
    return wait_outside(text + (peer.text.empty() ? ", and whose other end it is, is not known" : ", of " + peer.text));
  const std::vector<HeldFile>& ends = facts.holders_of(peer.file);
  Wait wait = unless_handler_writes(facts, thread, ends,
                                    wait_for_holders(facts, thread, ends, text + ", whose other end is held by "));
  const auto timed = has_time_out(thread.pid, polled.fd, polled.writes);
  if (!timed) wait.text += ", and whether the wait has a time-out is not known";
  wait.timed = timed.value_or(false);
  wait.may_end = wait.may_end || timed.value_or(true);
  return wait;
}

/// Those who have the same eventfd: its number is in fdinfo. io_uring, AIO and KVM count in eventfds as well.
Wait on_eventfd(Facts& facts, const ThreadFacts& thread, const Polled& polled, const std::string& file) {
  constexpr std::string_view kId = "eventfd-id:";
  const uint64_t id = number_behind(Facts::about_descriptor(thread.pid, static_cast<uint64_t>(polled.fd)), kId);
  std::vector<HeldFile> same;
  for (const HeldFile& one : facts.holders_of(file))
    if (number_behind(Facts::about_descriptor(one.pid, static_cast<uint64_t>(one.fd)), kId) == id) same.push_back(one);
  Wait wait = wait_for_holders(facts, thread, same, "waits for eventfd " + std::to_string(id) + ", which is held by ");
  if (!std::exchange(wait.may_end, true)) wait.text += "; the kernel may count, too";
  return wait;
}

/// What a descriptor that has no other end waits for, by the beginning of its link.
struct Endless {
  std::string_view begins, text;
};
constexpr auto kEndless = std::to_array<Endless>({
    {"anon_inode:[timerfd]", "waits for a timer"},
    {"anon_inode:[signalfd]", "waits for a signal"},
    {"anon_inode:inotify", "waits for a file to change"},
    {"anon_inode:[pidfd]", "waits for the end of a process"},
    {"/dev/pts/", "waits for its terminal, "},
    {"/dev/tty", "waits for its terminal, "},
    {"/dev/console", "waits for its terminal, "},
});

Wait on_descriptor(Facts& facts, const ThreadFacts& thread, const Polled& polled) {
  const std::string file = Facts::file_of(thread.pid, static_cast<uint64_t>(polled.fd));
  if (file.starts_with("pipe:[") || is_fifo(thread.pid, polled.fd)) return on_pipe(facts, thread, polled, file);
  if (file.starts_with("socket:[")) return on_socket(facts, thread, polled, file);
  if (file == "anon_inode:[eventfd]") return on_eventfd(facts, thread, polled, file);
  for (const auto& [begins, text] : kEndless)
    if (file.starts_with(begins)) return wait_outside(std::string(text) + (file[0] == '/' ? file : ""));
  return wait_outside("waits for " + (file.empty() ? number_of(polled) : file));
}

/// "waits for data from pipe:[1], ..." as part of a list.
std::string without_verb(const std::string& text) {
  constexpr std::string_view kVerb = "waits for ";
  return text.starts_with(kVerb) ? text.substr(kVerb.size()) : text;
}

bool is_named(const ThreadFacts& thread, std::string_view name) {
  const SyscallInfo* call = find_syscall(*thread.call);
  return call != nullptr && call->name == name;
}

/// Who polls what its own process holds is woken by itself: a signal handler, another thread.
bool holds_itself(const ThreadFacts& thread, const Wait& wait) {
  return std::ranges::any_of(
      wait.needs, [&](const std::vector<uint32_t>& any) { return std::ranges::find(any, thread.tid) != any.end(); });
}

Wait on_several(Facts& facts, const ThreadFacts& thread, const std::vector<Polled>& all) {
  const SyscallInfo* call = find_syscall(*thread.call);
  const std::string name = is_named(thread, "restart_syscall") ? "poll" : call->name;
  Wait wait{.text = "waits in " + name + "() for any of " + std::to_string(all.size()) +
                    (all.size() == 1 ? " descriptor" : " descriptors"),
            .needs = {{}},
            .may_end = all.size() > kMostLookedAt};
  for (size_t i = 0; i < std::min(all.size(), kMostLookedAt); i++) {
    const Wait one = on_descriptor(facts, thread, all[i]);
    if (i < kMostShown) wait.text += (i == 0 ? ": " : "; ") + without_verb(one.text);
    wait.may_end = wait.may_end || one.may_end || holds_itself(thread, one);
    for (const std::vector<uint32_t>& any : one.needs)
      wait.needs.front().insert(wait.needs.front().end(), any.begin(), any.end());
  }
  if (all.size() > kMostShown) wait.text += "; ...";
  return wait;
}

/// `serves`: it is a loop that serves whoever comes. A signal handler ends all of these waits, with or without SA_RESTART.
Wait on_any(Facts& facts, const ThreadFacts& thread, const std::vector<Polled>& all, bool timed, bool serves) {
  if (all.empty()) return wait_outside(timed ? "sleeps, with a time-out" : "waits for a signal");
  Wait wait = all.size() == 1 && !serves ? on_descriptor(facts, thread, all.front()) : on_several(facts, thread, all);
  wait.timed = wait.timed || timed;
  wait.may_end = wait.may_end || timed || serves || has_handlers(facts, thread);
  wait.follows = !wait.may_end;
  return wait;
}

Polled first_argument(const ThreadFacts& thread, bool writes) {
  return {static_cast<int>(thread.arguments[0]), writes};
}

}  // namespace

Wait explain_read(Facts& facts, const ThreadFacts& thread) {
  return on_descriptor(facts, thread, first_argument(thread, false));
}

Wait explain_write(Facts& facts, const ThreadFacts& thread) {
  return on_descriptor(facts, thread, first_argument(thread, true));
}

/// A FIFO is opened once somebody opens its other end.
Wait explain_open(Facts&, const ThreadFacts& thread) {
  const uint64_t path = thread.arguments[is_named(thread, "open") ? 0 : 1];
  char text[256] = "";
  for (size_t i = 0; i + 1 < sizeof text && Facts::read_memory(thread.pid, path + i, text + i, 1) && text[i] != '\0';
       i++)
    text[i + 1] = '\0';
  return wait_outside("waits until " + std::string(text) + " is open: a FIFO opens with its other end");
}

Wait explain_accept(Facts&, const ThreadFacts& thread) {
  return wait_outside("waits for a client on " + number_of(first_argument(thread, false)));
}

Wait explain_poll(Facts& facts, const ThreadFacts& thread) {
  std::vector<pollfd> asked(std::min<uint64_t>(thread.arguments[1], kMostPolled));
  if (!Facts::read_memory(thread.pid, thread.arguments[0], asked.data(), asked.size() * sizeof(pollfd)))
    return wait_outside("waits in poll(), for descriptors that cannot be read");
  std::vector<Polled> all;
  for (const pollfd& one : asked)
    if (one.fd >= 0) all.push_back({one.fd, (one.events & POLLIN) == 0 && (one.events & POLLOUT) != 0});
  const bool timed = is_named(thread, "ppoll") ? thread.arguments[2] != 0 : static_cast<int>(thread.arguments[2]) >= 0;
  return on_any(facts, thread, all, timed, false);
}

Wait explain_select(Facts& facts, const ThreadFacts& thread) {
  const auto count = std::min<size_t>(thread.arguments[0], FD_SETSIZE);
  std::vector<Polled> all;
  for (const size_t set : {size_t{1}, size_t{2}}) {
    fd_set asked;
    FD_ZERO(&asked);
    if (thread.arguments[set] == 0) continue;
    if (!Facts::read_memory(thread.pid, thread.arguments[set], &asked, (count + 63) / 64 * 8))
      return wait_outside("waits in select(), for descriptors that cannot be read");
    for (int fd = 0; fd < static_cast<int>(count); fd++)
      if (FD_ISSET(fd, &asked)) all.push_back({fd, set == 2});
  }
  return on_any(facts, thread, all, thread.arguments[4] != 0, false);
}

Wait explain_epoll(Facts& facts, const ThreadFacts& thread) {
  std::istringstream lines(Facts::about_descriptor(thread.pid, thread.arguments[0]));
  std::vector<Polled> all;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("tfd:")) continue;
    const uint64_t events = number_behind(line, "events:", 16);
    all.push_back({static_cast<int>(number_behind(line, "tfd:")), (events & EPOLLIN) == 0 && (events & EPOLLOUT) != 0});
  }
  const bool timed =
      is_named(thread, "epoll_pwait2") ? thread.arguments[3] != 0 : static_cast<int>(thread.arguments[3]) >= 0;
  return on_any(facts, thread, all, timed, true);
}

}  // namespace sonde
