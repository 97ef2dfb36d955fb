// SPDX-License-Identifier: MIT OR GPL-2.0-only
// The tracepoints of the kernel that programs are attached to, and which events each shows
//
// A new event is a row's kind here, and what it asks and has as arguments in event_code.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "kmod/shared/event.h"

namespace sonde::bpf {

/// Sample: a perf event of a CPU; User: an instruction of a program; Named: a tracepoint that a tap names; the others are
/// tracepoints.
enum class Hook : uint8_t { Enter, Exit, NewTask, Exec, TaskExit, Generate, Deliver, Sample, User, Named };
inline constexpr uint32_t kHookCount = 7;  ///< tracepoints

/// Some kinds of taps, in the order in which they fire.
struct KindList {
  std::array<sonde_tap_kind, 4> kinds{};
  uint8_t count = 0;

  constexpr KindList(std::initializer_list<sonde_tap_kind> list) {
    for (const sonde_tap_kind kind : list) kinds[count++] = kind;
  }
  constexpr const sonde_tap_kind* begin() const { return kinds.data(); }
  constexpr const sonde_tap_kind* end() const { return kinds.data() + count; }
};

/// How a program is at a tracepoint. Raw: the kernel calls it with the tracepoint's arguments. Event: a perf event of the
/// tracepoint calls it, with what the event says of them.
enum class TracepointLink : uint8_t { Raw, Event };

struct HookRow {
  const char* tracepoint;
  const char* program;  ///< its name, behind kNamePrefix
  KindList kinds;
  const char* event_class = nullptr;  ///< of which some kernels have made the tracepoint
  const char* event = nullptr;        ///< its folder in tracefs, if its programs can be there by TracepointLink::Event
};

/// By Hook. A new task returns from the call that made it after its start.
inline constexpr std::array<HookRow, kHookCount> kHookRows = {{
    {"sys_enter", "enter", {SONDE_TAP_EXEC, SONDE_TAP_SYSCALL_ENTRY}, nullptr, "events/raw_syscalls/sys_enter"},
    {"sys_exit",
     "exit",
     {SONDE_TAP_EXEC_FAILURE, SONDE_TAP_START, SONDE_TAP_LWP_START, SONDE_TAP_SYSCALL_RETURN},
     nullptr,
     "events/raw_syscalls/sys_exit"},
    {"task_newtask", "newtask", {SONDE_TAP_CREATE, SONDE_TAP_LWP_CREATE}},
    {"sched_process_exec", "exec", {SONDE_TAP_EXEC_SUCCESS}},
    {"sched_process_exit", "end", {SONDE_TAP_LWP_EXIT, SONDE_TAP_EXIT}, "sched_process_template"},
    {"signal_generate", "generate", {SONDE_TAP_SIGNAL_SEND, SONDE_TAP_SIGNAL_DISCARD}},
    {"signal_deliver", "deliver", {SONDE_TAP_SIGNAL_DELIVER, SONDE_TAP_SIGNAL_DISCARD}},
}};

/// Whether the event is one of a CPU, whose registers the context has.
constexpr bool is_sample(sonde_tap_kind kind) { return kind == SONDE_TAP_PROFILE || kind == SONDE_TAP_COUNTER; }

/// Whether the event is a system call, whose row in the table is its number.
constexpr bool is_call(sonde_tap_kind kind) {
  return kind == SONDE_TAP_SYSCALL_ENTRY || kind == SONDE_TAP_SYSCALL_RETURN;
}

/// Which word of its context has the number of a call that begins, and the result of one that returns.
inline constexpr int kNumberWord = 1;
constexpr int result_word(TracepointLink link) { return link == TracepointLink::Event ? 2 : 1; }

}  // namespace sonde::bpf
