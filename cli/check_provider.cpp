// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/check_provider.h"

#include <chrono>
#include <thread>
#include <utility>

#include "cli/output.h"
#include "cli/session.h"
#include "cli/sources.h"
#include "compiler/library/library.h"
#include "runtime/body/body.h"
#include "runtime/plugin/check.h"

namespace sonde {
namespace {

constexpr std::chrono::milliseconds kListening{500};

std::function<void(ProbeId, Epid)> g_fired;

/// The body of the clause that counts.
int32_t note_firing(BodyContext* context) {
  g_fired(context->probe->id, {context->epid});
  return 1;
}

class SessionBench final : public CheckBench {
 public:
  SessionBench(const Arguments& arguments, Options& options) : arguments_(arguments), options_(options) {}

  Result<void> open() {
    auto texts = read_sources(arguments_.programs, options_);
    if (!texts) return std::move(texts).error();
    texts_ = std::move(*texts);
    auto session = Session::create(options_, output_, !arguments_.commands.empty(), false);
    if (!session) return std::move(session).error();
    session_ = std::move(*session);
    return {};
  }

  Framework& framework() override { return session_->framework(); }

  std::vector<std::string> wrong_texts(const std::vector<std::pair<std::string, std::string>>& texts) override {
    for (const auto& [file, text] : texts) add_library_part(file, text);
    return session_->compiler().wrong_library_parts();
  }

  std::string wrong_argument(ProbeId probe, int index) override {
    return session_->compiler().wrong_argument(probe, index);
  }

  Result<void> hold(const std::vector<std::string>& command, const std::vector<std::string>& providers) override {
    std::vector<SourceText> wanted = texts_;
    for (const std::string& provider : providers)
      wanted.push_back({SourceText::Kind::Name, provider, provider + ":::", {}});
    if (auto done = session_->prepare_targets({command}, {}, wanted, macros()); !done) return done;
    return session_->targets().await();
  }

  Result<std::vector<ProbeDescription>> asked_for() override {
    auto compiled = session_->compile(texts_, macros());
    if (!compiled) return std::move(compiled).error();
    std::vector<ProbeDescription> all;
    for (const ClauseDesc& clause : session_->program().clauses)
      if (!clause.hidden) all.insert(all.end(), clause.descriptions.begin(), clause.descriptions.end());
    return all;
  }

  Result<Traced> trace(const Enabling& clause, const std::function<void(ProbeId, Epid)>& fired) override {
    g_fired = fired;
    Enabling enabling = clause;
    auto& clauses = session_->program().clauses;
    enabling.clause = static_cast<uint32_t>(clauses.size());
    clauses.push_back(
        {.descriptions = clause.descriptions, .fire = clause.program, .body = std::make_shared<Body>(note_firing)});
    Tracing& tracing = session_->tracing();
    if (auto done = tracing.start({&enabling, 1}, ""); !done) return std::move(done).error();
    tracing.run([this] { return session_->targets().all_ended(); });
    std::this_thread::sleep_for(kListening);  // the plug-in's own threads may see late what the command did
    tracing.set_end({}, false);
    tracing.finish();
    return Traced{session_->targets().end_of_program().value_or(0), tracing.enabled()};
  }

 private:
  MacroValues macros() const { return {arguments_.programs.empty() ? "" : texts_.front().name, arguments_.words, {}}; }

  const Arguments& arguments_;
  Options& options_;
  FileOutput output_;
  std::vector<SourceText> texts_;
  std::unique_ptr<Session> session_;
};

}  // namespace

int check_provider(const Arguments& arguments, Options& options) {
  const auto bench = [&]() -> Result<std::unique_ptr<CheckBench>> {
    auto made = std::make_unique<SessionBench>(arguments, options);
    if (auto opened = made->open(); !opened) return std::move(opened).error();
    return std::unique_ptr<CheckBench>(std::move(made));
  };
  return check_plugin({arguments.providers.front(),
                       arguments.commands.empty() ? std::vector<std::string>() : arguments.commands.front(), bench});
}

}  // namespace sonde
