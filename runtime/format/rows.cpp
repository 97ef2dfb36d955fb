// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/format/append.h"
#include "runtime/format/format.h"

namespace sonde {

std::string fault_prefix(uint32_t epid, const ProbeInfo& probe) {
  return "error on enabled probe ID " + std::to_string(epid) + " (ID " + std::to_string(probe.id.value) + ": " +
         probe.provider + ":" + probe.module + ":" + probe.function + ":" + probe.name + "): ";
}

std::string row_header(bool flowindent) {
  std::string out;
  if (flowindent)
    append_format(out, "%3s %-41s\n", "CPU", "FUNCTION");
  else
    append_format(out, "%3s %6s %32s\n", "CPU", "ID", "FUNCTION:NAME");
  return out;
}

void format_row_prefix(uint32_t cpu, const ProbeInfo& probe, std::string& out) {
  std::string name = probe.function + ":" + probe.name;
  append_format(out, "%3u %6u %32s ", cpu, probe.id.value, name.c_str());
}

Flow flow_of(const ProbeInfo& probe) {
  if (probe.name == "entry" || probe.name.ends_with("-entry")) return Flow::Entry;
  if (probe.name == "return" || probe.name.ends_with("-return")) return Flow::Return;
  return Flow::None;
}

void format_flow_prefix(uint32_t cpu, const ProbeInfo& probe, Flow flow, int indent, std::string& out) {
  bool call = probe.provider == "syscall";
  std::string text(static_cast<size_t>(indent), ' ');
  switch (flow) {
    case Flow::Entry: text += (call ? " => " : " -> ") + probe.function; break;
    case Flow::Return: text += (call ? " <= " : " <- ") + probe.function; break;
    case Flow::None: text += " | " + probe.function + ":" + probe.name; break;
  }
  append_format(out, "%3u %-41s ", cpu, text.c_str());
}

}  // namespace sonde
