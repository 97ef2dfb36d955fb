// SPDX-License-Identifier: GPL-3.0-or-later
#include "providers/pid/signatures.h"

#include <map>
#include <memory>

#include "runtime/process/c_types.h"

namespace sonde::pid {
namespace {

constexpr int kRegisters = 6;  // that carry integers
constexpr int kMostNames = 64;

CTypes* types_of(const std::string& path) {
  static std::map<std::string, std::unique_ptr<CTypes>> opened;
  auto [at, fresh] = opened.try_emplace(path);
  if (fresh)
    if (auto types = read_dwarf(path)) at->second = std::move(*types);
  return at->second.get();
}

CType without_typedefs(CTypes& types, CTypeId id) {
  CType type = types.type(id);
  for (int i = 0; i < kMostNames && type.kind == CType::Kind::Typedef; ++i) type = types.type(type.target);
  return type;
}

/// Assigns the places of the calling convention to parameters, in their order.
class Places {
 public:
  explicit Places(CTypes& types) : types_(types) {}

  int place(CTypeId id) {
    const CType type = without_typedefs(types_, id);
    switch (type.kind) {
      case CType::Kind::Float:
        if (type.size > 8 || ++vectors_ > 8) lost_ = true;  // in memory
        return -1;
      case CType::Kind::Struct:
      case CType::Kind::Union: take_record(type); return -1;
      case CType::Kind::Void: lost_ = true; return -1;
      case CType::Kind::Integer:
        if (type.size > 8) return lost_ = true, -1;
        break;
      default: break;
    }
    if (next_ >= kRegisters && lost_) return -1;
    return next_ < 10 ? next_++ : -1;
  }

 private:
  /// A struct of integers up to 16 bytes is passed in registers, if there are enough; other structs are not tracked.
  void take_record(const CType& type) {
    bool plain = type.size > 0 && type.size <= 16;
    for (const CMember& member : type.members) {
      const CType::Kind kind = without_typedefs(types_, member.type).kind;
      plain = plain && (kind == CType::Kind::Integer || kind == CType::Kind::Pointer || kind == CType::Kind::Enum);
    }
    const int words = static_cast<int>((type.size + 7) / 8);
    if (plain && next_ + words <= kRegisters) {
      next_ += words;
    } else if (type.size > 16) {
      lost_ = true;  // positions on the stack shift; registers do not
    } else {
      lost_ = true;
      next_ = kRegisters;
    }
  }

  CTypes& types_;
  int next_ = 0, vectors_ = 0;
  bool lost_ = false;  ///< positions on the stack are not known any more
};

}  // namespace

Signature signature_of(const std::string& path, const std::string& function) {
  Signature out;
  CTypes* types = types_of(path);
  auto found = types != nullptr ? types->function(function) : std::nullopt;
  if (!found) return out;
  out.known = true;
  out.result = types->spelling(found->result);
  Places places(*types);
  for (const CParameter& parameter : found->parameters)
    out.parameters.push_back({types->spelling(parameter.type), parameter.name, places.place(parameter.type)});
  return out;
}

}  // namespace sonde::pid
