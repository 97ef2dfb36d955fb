// SPDX-License-Identifier: GPL-3.0-or-later
#include "providers/kernel_types.h"

#include <cstdio>

#include "providers/stability.h"
#include "providers/tap_probes.h"

namespace sonde {

std::string native_type(CTypes& types, CTypeId id) {
  CType type = types.type(id);
  for (int turn = 0; turn < 8 && type.kind == CType::Kind::Typedef; turn++) type = types.type(type.target);
  if (type.kind == CType::Kind::Pointer) {
    const CType target = types.type(type.target);
    const bool record = target.kind == CType::Kind::Struct || target.kind == CType::Kind::Union;
    if (record && !target.name.empty()) return types.spelling(type.target) + " *";
    return target.kind == CType::Kind::Integer && target.size == 1 ? "char *" : "void *";
  }
  const bool word = type.kind == CType::Kind::Integer || type.kind == CType::Kind::Enum;
  if (!word || type.size > 8) return "uint64_t";
  return (type.is_signed ? "int" : "uint") + std::to_string(8 * type.size) + "_t";
}

int register_kernel_names(const char* name, dtrace_pops_t ops, void* arg, dtrace_provider_id_t* id) {
  const dtrace_pattr_t attributes = {kEvolvingCommon, kPrivate, kPrivate, kPrivate, kPrivate};
  ops.dtps_disable = tap_probes::disarm;
  ops.dtps_destroy = tap_probes::nothing;
  return dtrace_register(name, &attributes, DTRACE_PRIV_KERNEL, nullptr, &ops, arg, id);
}

void describe_argument(CTypes& types, const CParameter& parameter, dtrace_argdesc_t* desc) {
  std::snprintf(desc->dtargd_native, sizeof desc->dtargd_native, "%s", native_type(types, parameter.type).c_str());
  std::snprintf(desc->dtargd_name, sizeof desc->dtargd_name, "%s", parameter.name.c_str());
  desc->dtargd_mapping = desc->dtargd_ndx;
}

}  // namespace sonde
