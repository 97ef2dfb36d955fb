// SPDX-License-Identifier: GPL-3.0-or-later
// The prompt: clauses are typed, compiled and enabled while the target runs on.
//
//   line --> pending_ --> waits_for_more()? --> more lines
//                     --> carry_out(): a clause (entries.h), or a command (commands.h)
//
// The run's loop also waits for the terminal, so traced output appears while a line is half typed (screen.h).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/output.h"
#include "cli/prompt/completer.h"
#include "cli/prompt/entries.h"
#include "cli/prompt/handed_over.h"
#include "cli/prompt/line_reader.h"
#include "cli/prompt/named_targets.h"
#include "cli/prompt/screen.h"
#include "cli/prompt/target_output.h"
#include "cli/prompt/watch.h"
#include "cli/session.h"
#include "runtime/plugin/plugins.h"

namespace sonde {

/// Context: the session's thread.
class Prompt {
 public:
  /// All must outlive it. The session has been started; the command line has enabled `given`, which are compiled from
  /// `texts`.
  Prompt(Session& session, Options& options, FileOutput& output, std::span<const SourceText> texts,
         std::span<const CompiledText> given);

  /// Runs until :quit, the end of the input, or exit(). Input is a terminal (readline: history, editing) or a pipe: at
  /// its end, it waits for the targets. Returns the exit status; from a pipe, 1 if anything was wrong.
  int run();
  /// At the end of a pipe it also waits while clauses are enabled, as a script does.
  void run_on() { runs_on_ = true; }

  /// It goes on where another one has ended. Call it before run().
  void continue_from(HandedOver what) { handed_ = std::move(what); }
  /// After run(): what is handed to a new sonde, if :source has asked for one.
  const std::optional<HandedOver>& handed_over() const { return hands_over_; }

  // What commands use.
  /// Ends this prompt; it goes on in a new sonde with that source. Errors: the source cannot be used here.
  Result<void> change_source(const std::string& name);
  Session& session() { return session_; }
  Options& options() { return options_; }
  FileOutput& output() { return output_; }
  Screen& screen() { return *screen_; }
  Entries& entries() { return entries_; }
  NamedTargets& targets() { return targets_; }
  TargetOutput& target_output() { return *target_output_; }
  Watch& watched() { return *watch_; }
  /// The entry's text comes back on the line; the next clause replaces it.
  void edit(Entries::Entry& entry);
  /// Enables the clauses of a script, each as an entry. Errors: those of reading the file.
  Result<void> load(const std::string& path);
  /// The enabled clauses and what set() has changed, as a script; `left_out`: how many clauses are disabled.
  std::string script(size_t& left_out) const;
  /// Sets an option of -x. Errors: why it cannot be set now.
  Result<void> set(const std::string& setting);
  /// Loads a provider. Errors: why it was left out.
  Result<void> add_provider(const std::string& path);
  /// Something that has been done, or that the user should know.
  void say(std::string_view text) { output_.message(text); }
  /// Something that was typed is wrong, or cannot be done.
  void complain(std::string_view text);
  void complain(const Error& error) { complain(error.message()); }
  /// Compiles and enables a text.
  void take_clause(const std::string& text);
  void note_failure();
  void end();
  /// With the number of the first target in the place of $target, if there is one.
  std::string with_target(std::string text) const;
  /// The gate of traced output, which the prompt shows.
  void set_gate(Flood::Gate gate);

 private:
  void watch();
  void interrupt();
  void drop_line();
  void take_handed();
  bool over() const;
  bool waits_for_clauses() const;
  bool take_end_of_input();
  void take_line(const std::string& line);
  void carry_out_pending();
  void say_taken(const Entries::Entry& entry);
  void take_command(const std::string& text);
  const char* first_prompt() const;
  Completable completable();
  std::vector<NameCount> probes(const std::string& text, ProbeIndex::Field field);

  Session& session_;
  Options& options_;
  FileOutput& output_;
  std::unique_ptr<LineReader> reader_;
  std::unique_ptr<Screen> screen_;
  std::unique_ptr<Watch> watch_;
  std::unique_ptr<TargetOutput> target_output_;
  Entries entries_;
  NamedTargets targets_;
  std::vector<std::unique_ptr<Plugins>> plugins_;
  Entries::Entry* edited_ = nullptr;                           ///< the next clause replaces it
  std::string pending_;                                        ///< the lines of an entry that is not complete
  std::vector<std::pair<std::string, std::string>> settings_;  ///< by set(); each option once
  std::vector<std::string> loaded_;                            ///< by add_provider()
  std::optional<HandedOver> handed_, hands_over_;
  bool done_ = false;
  bool runs_on_ = false;
  bool one_has_ended_ = false;  ///< of the targets
  bool failed_ = false;         ///< something that was typed was wrong
};

}  // namespace sonde
