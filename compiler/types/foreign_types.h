// SPDX-License-Identifier: GPL-3.0-or-later
// Types of the traced programs and of the kernel, as types of D
//
//   struct foo    of the script, else of the first traced program that has it, else of the kernel
//   mod`foo_t     of that object only: vmlinux, a.out, libc.so.6 or libc; pid42`mod`foo_t where several processes are traced
//
// Debug information is opened when a script names a type that it does not define itself, never before: a script that names none
// pays nothing. A record is made without members, and gets them when somebody looks inside.
#pragma once

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
  /// `targets` says which processes are traced.
  ForeignTypes(TypeTable& types, std::function<std::vector<uint32_t>()> targets);
  ~ForeignTypes();

  /// "foo_t", "struct foo", "mod`foo_t", "struct mod`foo"; null: nobody has it.
  const Type* find(std::string_view name);
  /// What find() would answer, if that was met already: it opens nothing. Null: it was not met.
  const Type* met(std::string_view name);
  /// Gives a record its members: one of find()'s, or one that the script has only declared. False: it has none.
  bool complete(const Type* type);
  /// Why a type may be missing, for the hint of a message; empty: nothing comes to mind.
  std::string advice(std::string_view name);
  /// The value of an enumerator of an enum that was met.
  std::optional<int64_t> enumerator(std::string_view name) const;

 private:
  struct Origin {
    size_t source;
    CTypeId id;
    bool operator==(const Origin&) const = default;
  };
  /// An object that has types, once it was opened.
  struct Source {
    uint32_t pid;                  ///< 0: the kernel
    std::string path, file, name;  ///< as the process has it; by which we open it; its base name
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
  const Type* enumeration(const CType& from);
  void add_member(Type& record, const CMember& member, size_t source, uint64_t size);
  bool fill(Type& record, Origin origin);

  TypeTable& types_;
  std::function<std::vector<uint32_t>()> targets_;
  std::vector<Source> sources_;  ///< the traced programs' first, the kernel last
  std::unordered_map<const Type*, Origin> origins_;
  std::map<std::string, std::optional<Origin>, std::less<>> found_;  ///< by what was asked for
  std::map<std::string, const Type*, std::less<>> met_;              ///< records that were made, by name
  std::map<std::string, int64_t, std::less<>> enumerators_;
  uint32_t depth_ = 0;
};

}  // namespace sonde
