// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace sonde {

/// A USDT probe, as an ELF file's notes of type stapsdt name it: "myapp", "request__start".
struct UsdtProbe {
  std::string provider, name;
};

/// The USDT probes of an ELF file of this machine, in its order. Empty also if the file cannot be read.
std::vector<UsdtProbe> read_usdt_probes(const std::string& path);

}  // namespace sonde
