// SPDX-License-Identifier: GPL-3.0-or-later
// The terminals of the programs that a prompt starts, and the process that reads them when sonde is gone
//
//   program --> pseudo-terminal --> Relay, which passes on what was written while the prompt lives
//                               `-> sonde-relay, which has the same master: after sonde's end it copies to the terminal
//
// A master that nobody holds hangs its programs up, and one that nobody reads stops them. The programs run on when sonde
// ends, even by SIGKILL, so sonde-relay is forked at the start. It ends with the last of the programs.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/base/terminal_end.h"
#include "runtime/base/unique_fd.h"

namespace sonde {

/// Context: the session's thread.
class Relay {
 public:
  enum class State : uint8_t { Waits, Serves, Ended };  ///< its program does not run yet, runs, has ended
  struct Terminal {
    UniqueFd master;
    TerminalEnd end;
    std::string name;  ///< of its program
    State state;
    std::string text;  ///< that the handler has not used yet; kept here for it
  };
  using OnText = std::function<void(Terminal& terminal, std::string_view text)>;

  /// Forks sonde-relay. Call it before an event source is opened, whose socket it must not hold, and before any thread
  /// exists.
  static Result<std::unique_ptr<Relay>> create();
  /// That of another sonde, of whose hand_over() these words are.
  static std::unique_ptr<Relay> take_over(const std::vector<std::string>& words);
  ~Relay();

  /// A terminal for the program that is started next. Errors: those of open_terminal().
  Result<TerminalEnd> open(bool controls, std::string name);
  /// Its program runs.
  void serve(const TerminalEnd& end);
  /// The same for every one.
  void serve_all();
  /// Its program could not be started.
  void drop(const TerminalEnd& end);

  /// Readable while a program's output waits.
  int fd() const { return poll_.get(); }
  /// Passes on a piece of the output that waits, of each terminal; a terminal whose programs have ended goes, after on_end.
  void read();
  /// Passes on all that waits, but at most `most` bytes of each.
  void read_all(size_t most);
  /// `on_unkept`: sonde-relay has not got the terminal, for the reason of that errno. It hangs up when sonde ends.
  using OnUnkept = std::function<void(const Terminal& terminal, int error)>;
  void set_handlers(OnText on_text, std::function<void(Terminal&)> on_end, OnUnkept on_unkept);

  const std::list<Terminal>& all() const { return all_; }
  std::list<Terminal>& all() { return all_; }
  /// The last one that controls its program, or that of a name; null: there is none.
  Terminal* find_controlling(std::string_view name);
  void copy_sizes();

  /// Makes the descriptors outlive this object and an exec of sonde; the words describe them.
  std::vector<std::string> hand_over();

 private:
  explicit Relay(UniqueFd keeper);
  bool read_some(Terminal& terminal, size_t& left);
  void forget(std::list<Terminal>::iterator terminal);

  UniqueFd keeper_;  ///< a socket to sonde-relay, which gets each master by it
  UniqueFd poll_;    ///< of epoll
  std::list<Terminal> all_;
  OnText on_text_ = [](Terminal&, std::string_view) {};
  std::function<void(Terminal&)> on_end_ = [](Terminal&) {};
  OnUnkept on_unkept_ = [](const Terminal&, int) {};
};

}  // namespace sonde
