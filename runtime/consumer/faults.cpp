// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/consumer/faults.h"

#include "runtime/format/append.h"
#include "runtime/format/format.h"
#include "runtime/framework/framework.h"

namespace sonde {
namespace {

/// The fault in words; what follows it in parentheses depends on the kind.
std::string text_of_fault(Fault fault, uint64_t value) {
  std::string address;
  append_format(address, " (0x%llx)", static_cast<unsigned long long>(value));
  switch (fault) {
    case Fault::None:
    case Fault::Skip: break;  // neither is reported
    case Fault::BadAddress: return "invalid address" + address;
    case Fault::BadAlignment: return "invalid alignment" + address;
    case Fault::IllegalOperation: return "illegal operation";
    case Fault::DivideByZero: return "divide-by-zero";
    case Fault::NoScratch: return "out of scratch space";
    case Fault::KernelAccess: return "invalid kernel access";
    case Fault::UserAccess: return "invalid user access";
    case Fault::TupleOverflow: return "tuple stack overflow";
    case Fault::BadStack: return "bad stack" + address;
    case Fault::BadSize: return "invalid size" + address;
    case Fault::BadIndex: return "index out of bounds (" + std::to_string(static_cast<int64_t>(value)) + ")";
    case Fault::Library: return "library-level fault";
  }
  return "unknown fault";
}

}  // namespace

std::string fault_message(uint32_t epid, const ProbeInfo& probe, const BodyContext& context) {
  std::string place = context.action == 0 ? "in predicate" : "in action #" + std::to_string(context.action);
  return fault_prefix(epid, probe) + text_of_fault(static_cast<Fault>(context.fault), context.fault_value) + " " +
         place + " at DIF offset 0";
}

}  // namespace sonde
