// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/session.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <utility>

#include "compiler/parse/outline.h"
#include "providers/registry.h"
#include "runtime/base/interrupt.h"
#include "runtime/base/progress.h"
#include "runtime/base/sha256.h"
#include "runtime/process/demangle.h"
#include "runtime/syscall/capture.h"

namespace sonde {

Session::Session(Options& options, FileOutput& output) : options_(options), output_(output) {}

Session::~Session() {
  if (opened_.source && framework_) {
    opened_.source->begin_close();
    framework_->forget_source();
  }
  tracing_.reset();
  compiler_.reset();
  if (framework_) unregister_providers();
  framework_.reset();
  if (!opened_.source) return;
  for (const Notice& left : opened_.source->close())
    if (!output_.reader_gone()) show(output_, left);
}

Result<std::unique_ptr<Session>> Session::create(Options& options, FileOutput& output, bool targets, bool prompt,
                                                 std::vector<std::string> providers,
                                                 const std::vector<std::string>& terminals) {
  std::unique_ptr<Session> session(new Session(options, output));
  if (prompt && (session->relay_ = Relay::take_over(terminals)) == nullptr) {
    auto relay = Relay::create();
    if (!relay) return std::move(relay).error().context("cannot start sonde-relay");
    session->relay_ = std::move(*relay);
  }
  auto opened = open_source(options.text("source"), targets,
                            {.own_group = prompt, .null_input = prompt, .providers = std::move(providers)});
  if (!opened) return std::move(opened).error().context("cannot open the event source");
  if (!options.flag("demangle")) show_linker_names();
  session->opened_ = std::move(*opened);
  EventSource* source = session->opened_.source.get();
  if (source != nullptr && access("/proc/self/maps", F_OK) != 0)
    output.message(
        "/proc is not mounted here: functions cannot be probed, nothing can be attached, stacks have no names");
  set_shown_amount({static_cast<uint32_t>(std::min<uint64_t>(options.number("argstrsize"), kMostShownBytes)),
                    options.flag("argstrwhole"),
                    source == nullptr || source->capabilities().texts.contains(SONDE_DIF_TEXT_STRINGS)});
  session->framework_ = std::make_unique<Framework>(source);
  register_providers();
  Framework& framework = *session->framework_;
  session->compiler_ = std::make_unique<Compiler>(session->program_, framework, options);
  session->targets_ = std::make_unique<Targets>(source, framework, options, output);
  session->tracing_ =
      std::make_unique<Tracing>(session->opened_, framework, session->program_, *session->targets_, options, output);
  return session;
}

Result<void> Session::prepare_targets(const std::vector<std::vector<std::string>>& commands,
                                      const std::vector<uint32_t>& pids, std::span<const SourceText> texts,
                                      const MacroValues& macros) {
  if (auto done = targets_->note_attached(pids); !done) return done;
  targets_->note_named(named_processes(texts, macros));
  bool needed = commands.empty();
  if (!commands.empty()) {
    const std::vector<ProbeDescription> descriptions = compiler_->preview(texts, macros);
    Forecast forecast = framework_->forecast(descriptions);
    for (const ProbeDescription& one : descriptions)
      if (const std::string needed = environment_for(one.provider, one.name); !needed.empty())
        forecast.environment.emplace_back(needed);
    for (const std::vector<std::string>& words : commands)
      if (auto done = begin(words, forecast); !done) return done;
    needed = forecast.awaits_process || forecast.may_grow;
  }
  if (needed) return targets_->await();
  framework_->on_targets_asked = [this] { (void)targets_->await().has_value(); };
  return {};
}

bool Session::relays() { return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1; }

Result<void> Session::begin(const std::vector<std::string>& words, const Forecast& forecast) {
  if (!relay_ || !relays()) return targets_->begin(words, forecast);
  auto terminal = relay_->open(false, words.front());
  if (!terminal) return std::move(terminal).error();
  return targets_->begin(words, forecast, *terminal);
}

/// Processes to attach to because a description names pid<N>. If a process does not exist, the provider reports it.
std::vector<uint32_t> Session::named_processes(std::span<const SourceText> texts, const MacroValues& macros) {
  std::vector<uint32_t> found;
  const KnownMacros known = macros.given();
  if (!targets_->possible() ||
      !std::ranges::any_of(texts, [&known](const SourceText& text) { return names_process(text.text, known); }))
    return found;
  for (const ProbeDescription& description : compiler_->preview(texts, macros)) {
    uint32_t pid = 0;
    const std::string& name = description.provider;
    if (!name.starts_with("pid")) continue;
    const auto [end, error] = std::from_chars(name.data() + 3, name.data() + name.size(), pid);
    if (error == std::errc() && end == name.data() + name.size() && pid != 0) found.push_back(pid);
  }
  return found;
}

MacroValues Session::with_target(MacroValues macros) {
  macros.target = [this] {
    (void)targets_->await().has_value();
    return targets_->live().empty() ? 0u : targets_->live().front();
  };
  return macros;
}

std::vector<NamedType> Session::members(const std::string& text) { return compiler_->members(text, with_target({})); }

Result<std::vector<CompiledText>> Session::compile(std::span<const SourceText> texts, MacroValues macros) {
  std::string all;
  for (const SourceText& text : texts) all += text.text;
  script_digest_ = sha256(all);
  auto compiled = [&] {
    const ProgressLine progress("reading symbols, compiling");
    return compiler_->compile(texts, with_target(std::move(macros)));
  }();
  reported_.clear();
  if (auto done = targets_->await(); !done) return std::move(done).error();
  if (!compiled) reported_ = compiler_->reported();
  return compiled;
}

Result<void> Session::start(std::span<const CompiledText> texts) {
  std::vector<Enabling> enablings;
  for (const CompiledText& text : texts)
    for (Enabling& enabling : compiler_->enablings(text)) enablings.push_back(std::move(enabling));
  return tracing_->start(enablings, script_digest_);
}

Result<std::vector<uint32_t>> Session::enable(const CompiledText& text) {
  return tracing_->enable(compiler_->enablings(text));
}

void Session::show_calls_under_way(bool stacks) {
  shows_calls_ = true;
  if (!targets_->noted().empty()) write_calls_under_way(stacks);
}

void Session::write_calls_under_way(bool stacks) {
  std::function<std::string(uint32_t, uint32_t)> below;
  if (stacks) below = [this](uint32_t pid, uint32_t tid) { return stack_of_sleeper(pid, tid); };
  output_.write(targets_->calls_under_way(below));
  output_.flush();
}

/// Its call goes on: the source repeats it.
std::string Session::stack_of_sleeper(uint32_t pid, uint32_t tid, uint64_t at) {
  constexpr uint64_t kCallBytes = 2;  // a call that begins anew is at its instruction, not behind it
  ThreadControl* threads = opened_.source->threads();
  auto frames = threads != nullptr ? threads->stack_of(tid) : Error("this source stops no thread", EOPNOTSUPP);
  const std::string indent(options_.number("stackindent"), ' ');
  if (!frames) return indent + "(no stack: " + frames.error().message() + ")\n";
  const uint64_t now = frames->empty() ? 0 : frames->front();
  if (at != 0 && now != at && now + kCallBytes != at) return indent + "(no stack: it has gone on since)\n";
  return tracing_->consumer().stack_text(pid, *frames);
}

int Session::run() {
  tracing_->run([this] { return targets_->all_ended(); });
  if (shows_calls_ && interrupted()) {
    tracing_->consumer().drain();
    write_calls_under_way(false);
  }
  tracing_->finish();
  return tracing_->exit_status();
}

}  // namespace sonde
