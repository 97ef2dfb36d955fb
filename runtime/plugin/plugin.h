// SPDX-License-Identifier: GPL-3.0-or-later
// One plug-in: a shared object that brings providers (struct sonde_plugin of provider.h)
#pragma once

#include <string>

#include "runtime/base/result.h"
#include "runtime/framework/framework.h"
#include "runtime/framework/provider.h"
#include "runtime/plugin/trial.h"

namespace sonde {

/// Loads the file, for as long as this process lives. Errors: why it is none of ours.
Result<const struct sonde_plugin*> open_plugin(const std::string& path);

/// Starts it, in the current framework. Errors: what its start() returned, and why.
Result<void> start_plugin(const struct sonde_plugin& plugin, const Framework& framework);

/// What every plug-in must stand before it is loaded for good: started, asked for all probes and their arguments, stopped. For a child:
/// it makes a framework of its own.
void ask_plugin(const std::string& path, Progress& progress);

}  // namespace sonde
