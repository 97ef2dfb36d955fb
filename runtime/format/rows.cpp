// SPDX-License-Identifier: GPL-3.0-or-later
#include <charconv>
#include <iterator>

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

namespace {

void append_blanks(std::string& out, size_t width, size_t taken) {
  if (taken < width) out.append(width - taken, ' ');
}

void append_right(std::string& out, uint32_t number, size_t width) {
  char digits[10];
  const auto length = static_cast<size_t>(std::to_chars(std::begin(digits), std::end(digits), number).ptr - digits);
  append_blanks(out, width, length);
  out.append(digits, length);
}

}  // namespace

/// Like "%3u %6u %32s ". Every line that is not quiet has it, so it avoids snprintf().
void format_row_prefix(uint32_t cpu, const ProbeInfo& probe, std::string& out) {
  append_right(out, cpu, 3);
  out += ' ';
  append_right(out, probe.id.value, 6);
  out += ' ';
  append_blanks(out, 32, probe.function.size() + 1 + probe.name.size());
  out.append(probe.function).append(":").append(probe.name).append(" ");
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
