// SPDX-License-Identifier: GPL-3.0-or-later
// Words of other tools: what a user of bpftrace, SystemTap, strace, perf or another system may write, and its form in
// D. To add one, add a row to kOtherWords.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sonde {

struct OtherWord {
  enum class Kind : uint8_t { Variable, Function, Probe, ProbeName, Call, Option, Syntax };
  Kind kind;
  /// For a Probe: fields, each of which may end in a `*` that matches anything.
  std::string_view word;
  /// The hint. In a Probe's hint $1, $2, ... are what the stars matched.
  std::string_view hint;
};

inline constexpr OtherWord kOtherWords[] = {
    // bpftrace, SystemTap
    {OtherWord::Kind::Variable, "args",
     "give it an index: args[0] is the probe's first argument, -l -v shows which there are"},
    {OtherWord::Kind::Variable, "argc", "arg0 ... arg9 are the arguments of the probe"},
    {OtherWord::Kind::Variable, "comm", "in D: execname"},
    {OtherWord::Kind::Variable, "cpid", "in D: $target"},
    {OtherWord::Kind::Variable, "curtask", "in D: curthread"},
    {OtherWord::Kind::Variable, "elapsed", "in D: timestamp, from which BEGIN's may be subtracted"},
    {OtherWord::Kind::Variable, "kstack", "in D: stack()"},
    {OtherWord::Kind::Variable, "nsecs", "in D: timestamp"},
    {OtherWord::Kind::Variable, "retval", "in D: arg1, at return"},
    {OtherWord::Kind::Variable, "tgid", "in D: pid; a thread's number is tid"},
    {OtherWord::Kind::Variable, "username", "in D: uid, a number"},
    {OtherWord::Kind::Function, "buf", "in D: copyin(address, bytes), shown by tracemem()"},
    {OtherWord::Kind::Function, "cat", "in D: system(\"cat FILE\")"},
    {OtherWord::Kind::Function, "delete", "in D: x[key] = 0, or trunc(@name)"},
    {OtherWord::Kind::Function, "hist", "in D: quantize(value)"},
    {OtherWord::Kind::Function, "join", "in D: curpsinfo->pr_psargs is a program with its arguments"},
    {OtherWord::Kind::Function, "kstack", "in D: stack()"},
    {OtherWord::Kind::Function, "kstr", "in D: stringof(pointer)"},
    {OtherWord::Kind::Function, "ksym", "in D: sym(address)"},
    {OtherWord::Kind::Function, "len", "in D: strlen(string)"},
    {OtherWord::Kind::Function, "lhist", "in D: lquantize(value, lower, upper, step)"},
    {OtherWord::Kind::Function, "ntop", "in D: inet_ntop(family, address)"},
    {OtherWord::Kind::Function, "print_backtrace", "in D: stack()"},
    {OtherWord::Kind::Function, "print_ubacktrace", "in D: ustack()"},
    {OtherWord::Kind::Function, "println", "in D: printf(\"%s\\n\", text)"},
    {OtherWord::Kind::Function, "reg", "in D: uregs[R_RAX] and the like"},
    {OtherWord::Kind::Function, "signal", "in D: raise(signal), with -w"},
    {OtherWord::Kind::Function, "stats", "in D: count(), avg(value) and sum(value)"},
    {OtherWord::Kind::Function, "str", "in D: copyinstr(address)"},
    {OtherWord::Kind::Function, "strcontains", "in D: strstr(string, part) != NULL"},
    {OtherWord::Kind::Function, "strftime", "in D: printf(\"%Y\", walltimestamp)"},
    {OtherWord::Kind::Function, "strncmp", "in D: strings are compared by ==, and cut by substr()"},
    {OtherWord::Kind::Function, "time", "in D: printf(\"%Y\", walltimestamp)"},
    {OtherWord::Kind::Function, "user_string", "in D: copyinstr(address)"},
    {OtherWord::Kind::Function, "zero", "in D: clear(@name)"},
    {OtherWord::Kind::Probe, "interval:hz:*", "in D: tick-$1hz"},
    {OtherWord::Kind::Probe, "interval:ms:*", "in D: tick-$1ms"},
    {OtherWord::Kind::Probe, "interval:s:*", "in D: tick-$1s"},
    {OtherWord::Kind::Probe, "interval:us:*", "in D: tick-$1us"},
    {OtherWord::Kind::Probe, "profile:hz:*", "in D: profile-$1hz"},
    {OtherWord::Kind::Probe, "profile:ms:*", "in D: profile-$1ms"},
    {OtherWord::Kind::Probe, "profile:s:*", "in D: profile-$1s"},
    {OtherWord::Kind::Probe, "profile:us:*", "in D: profile-$1us"},
    {OtherWord::Kind::Probe, "kprobe:*",
     "no source has probes in the functions of the kernel; of system calls: syscall::NAME:entry"},
    {OtherWord::Kind::Probe, "kretprobe:*",
     "no source has probes in the functions of the kernel; of system calls: syscall::NAME:return"},
    {OtherWord::Kind::Probe, "fentry:*",
     "no source has probes in the functions of the kernel; of system calls: syscall::NAME:entry"},
    {OtherWord::Kind::Probe, "fexit:*",
     "no source has probes in the functions of the kernel; of system calls: syscall::NAME:return"},
    {OtherWord::Kind::Probe, "kfunc:*",
     "no source has probes in the functions of the kernel; of system calls: syscall::NAME:entry"},
    {OtherWord::Kind::Probe, "kretfunc:*",
     "no source has probes in the functions of the kernel; of system calls: syscall::NAME:return"},
    {OtherWord::Kind::Probe, "hardware:*:*", "no source counts events of the processor; samples by time: profile-997"},
    {OtherWord::Kind::Probe, "software:*:*", "no source counts events of the kernel; samples by time: profile-997"},
    {OtherWord::Kind::Probe, "tracepoint:raw_syscalls:sys_enter", "in D: syscall:::entry"},
    {OtherWord::Kind::Probe, "tracepoint:raw_syscalls:sys_exit", "in D: syscall:::return"},
    {OtherWord::Kind::Probe, "tracepoint:sched:sched_process_exec", "in D: proc:::exec-success"},
    {OtherWord::Kind::Probe, "tracepoint:sched:sched_process_exit", "in D: proc:::exit"},
    {OtherWord::Kind::Probe, "tracepoint:sched:sched_process_fork", "in D: proc:::create"},
    {OtherWord::Kind::Probe, "tracepoint:signal:signal_deliver", "in D: signal:::deliver"},
    {OtherWord::Kind::Probe, "tracepoint:signal:signal_generate", "in D: signal:::send"},
    {OtherWord::Kind::Probe, "tracepoint:syscalls:sys_enter_*", "in D: syscall::$1:entry"},
    {OtherWord::Kind::Probe, "tracepoint:syscalls:sys_exit_*", "in D: syscall::$1:return"},
    {OtherWord::Kind::Probe, "uprobe:*:*", "in D: pid$target:$1:$2:entry, with -c or -p"},
    {OtherWord::Kind::Probe, "uretprobe:*:*", "in D: pid$target:$1:$2:return, with -c or -p"},
    {OtherWord::Kind::Probe, "usdt:*", "USDT is not there yet"},
    // fbt's and syscall's names
    {OtherWord::Kind::ProbeName, "enter", "entry"},
    {OtherWord::Kind::ProbeName, "exit", "return"},
    {OtherWord::Kind::ProbeName, "ret", "return"},
    // the C library's, and those of other systems
    {OtherWord::Kind::Call, "exece", "execve"},
    {OtherWord::Kind::Call, "fstatat", "newfstatat"},
    {OtherWord::Kind::Call, "pread", "pread64"},
    {OtherWord::Kind::Call, "pwrite", "pwrite64"},
    {OtherWord::Kind::Call, "recv", "recvfrom"},
    {OtherWord::Kind::Call, "rexit", "exit_group"},
    {OtherWord::Kind::Call, "send", "sendto"},
    {OtherWord::Kind::Call, "sleep", "clock_nanosleep"},
    {OtherWord::Kind::Call, "wait", "wait4"},
    // awk, Python, SystemTap, perl: where the grammar stumbles over them
    {OtherWord::Kind::Syntax, "and", "in D: &&"},
    {OtherWord::Kind::Syntax, "elif", "in D: else if (...)"},
    {OtherWord::Kind::Syntax, "eq", "in D: =="},
    {OtherWord::Kind::Syntax, "mod", "in D: %"},
    {OtherWord::Kind::Syntax, "ne", "in D: !="},
    {OtherWord::Kind::Syntax, "or", "in D: ||"},
    {OtherWord::Kind::Syntax, "unless", "in D: if (!(...))"},
    // strace, perf, ltrace
    {OtherWord::Kind::Option, "-k", "stacks: ustack() in a clause"},
    {OtherWord::Kind::Option, "-r", "times: printf(\"%d\", timestamp) in a clause"},
    {OtherWord::Kind::Option, "-t", "times: printf(\"%Y\", walltimestamp) in a clause"},
    {OtherWord::Kind::Option, "-T", "how long a call takes: docs/examples/syscall-latency.d"},
    {OtherWord::Kind::Option, "-y",
     "what descriptors are open on is shown without it: sonde PROGRAM ARGS; in a clause: fds[arg0].fi_pathname"},
    {OtherWord::Kind::Option, "--pid", "a process: -p PID"},
    {OtherWord::Kind::Option, "--csv", "a table: --format=csv"},
    {OtherWord::Kind::Option, "--json", "JSON lines: --format=jsonl; also csv, folded, svg"},
};

/// The hint for a variable, a function or an option; empty: the word is not in the table.
std::string_view hint_on_other_word(OtherWord::Kind kind, std::string_view word);

/// The same for a probe description, as typed.
std::string hint_on_other_probe(std::string_view description);
/// The same for the word at a position of a script, delimited by blanks or a brace: `uprobe:/bin/bash:readline`, which
/// is not a D description.
std::string hint_on_other_probe(std::string_view text, size_t at);

}  // namespace sonde
