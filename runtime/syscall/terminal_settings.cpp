// SPDX-License-Identifier: GPL-3.0-or-later
// Each word of the structure holds fields of several bits, which have a value each, and flags:
//
//   c_oflag=NL0|CR0|TAB0|BS0|VT0|FF0|OPOST|ONLCR
//           `------- fields -------' `- flags -'
#include "runtime/syscall/terminal_settings.h"

#include <termios.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>

#include "runtime/syscall/text.h"

namespace sonde {
namespace {

/// A bit pattern of a word: `value` among the bits of `mask`.
struct Pattern {
  uint32_t mask, value;
  std::string_view name;
};

// A flag, or a value of a field, by its macro.
#define FLAG(name) \
  { name, name, #name }
#define VALUE(field, name) \
  { field, name, #name }

constexpr Pattern kInput[] = {FLAG(IGNBRK), FLAG(BRKINT), FLAG(IGNPAR), FLAG(PARMRK),  FLAG(INPCK),
                              FLAG(ISTRIP), FLAG(INLCR),  FLAG(IGNCR),  FLAG(ICRNL),   FLAG(IUCLC),
                              FLAG(IXON),   FLAG(IXANY),  FLAG(IXOFF),  FLAG(IMAXBEL), FLAG(IUTF8)};
constexpr Pattern kOutput[] = {VALUE(NLDLY, NL0),   VALUE(NLDLY, NL1),    VALUE(CRDLY, CR0),   VALUE(CRDLY, CR1),
                               VALUE(CRDLY, CR2),   VALUE(CRDLY, CR3),    VALUE(TABDLY, TAB0), VALUE(TABDLY, TAB1),
                               VALUE(TABDLY, TAB2), VALUE(TABDLY, XTABS), VALUE(BSDLY, BS0),   VALUE(BSDLY, BS1),
                               VALUE(VTDLY, VT0),   VALUE(VTDLY, VT1),    VALUE(FFDLY, FF0),   VALUE(FFDLY, FF1),
                               FLAG(OPOST),         FLAG(OLCUC),          FLAG(ONLCR),         FLAG(OCRNL),
                               FLAG(ONOCR),         FLAG(ONLRET),         FLAG(OFILL),         FLAG(OFDEL)};
constexpr Pattern kControlModes[] = {VALUE(CBAUD, B0),
                                     VALUE(CBAUD, B50),
                                     VALUE(CBAUD, B75),
                                     VALUE(CBAUD, B110),
                                     VALUE(CBAUD, B134),
                                     VALUE(CBAUD, B150),
                                     VALUE(CBAUD, B200),
                                     VALUE(CBAUD, B300),
                                     VALUE(CBAUD, B600),
                                     VALUE(CBAUD, B1200),
                                     VALUE(CBAUD, B1800),
                                     VALUE(CBAUD, B2400),
                                     VALUE(CBAUD, B4800),
                                     VALUE(CBAUD, B9600),
                                     VALUE(CBAUD, B19200),
                                     VALUE(CBAUD, B38400),
                                     VALUE(CBAUD, B57600),
                                     VALUE(CBAUD, B115200),
                                     VALUE(CBAUD, B230400),
                                     VALUE(CBAUD, B460800),
                                     VALUE(CBAUD, B500000),
                                     VALUE(CBAUD, B576000),
                                     VALUE(CBAUD, B921600),
                                     VALUE(CBAUD, B1000000),
                                     VALUE(CBAUD, B1152000),
                                     VALUE(CBAUD, B1500000),
                                     VALUE(CBAUD, B2000000),
                                     VALUE(CBAUD, B2500000),
                                     VALUE(CBAUD, B3000000),
                                     VALUE(CBAUD, B3500000),
                                     VALUE(CBAUD, B4000000),
                                     VALUE(CSIZE, CS5),
                                     VALUE(CSIZE, CS6),
                                     VALUE(CSIZE, CS7),
                                     VALUE(CSIZE, CS8),
                                     FLAG(CSTOPB),
                                     FLAG(CREAD),
                                     FLAG(PARENB),
                                     FLAG(PARODD),
                                     FLAG(HUPCL),
                                     FLAG(CLOCAL),
                                     FLAG(CMSPAR),
                                     FLAG(CRTSCTS)};
constexpr Pattern kLocal[] = {FLAG(ISIG),   FLAG(ICANON), FLAG(XCASE),  FLAG(ECHO),   FLAG(ECHOE),   FLAG(ECHOK),
                              FLAG(ECHONL), FLAG(NOFLSH), FLAG(TOSTOP), FLAG(IEXTEN), FLAG(ECHOCTL), FLAG(ECHOPRT),
                              FLAG(ECHOKE), FLAG(FLUSHO), FLAG(PENDIN), FLAG(EXTPROC)};
#undef FLAG
#undef VALUE

constexpr std::array<std::string_view, 17> kCharacters = {"VINTR",    "VQUIT",    "VERASE",  "VKILL",  "VEOF",  "VTIME",
                                                          "VMIN",     "VSWTC",    "VSTART",  "VSTOP",  "VSUSP", "VEOL",
                                                          "VREPRINT", "VDISCARD", "VWERASE", "VLNEXT", "VEOL2"};
constexpr size_t kKernelCharacters = 19, kLineAt = 16, kSize = 36;

uint32_t word_at(std::string_view bytes, size_t at) {
  uint32_t word = 0;
  std::memcpy(&word, bytes.data() + at, sizeof word);
  return word;
}

/// Bits that no pattern has stand at the end, in hexadecimal.
std::string word_text(std::span<const Pattern> patterns, uint32_t word) {
  std::string text;
  uint32_t rest = word;
  for (const Pattern& one : patterns) {
    if ((word & one.mask) != one.value) continue;
    text += (text.empty() ? "" : "|") + std::string(one.name);
    rest &= ~one.mask;
  }
  return rest == 0 ? text : text + (text.empty() ? "" : "|") + hex_text(rest);
}

std::string characters_text(std::string_view characters) {
  std::string text;
  for (size_t i = 0; i < characters.size(); i++) {
    const auto value = static_cast<unsigned char>(characters[i]);
    text += (i == 0 ? "[" : ", [") + (i < kCharacters.size() ? std::string(kCharacters[i]) : std::to_string(i)) +
            "]=" + (value == 0 ? "0" : hex_text(value));
  }
  return text;
}

}  // namespace

std::string format_terminal_settings(std::string_view bytes, bool whole) {
  if (bytes.size() < kSize) return "";
  std::string text =
      "{c_iflag=" + word_text(kInput, word_at(bytes, 0)) + ", c_oflag=" + word_text(kOutput, word_at(bytes, 4)) +
      ", c_cflag=" + word_text(kControlModes, word_at(bytes, 8)) + ", c_lflag=" + word_text(kLocal, word_at(bytes, 12));
  if (!whole) return text + ", ...}";
  const auto line = static_cast<unsigned char>(bytes[kLineAt]);
  return text + ", c_line=" + (line == 0 ? "N_TTY" : hex_text(line)) + ", c_cc=[" +
         characters_text(bytes.substr(kLineAt + 1, kKernelCharacters)) + "]}";
}

}  // namespace sonde
