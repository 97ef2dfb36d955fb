// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/print/printer.h"

#include <algorithm>
#include <array>

#include "runtime/base/check.h"
#include "runtime/base/hex.h"

namespace sonde {

#define SONDE_DECLARE(name, doc) std::unique_ptr<Printer> make_##name##_printer(PrintSink& sink);
SONDE_PRINTERS(SONDE_DECLARE)
#undef SONDE_DECLARE

namespace {

struct DropWords {
  Drop::Kind kind;
  std::string_view tag;  ///< for -x droptags; empty: none
  std::string_view one;
  std::string_view rest;
};

constexpr auto kDropWords = std::to_array<DropWords>({
    {Drop::Kind::Principal, "PRINCIPAL", "drop", ""},
    {Drop::Kind::Aggregation, "AGGREGATION", "aggregation drop", ""},
    {Drop::Kind::Dynamic, "DYNAMIC", "dynamic variable drop", ""},
    {Drop::Kind::Speculation, "SPEC", "speculative drop", ""},
    {Drop::Kind::SpeculationBusy, "SPECBUSY", "failed speculation", " (available buffer(s) still busy)"},
    {Drop::Kind::SpeculationUnavailable, "SPECUNAVAIL", "failed speculation", " (no speculative buffer available)"},
    {Drop::Kind::ErrorInError, "DBLERROR", "error", " in ERROR probe enabling"},
    {Drop::Kind::Output, "OUTPUT", "output drop", ""},
    {Drop::Kind::Malformed, "", "malformed record", " ignored"},
});

const DropWords& words_of(Drop::Kind kind) {
  for (const DropWords& words : kDropWords)
    if (words.kind == kind) return words;
  SONDE_CHECK(false);
}

/// The fault in words; the text in parentheses depends on the kind.
std::string text_of_fault(Fault fault, uint64_t value) {
  const std::string address = " (" + hex(value) + ")";
  switch (fault) {
    case Fault::None:
    case Fault::Skip: break;  // neither is reported
    case Fault::BadAddress:
      if (const auto argument = argument_at(value))
        return "args[" + std::to_string(*argument) + "] cannot be read here";
      return "invalid address" + address;
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

std::unique_ptr<Printer> make_printer(std::string_view name, PrintSink& sink) {
#define SONDE_MAKE(row, doc) \
  if (name == #row) return make_##row##_printer(sink);
  SONDE_PRINTERS(SONDE_MAKE)
#undef SONDE_MAKE
  SONDE_CHECK(!"a printer of that name");
}

std::string drop_message(const Drop& drop) {
  const DropWords& words = words_of(drop.kind);
  std::string text = std::to_string(drop.count) + " " + std::string(words.one) + (drop.count == 1 ? "" : "s");
  if (drop.cpu) text += " on CPU " + std::to_string(*drop.cpu);
  return text + std::string(words.rest);
}

std::string fault_message(const FaultReport& fault) {
  const std::string where = fault.action == 0 ? "in predicate" : "in action #" + std::to_string(fault.action);
  return fault_prefix(fault.epid, *fault.probe) + text_of_fault(fault.fault, fault.value) + " " + where +
         " at DIF offset 0" +
         (fault.more_before == 0 ? "" : ", and " + std::to_string(fault.more_before) + " more like it before") +
         fault.place;
}

std::string fault_words(const FaultReport& fault) { return text_of_fault(fault.fault, fault.value); }

bool fault_has_value(Fault fault) {
  constexpr std::array kWithValue = {Fault::BadAddress, Fault::BadAlignment, Fault::BadStack, Fault::BadSize,
                                     Fault::BadIndex};
  return std::ranges::find(kWithValue, fault) != kWithValue.end();
}

void Printer::dropped(const Drop& drop, bool tagged) {
  const std::string_view tag = words_of(drop.kind).tag;
  sink_.message((tagged && !tag.empty() ? "[DTRACEDROP_" + std::string(tag) + "] " : "") + drop_message(drop));
}

void Printer::faulted(const FaultReport& fault) { sink_.message(fault_message(fault)); }

}  // namespace sonde
