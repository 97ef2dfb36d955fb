// SPDX-License-Identifier: GPL-3.0-or-later
// Types of the traced programs and of the kernel, as types of D
//
//   struct foo    of the script, else of the first traced program that has it, else of a file that a probe names, else of
//                 the kernel
//   mod`foo_t     only of that object: vmlinux, a.out, libc.so.6 or libc; pid42`mod`foo_t if several processes are traced
//
// Debug information is opened only when a script names a type that it does not define itself, so other scripts pay
// nothing. A record is made without members, and gets them when the script uses one.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compiler/types/type.h"
#include "runtime/process/c_types.h"

namespace sonde {

class ForeignTypes {
 public:
  /// `targets` returns the traced processes.
  ForeignTypes(TypeTable& types, std::function<std::vector<uint32_t>()> targets);
  ~ForeignTypes();

  /// A file whose functions have probes in whatever process runs it: its types are there, though no process is traced.
  void add_file(const std::string& path);
  /// Where several have a type, the kernel's is meant from now on; or the kernel's is the last that is meant.
  void prefer_kernel(bool preferred) { kernel_first_ = preferred; }
  /// "foo_t", "struct foo", "mod`foo_t", "struct mod`foo"; null: there is no such type.
  const Type* find(std::string_view name);
  /// What find() has returned for the name before; opens nothing. Null: it was not asked.
  const Type* met(std::string_view name);
  /// Gives a record its members: one from find(), or one that the script has only declared. False: it has none.
  bool complete(const Type* type);
  /// A hint why a type may be missing; empty: none.
  std::string advice(std::string_view name);
  /// The value of an enumerator of an enum that find() has returned.
  std::optional<int64_t> enumerator(std::string_view name) const;

 private:
  struct Origin {
    size_t source;
    CTypeId id;
    bool operator==(const Origin&) const = default;
  };
  /// An opened object that has types.
  struct Source {
    uint32_t pid;                  ///< 0: the kernel; kOfFile: of add_file()
    std::string path, file, name;  ///< the process's path; the path by which we open it; its base name
    bool executable = false, opened = false;
    std::unique_ptr<CTypes> types;
    std::unordered_map<CTypeId, const Type*> made;
  };

  void refresh_sources();
  CTypes* open(Source& source);
  std::optional<Origin> locate(std::string_view name);
  const Type* convert(size_t source, CTypeId id);
  const Type* make(size_t source, CTypeId id, const CType& from);
  const Type* integer(const CType& from);
  const Type* real(const CType& from);
  const Type* enumeration(const CType& from);
  void add_member(Type& record, const CMember& member, size_t source, uint64_t size);
  bool fill(Type& record, Origin origin);

  TypeTable& types_;
  std::function<std::vector<uint32_t>()> targets_;
  std::vector<Source> sources_;  ///< the traced programs' first, the kernel last
  std::unordered_map<const Type*, Origin> origins_;
  using Found = std::map<std::string, std::optional<Origin>, std::less<>>;  ///< by the name that was asked for
  std::array<Found, 2> found_;                                              ///< by kernel_first_
  bool kernel_first_ = false;
  std::map<std::string, const Type*, std::less<>> met_;  ///< records that have been made, by name
  std::map<std::string, int64_t, std::less<>> enumerators_;
  uint32_t depth_ = 0;
};

}  // namespace sonde
