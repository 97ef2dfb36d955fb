// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/print/thread_tracks.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <utility>

#include "runtime/format/format.h"

namespace sonde {
namespace {

/// The probes behind which a thread, or every thread of its process, runs nothing more.
struct LastProbe {
  std::string_view provider, function, name;  ///< empty: any
  bool of_process;
};
constexpr auto kLastProbes = std::to_array<LastProbe>({
    {"syscall", "exit", "entry", false},
    {"syscall", "exit_group", "entry", true},
    {"proc", "", "lwp-exit", false},
    {"proc", "", "exit", true},
});

const LastProbe* last_probe(const ProbeInfo& probe) {
  for (const LastProbe& row : kLastProbes)
    if (row.name == probe.name && row.provider == probe.provider &&
        (row.function.empty() || row.function == probe.function))
      return &row;
  return nullptr;
}

/// The name of an entry or return without that: "" or "function-".
std::string_view stem(const ProbeInfo& probe) {
  std::string_view name = probe.name;
  name.remove_suffix(flow_of(probe) == Flow::Entry ? std::string_view("entry").size()
                                                   : std::string_view("return").size());
  return name;
}

/// Probes that a program brings along may leave by another function of C than they entered.
bool returns_from(const ProbeInfo& leaves, const ProbeInfo& entered) {
  const std::string_view kind = stem(leaves);
  return leaves.provider == entered.provider && leaves.module == entered.module && kind == stem(entered) &&
         (!kind.empty() || leaves.function == entered.function);
}

/// Whether calls of the probe's kind have ended when another of them begins or returns: a thread is in one system call at
/// most.
bool are_single(const ProbeInfo& probe) { return probe.provider == "syscall"; }

}  // namespace

std::string event_name(const ProbeInfo& probe) {
  if (flow_of(probe) != Flow::None) {
    const std::string_view kind = stem(probe);
    return kind.empty() ? probe.function : std::string(kind.substr(0, kind.size() - 1));
  }
  const auto is_digit = [](unsigned char c) { return std::isxdigit(c) != 0; };
  if (!probe.function.empty() && std::ranges::all_of(probe.name, is_digit)) return probe.function + "+" + probe.name;
  return probe.provider + ":" + probe.name;
}

ThreadTracks::Thread& ThreadTracks::thread(uint32_t pid, uint32_t tid) {
  Thread& thread = threads_[tid];
  if (thread.pid == pid) return thread;
  for (ThreadTrack& track : thread.tracks) end_from(track, 0, track.last, "its thread has ended");
  thread = Thread{.pid = pid, .name = {}};
  return thread;
}

void ThreadTracks::end_from(ThreadTrack& track, size_t first, uint64_t time, std::string_view why) {
  while (track.open.size() > first) {
    end_call_(track, track.open.back(), std::max(time, track.last), why);
    track.open.pop_back();
  }
}

/// The first track that has nothing later.
ThreadTrack& ThreadTracks::track_at(Thread& thread, uint32_t tid, uint64_t time) {
  for (ThreadTrack& track : thread.tracks)
    if (track.last <= time) return track;
  const auto number = static_cast<uint32_t>(thread.tracks.size());
  return thread.tracks.emplace_back(ThreadTrack{.pid = thread.pid, .tid = tid, .number = number});
}

ThreadTracks::Place ThreadTracks::place(Thread& thread, uint32_t tid, const ProbeInfo& probe, uint64_t time,
                                        uint64_t firing) {
  const Flow flow = flow_of(probe);
  if (flow == Flow::Return) {
    for (ThreadTrack& track : thread.tracks) {
      if (track.last > time || track.last_firing == firing) continue;
      const auto found = std::find_if(track.open.rbegin(), track.open.rend(),
                                      [&](const OpenCall& call) { return returns_from(probe, *call.entry); });
      if (found == track.open.rend()) continue;
      end_from(track, static_cast<size_t>(std::distance(found, track.open.rend())), time, "its caller has returned");
      track.last = time;
      track.last_firing = firing;
      OpenCall call = std::move(track.open.back());
      track.open.pop_back();
      return {Kind::End, &track, std::move(call)};
    }
  }
  for (ThreadTrack& track : thread.tracks)
    if (track.last_firing == firing) return {Kind::Instant, &track, {}, true};
  ThreadTrack& track = track_at(thread, tid, time);
  track.last = time;
  track.last_firing = firing;
  if (flow != Flow::None && are_single(probe)) {
    const auto before = std::ranges::find_if(track.open, [&](const OpenCall& call) { return are_single(*call.entry); });
    end_from(track, static_cast<size_t>(before - track.open.begin()), time,
             flow == Flow::Entry ? "the next call has begun" : "another call has returned");
  }
  if (flow != Flow::Entry) return {Kind::Instant, &track};
  if (last_probe(probe) != nullptr) return {Kind::Instant, &track};
  track.open.push_back({&probe, event_name(probe)});
  return {Kind::Begin, &track};
}

void ThreadTracks::end_thread(Thread& thread, uint64_t time, std::string_view why) {
  for (ThreadTrack& track : thread.tracks) end_from(track, 0, time, why);
}

void ThreadTracks::end_behind(const ProbeInfo& probe, uint32_t pid, uint32_t tid, uint64_t time) {
  const LastProbe* last = last_probe(probe);
  if (last == nullptr) return;
  for (auto& [number, thread] : threads_)
    if (last->of_process ? thread.pid == pid : number == tid) end_thread(thread, time, "its thread has ended");
}

void ThreadTracks::end_all(uint64_t time, std::string_view why) {
  for (auto& [tid, thread] : threads_) end_thread(thread, time, why);
}

}  // namespace sonde
