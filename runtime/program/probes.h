// SPDX-License-Identifier: GPL-3.0-or-later
// Probes, as the compiler and bodies know them
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/ids.h"
#include "runtime/framework/provider.h"
#include "runtime/program/fire_program.h"
#include "runtime/source/capabilities.h"

namespace sonde {

/// Four globs; an empty field matches anything. When `id` is not 0, it alone identifies the probe.
struct ProbeDescription {
  std::string provider, module, function, name;
  ProbeId id;
};

/// "provider:module:function:name", all four fields.
inline std::string to_string(const ProbeDescription& description) {
  return description.provider + ":" + description.module + ":" + description.function + ":" + description.name;
}

/// An existing probe. The object lives as long as the framework and does not move. Probes share their texts.
struct ProbeInfo {
  ProbeId id;
  const std::string &provider, &module, &function, &name;
};

struct ArgumentDescription {
  int index = 0;
  int mapping = 0;         ///< the argN that it is made from, SONDE_ARGUMENT_LOCATED, or below 0: it is refused
  std::string native;      ///< C type
  std::string translated;  ///< D type, or empty
  std::string name;
  std::string place;  ///< where it stands, or why it is refused; may be empty
  uint64_t size = 0;  ///< bytes that have locations
};

/// What a provider says of a probe in D, by sonde_probe_of_kernel() or sonde_probe_in_d().
struct ProbeTexts {
  bool of_kernel = false;  ///< it fires in the kernel
  std::string when;        ///< it fires only where this is true; empty: always
  std::string derived;     ///< the value of __derived; empty: 0
  std::string before;      ///< clauses that run where a script has the probe
  std::vector<std::string>
      arguments;  ///< argN; those behind are 0. None, and it fires in the kernel: they are the tap's
  bool has_own_arguments() const { return !of_kernel || !arguments.empty(); }
  auto operator<=>(const ProbeTexts&) const = default;
};

struct ToldProbe {
  ProbeId id;
  const ProbeTexts* texts;  ///< lives as long as the catalog: thousands of probes have the same
};

struct ProvideError {
  std::string tag, message;
};

/// Programs of probes that have one of their own, by rising probe: the list of calls has hundreds.
using FirePrograms = std::vector<std::pair<ProbeId, std::shared_ptr<const FireProgram>>>;

/// A clause that waits for probes.
struct Enabling {
  std::vector<ProbeDescription> descriptions;
  uint32_t clause = 0;                         ///< index into the body program
  std::shared_ptr<const FireProgram> program;  ///< verified
  bool held = false;
  FirePrograms programs{};  ///< for probes that have a program of their own; sources verify it

  bool has_own_program(ProbeId probe) const {
    return std::ranges::binary_search(programs, probe, {}, &FirePrograms::value_type::first);
  }
  const std::shared_ptr<const FireProgram>& program_of(ProbeId probe) const {
    const auto own = std::ranges::lower_bound(programs, probe, {}, &FirePrograms::value_type::first);
    return own == programs.end() || own->first != probe ? program : own->second;
  }
};

/// What the compiler asks about probes. The framework implements it.
class ProbeCatalog {
 public:
  virtual ~ProbeCatalog() = default;

  /// Ids of the matching probes, rising. Providers are asked to provide their probes before the first match, and again,
  /// with the description, when nothing matched. Probes that a provider has refused are left out.
  virtual std::vector<ProbeId> match(const ProbeDescription& description) = 0;
  /// What a provider reported about the last description that matched nothing.
  virtual std::optional<ProvideError> provide_error() const = 0;
  virtual const ProbeInfo& info(ProbeId id) const = 0;
  virtual dtrace_pattr_t attributes(ProbeId id) const = 0;
  /// By rising index, 0 to 9; an index that the provider does not describe is left out.
  virtual std::vector<ArgumentDescription> arguments(ProbeId id) const = 0;
  /// Those of these probes of which their providers say something in D.
  virtual std::vector<ToldProbe> told(std::span<const ProbeId> ids) const = 0;
  /// How many of these bring their arguments along: argN is then the first word of argument N's locations.
  virtual size_t with_arguments(std::span<const ProbeId> ids) const = 0;
  /// What the current source can do; kNoSource when there is none.
  virtual const SourceCapabilities& capabilities() const = 0;
  /// The traced processes.
  virtual const std::vector<uint32_t>& targets() const = 0;
};

}  // namespace sonde
