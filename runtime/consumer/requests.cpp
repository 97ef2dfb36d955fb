// SPDX-License-Identifier: GPL-3.0-or-later
// Carries out the requests in a trace record: commands, other output, changes that waited for a commit()
//
// The clause has ended by now, so it cannot fault any more: a failure is reported as a message. DTrace puts an empty
// line before such messages.
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "runtime/consumer/consumer.h"

namespace sonde {
namespace {

/// Runs a command by sh and waits for it. The script does not see its status.
Result<void> run_command(const std::string& command) {
  pid_t child = fork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  if (child < 0) return Error::from_errno("fork");
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return {};
}

}  // namespace

void Consumer::run_request(TraceRecord& record, const TraceItem& item) {
  if (item.kind == TraceItem::Kind::Change) return record.do_change(item);
  flush();
  if (item.kind == TraceItem::Kind::Ftruncate) return output_.truncate();
  std::string text;
  format_printf(item.site->format, item.site->arguments, record.words_of(item), item.settings, text);
  const bool is_command = item.kind == TraceItem::Kind::System;
  if (is_command) output_.settle();  // the command's output must follow what we have written
  const Result<void> done = is_command                    ? run_command(text)
                            : text == "." || text == ".." ? Result<void>(Error("not a file", EISDIR))
                                                          : output_.reopen(text);
  if (done) return;
  state_.message((is_command ? "couldn't run \"" : "couldn't freopen() to \"") + text +
                 "\": " + done.error().message() + "\n");
}

}  // namespace sonde
