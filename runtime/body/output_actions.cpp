// SPDX-License-Identifier: GPL-3.0-or-later
// Actions on the output: they happen when the text that was recorded before them is out.
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

#include "runtime/body/output.h"
#include "runtime/body/state.h"
#include "runtime/body/subroutines.h"

namespace sonde {
namespace {

/// An action failed after its clause: there is nothing left that could fault. DTrace sets such messages off by an empty line.
void complain(BodyState& state, const std::string& what, const Error& why, const std::string& where = {}) {
  state.message(where + "couldn't " + what + ": " + why.message() + "\n");
}

void write_out(BodyState& state, std::string& out) {
  if (out.empty() || state.output == nullptr) return;
  state.output->write(out);
  state.output->flush();
  out.clear();
}

/// sh, to its end. Its status says nothing to the script.
void run_command(BodyState& state, const std::string& command) {
  pid_t child = fork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  if (child < 0) return complain(state, "run \"" + command + "\"", Error::from_errno("fork"));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
}

void reopen(BodyState& state, const std::string& path) {
  Result<void> done;
  if (path == "." || path == "..")
    done = Error("not a file", EISDIR);
  else if (state.output != nullptr)
    done = state.output->reopen(path);
  if (!done) complain(state, "freopen() to \"" + path + "\"", done.error());
}

/// The text of a format, with the record begun. False: a value cannot be recorded.
bool formatted(BodyContext* context, const ActionSite& site, const uint64_t* argv, std::string& text) {
  if (!recordable(context, site.arguments, argv)) return false;
  context->state->begin_trace(*context);
  format_printf(site.format, site.arguments, argv, settings_of(context), text);
  return true;
}

}  // namespace

extern "C" {

void sonde_act_system(BodyContext* context, const ActionSite* site, uint32_t, const uint64_t* argv) {
  BodyState& state = *context->state;
  std::string command;
  if (!formatted(context, *site, argv, command)) return;
  state.act_when_printed([&state, command = std::move(command)](std::string& out) {
    write_out(state, out);
    if (state.output != nullptr) state.output->settle();  // the command writes behind it
    run_command(state, command);
  });
}

void sonde_act_freopen(BodyContext* context, const ActionSite* site, uint32_t, const uint64_t* argv) {
  BodyState& state = *context->state;
  std::string path;
  if (!formatted(context, *site, argv, path)) return;
  state.act_when_printed([&state, path = std::move(path)](std::string& out) {
    write_out(state, out);
    reopen(state, path);
  });
}

void sonde_act_ftruncate(BodyContext* context, const ActionSite*, uint32_t, const uint64_t*) {
  BodyState& state = *context->state;
  state.begin_trace(*context);
  state.act_when_printed([&state](std::string& out) {
    write_out(state, out);
    if (state.output != nullptr) state.output->truncate();
  });
}

void sonde_act_setopt(BodyContext* context, const ActionSite*, uint32_t argc, const uint64_t* argv) {
  BodyState& state = *context->state;
  std::string name(string_argument(context, argv[0]));
  std::string value(argc > 1 ? string_argument(context, argv[1]) : "1");
  if (context->fault != 0) return;
  state.begin_trace(*context);
  std::string where = fault_prefix(context->epid, *context->probe);
  state.act([&state, where = std::move(where), name = std::move(name), value = std::move(value)] {
    if (auto set = state.options.set(name, value, true, true); !set)
      complain(state, "set option \"" + name + "\" to \"" + value + "\"", set.error(), where);
    state.refresh_settings();
  });
}

}  // extern "C"

}  // namespace sonde
