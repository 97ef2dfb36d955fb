// SPDX-License-Identifier: GPL-3.0-or-later
// What programs need besides their notes, as rows
#pragma once

#include <string_view>

namespace sonde::usdt {

/// The program fires the probe only while the counter of another one is up, too. Names as in notes.
struct Companion {
  std::string_view provider, probe, other;
};

/// Python 3.11 looks for a tracer where it has decided to trace lines, and nowhere else.
inline constexpr Companion kCompanions[] = {{"python", "function__entry", "line"},
                                            {"python", "function__return", "line"}};

/// The program has the probe at two places that it passes one after the other: in each function, one of them counts.
struct Doubled {
  std::string_view provider, probe;
};

/// Tcl 8.6 has the lines twice in TclNRInterpProcCore.
inline constexpr Doubled kDoubled[] = {{"tcl", "proc__entry"}};

/// A name of the probe in older versions of the program. Names as sonde shows them.
struct OlderName {
  std::string_view provider, older, probe;
};

inline constexpr OlderName kOlderNames[] = {
    {"ruby", "function-entry", "method-entry"},
    {"ruby", "function-entry", "cmethod-entry"},
    {"ruby", "function-return", "method-return"},
    {"ruby", "function-return", "cmethod-return"},
    {"ruby", "object-create-start", "object-create"},
    {"ruby", "gc-begin", "gc-mark-begin"},
    {"ruby", "gc-end", "gc-sweep-end"},
};

/// A probe that older versions had.
struct Gone {
  std::string_view provider, probe, why;
};

inline constexpr Gone kGone[] = {
    {"ruby", "line", "Ruby has had no probe of lines since 2.0: method-entry has file and line"},
    {"ruby", "rescue", "Ruby has had no probe of rescue since 2.0: raise is that of exceptions"},
    {"ruby", "object-free",
     "Ruby has had no probe of freed objects since 2.0: gc-sweep-begin and gc-sweep-end are there"},
    {"ruby", "object-create-done", "Ruby has had one probe for a new object since 2.0: object-create"},
};

/// The program fires the probes, a wildcard, only if it was started in some way.
struct Start {
  std::string_view provider, probes;
  std::string_view names;  ///< of the probes, if they are few: others do not need it; empty: any may
  std::string_view
      environment;             ///< what switches them on, "NAME=VALUE": programs of -c get it; empty: no variable does
  std::string_view file;       ///< installed with sonde, whose path follows the value; empty: none
  std::string_view otherwise;  ///< why nothing fires
};

inline constexpr Start kStarts[] = {
    {"php", "*", "", "USE_ZEND_DTRACE=1", "",
     "PHP fires most probes only if it was started with USE_ZEND_DTRACE=1 in its environment"},
    {"ruby", "*method-*", "method-entry method-return cmethod-entry cmethod-return function-entry function-return",
     "RUBYOPT=-r", "trace_methods.rb",
     "Ruby fires them only while a TracePoint is on: start it with RUBYOPT=-r/path/on.rb, and in on.rb the line "
     "TracePoint.new(:call, :return, :c_call, :c_return){}.enable"},
    {"hotspot", "method-*", "", "", "", "the JVM fires them only if it was started with -XX:+ExtendedDTraceProbes"},
    {"hotspot", "object-alloc", "", "", "", "the JVM fires it only if it was started with -XX:+ExtendedDTraceProbes"},
    {"hotspot", "monitor-*", "", "", "", "the JVM fires them only if it was started with -XX:+ExtendedDTraceProbes"},
};

}  // namespace sonde::usdt
