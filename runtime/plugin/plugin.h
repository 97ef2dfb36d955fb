// SPDX-License-Identifier: GPL-3.0-or-later
// One plug-in: a shared object that brings providers (struct sonde_plugin of provider.h)
#pragma once

#include <string>

#include "runtime/base/result.h"
#include "runtime/framework/framework.h"
#include "runtime/framework/provider.h"
#include "runtime/plugin/trial.h"

namespace sonde {

/// Loads the file; it stays loaded as long as this process lives. Errors: why it is not a plug-in for this sonde.
Result<const struct sonde_plugin*> open_plugin(const std::string& path);

/// Starts it in the current framework, which keeps nothing of a plug-in that fails. Errors: what its start() returned,
/// and why; it has registered no provider.
Result<void> start_plugin(const struct sonde_plugin& plugin, Framework& framework);

/// Stops it, which it may do once.
void stop_plugin(const struct sonde_plugin& plugin);

/// The test that every plug-in must pass before it is loaded for good: start it, ask for all probes and their
/// arguments, stop it. Call it in a child: it makes a framework of its own.
void ask_plugin(const std::string& path, Progress& progress);

}  // namespace sonde
