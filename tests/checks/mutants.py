#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Breaks the code in many small ways and fails if a test that must notice does not.

Each mutant is an expression or a statement in a function, found by the function's first line and by its own text, and
its replacement. All are compiled together, in a copy of the tree in build/mutants, each with a switch:

    a + b    becomes    (SONDE_MUTANT(17) ? (a - b) : (a + b))

The environment variable MUTANT turns one on; in the kernel module the parameter `mutant` does. So a run costs one
build, one boot of a guest, and for each mutant the tests that it names. First, these tests must pass with all mutants
off. A mutant whose place does not exist any more, or exists twice, is a failure.

If mounting is allowed, the copy is built at the path of the tree, in a mount namespace of its own, so that ccache has
all but the mutated files.

With --sample, the mutants are drawn at random instead (sample.py); with --of, they are the rows of a file. Nobody names their tests: each meets
those that reach it (reach.py). How many live is a measure of the tests, and no failure.

    mutants.py [-k REGEX] [--no-kernel]       (./dev test mutants)
    mutants.py --sample N [--seed S] [--minutes M] [--no-units]
    mutants.py --of FILE [--seed S]
"""

import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import reach
import sample

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPY = ROOT / "build/mutants"
BUILD = ROOT / "build/sanitize"  # of the copy, in which this script runs again
ROOMS = ("cli", "cmake", "compiler", "docs", "kmod", "providers", "runtime", "samples", "tests")
TIME_OUT = 120  # seconds for a test: a test that hangs has noticed


@dataclasses.dataclass
class Mutant:
    file: str
    function: str  # part of its first line
    was: str
    becomes: str  # for a statement, empty: removed
    killers: list  # "agg_test:Quantize.*", "script:tst.agg.quantize", "scenario:NAME", "formats:NAME", "api:ROW", "device:PROGRAM [ARGUMENT]"
    statement: bool = False
    at: int = -1  # where it is in the file; -1: to be found

    @property
    def name(self):
        return f"{self.file}: {self.function}: {self.was} -> {self.becomes or 'nothing'}"

    @property
    def in_kernel(self):
        return self.killers[0].startswith(("api:", "device:"))


def E(file, function, was, becomes, *killers):
    """A mutant of an expression."""
    return Mutant(file, function, was, becomes, list(killers))


def S(file, function, was, becomes, *killers):
    """A mutant of a statement, or of several."""
    return Mutant(file, function, was, becomes, list(killers), statement=True)


MUTANTS = [
    # losses are reported
    S("runtime/consumer/drain.cpp", "void Consumer::report_drops()", 'drop(Drop::Kind::Principal, drops.drops, drops.writer);',
      "", "consumer_test:*DropsOfRingsAreToldByCpu", "scenario:events_are_records_plus_drops"),
    S("runtime/consumer/drain.cpp", "void Consumer::report_drops()", 'drop(Drop::Kind::Principal, drops, cpu);',
      "", "consumer_test:*RowsThatFindTheirBufferFull*"),
    E("runtime/consumer/drain.cpp", "void Consumer::report_drops()", "std::exchange(state_.dynamic_drops, 0)", "0", "consumer_test:*EachKindOfDrop*"),
    E("runtime/consumer/drain.cpp", "void Consumer::report_drops()", "speculative.busy", "0", "consumer_test:*EachKindOfDrop*"),
    E("runtime/consumer/drain.cpp", "void Consumer::report_drops()", "speculative.unavailable", "0", "consumer_test:*EachKindOfDrop*"),
    E("runtime/consumer/drain.cpp", "void Consumer::report_drops()", "speculative.records", "0", "consumer_test:*EachKindOfDrop*"),
    E("runtime/consumer/drain.cpp", "void Consumer::drop(", 'options_.flag("droptags")', "false", "consumer_test:*EachKindOfDrop*"),
    E("runtime/buffer/ring_writer.cpp", "void RingWriter::count_drops(", "drops_ += records", "drops_", "buffer_test:Ring.*"),
    E("runtime/buffer/merge_reader.cpp", "std::vector<RingDrops> MergeReader::take_drops()", "readers_[n].writer()", "0u", "buffer_test:Merge.TellsDropsByRing"),
    # the rings
    E("runtime/buffer/ring_writer.cpp", "bool RingWriter::quarter_full()", "head_ - tail_ < size_ / 4", "head_ - tail_ < size_ / 2", "buffer_test:Ring.SaysWhenToWakeTheReader"),
    S("runtime/buffer/ring_writer.cpp", "bool RingWriter::should_wake_reader()", "woken_at_ = tail_;", "", "buffer_test:Ring.SaysWhenToWakeTheReader"),
    E("runtime/firing/firing_loop.h", "Outcome run(", "ecb.epid <= firing.last_epid", "ecb.epid < firing.last_epid", "firing_test:FiringLoopTest.StopsBehindAHeldEcbAndGoesOn"),
    E("runtime/firing/firing_loop.h", "Outcome run_ecb(const FiringState& firing", "ecb.held && thread.can_wait", "ecb.held", "firing_test:FiringLoopTest.AThreadThatCannotWaitIsNotHeld"),
    E("runtime/buffer/merge_reader.cpp", "Nanoseconds MergeReader::refresh(", "std::min(bound, reader.low_water())", "bound", "buffer_test:Merge.WaitsForAFiringUnderWay"),
    S("runtime/buffer/merge_reader.cpp", "void MergeReader::sift_down(", "if (fronts_[child] < fronts_[least]) least = child;", "", "buffer_test:Merge.EqualsASort"),
    # consumer
    E("runtime/consumer/consume.cpp", "void Consumer::release_thread(", "state_.chill_ns == 0", "true", "consumer_test:*AChilledThreadWaits"),
    E("runtime/consumer/consume.cpp", "bool Consumer::wanted(", "only_cpu_ && record.cpu != *only_cpu_", "false", "script:tst.opt.cpu_all"),
    S("runtime/consumer/consume.cpp", "void Consumer::fault(", "++double_errors_;", "", "consumer_test:*AFaultOfErrorIsOnlyCounted"),
    E("runtime/consumer/kept_records.cpp", "bool KeptRecords::add(", "fill_ && bytes > bytes_ - buffer.used", "false", "consumer_test:KeptRecords.*"),
    S("runtime/consumer/kept_records.cpp", "std::vector<TraceRecord> KeptRecords::take()", "std::ranges::sort(all, {}, &Kept::number);", "", "consumer_test:KeptRecords.*"),
    # printers
    E("runtime/print/trace_record.cpp", "uint64_t TraceRecord::copy(const ValueType", "is_number(type) || word == 0", "word == 0", "print_test:TextPrinterTest.*"),
    E("runtime/print/text_printer.cpp", "void end_record(", "now.flowindent || !now.quiet", "!record.quiet", "print_test:TextPrinterTest.ColumnsCome*"),
    E("runtime/print/json.cpp", "bool append_utf8(", "length == 0 || would_mislead", "length == 0", "print_test:Json.WhatIsNotUtf8*"),
    E("runtime/print/json.cpp", "void JsonLine::number(AggWide value)", "value < -kMost || value > kMost", "value > kMost", "print_test:Json.NumbersBeyond*"),
    S("runtime/print/plain_values.cpp", "std::vector<NamedElement> named_elements(",
      "table.operations().merge(table.desc(), same.words.data(), entry->data());", "", "print_test:PlainValues.ElementsWithEqualNames*"),
    E("runtime/print/plain_values.cpp", "std::string frame_key(", "place.module.empty()", "false", "print_test:PlainValues.FramesFromTheRoot*"),
    S("runtime/print/folded_stacks.cpp", "counts() const", "std::erase_if(all, [](const auto& one) { return one.second <= 0; });", "", "print_test:Folded.WhatIsNotSeen*"),
    E("runtime/agg/snapshot.cpp", "AggWide row_name(", "2 * bound(at + 1) - bound(at + 2)", "bound(at)", "agg_test:AggSnapshot.Buckets*"),
    E("runtime/body/actions.cpp", "void sonde_act_printa(", "state.speculation == 0", "false", "script:tst.agg.printa_as_they_were"),
    E("runtime/process/symbolizer.cpp", "const SeenEntry* Symbolizer::mapping_of(", "catch_up && layouts.find(*space.layout, address) == nullptr", "false",
      "process_test:Symbolizer.AsksForMappings*"),
    # bodies
    S("runtime/body/target_actions.cpp", "void sonde_act_stop(", "context->state->release.stop = true;", "", "consumer_test:*HeldThreads*", "scenario:stop_stops_the_program"),
    S("runtime/body/target_actions.cpp", "void sonde_act_raise(", "context->state->release.signal = signal;", "", "consumer_test:*HeldThreads*", "script:tst.act.raise"),
    E("runtime/body/target_actions.cpp", "void sonde_act_copyoutstr(", "text.size() + 1", "text.size()", "script:tst.act.copyoutstr_nul"),
    E("runtime/body/speculation.cpp", "std::vector<TraceRecord> Speculations::close(", "now + clean_ns_", "now", "body_test:Speculations.*", "consumer_test:*Cleanrate*"),
    E("runtime/body/speculation.cpp", "void Speculations::add(", "bytes > bytes_ - speculation->bytes", "false", "body_test:Speculations.WhatDoesNotFit*"),
    E("runtime/body/strings.cpp", "uint64_t sonde_fn_strrchr(", "text.rfind(wanted)", "text.find(wanted)", "body_test:Body.*", "script:tst.fun.strchr"),
    E("runtime/body/strings.cpp", "uint64_t sonde_fn_index(", "start > static_cast<int64_t>(text.size())", "start >= static_cast<int64_t>(text.size())", "body_test:Body.IndexAndRindex", "script:tst.fun.index_empty"),
    E("runtime/agg/keys.cpp", "void KeyCodec::add_spaces(", "offsetof(SymbolValue, space)", "0", "agg_test:*TellsTheSpaces*"),
    E("runtime/process/symbolizer.cpp", "Symbolizer::ended_without(", "has_ended(pid)", "true", "process_test:*AreForgotten*"),
    E("runtime/process/symbolizer.cpp", "Symbolizer::ended_without(", "process->asked + 1 < round_", "true", "process_test:*AreForgotten*"),
    E("runtime/process/symbolizer.cpp", "Symbolizer::ended_without(", "used.contains(number)", "false", "process_test:*AreForgotten*"),
    E("runtime/process/symbolizer.cpp", "Symbolizer::forget_ended(", "!used.contains(number)", "true", "process_test:*IsForgotten"),
    S("runtime/process/symbolizer.cpp", "Symbolizer::forget_ended(", "forget_files();", "", "process_test:*IsForgotten"),
    E("runtime/process/symbolizer.cpp", "Symbolizer::mapping_of(", "space.layout->missed.contains(address / kPage)", "false", "process_test:*OnceForEachPage"),
    S("runtime/process/layouts.cpp", "void Layouts::drop_front(", "if (later->fresh) return;", "", "process_test:Layouts.AKeyKeeps*"),
    E("runtime/source/copied_stacks.cpp", "void CopiedStacks::forget_ended(", "*process.absent < time", "false", "event_source_test:*WithoutNews*"),
    E("runtime/source/mapping_history.cpp", "void MappingHistory::forget_before(", "runs.size() > 1 || has_ended(pid)", "true", "event_source_test:*FirstThread*"),
    E("runtime/source/mapping_history.cpp", "without_covered(", "++covered <= kMostCovered", "++covered <= 0", "event_source_test:*OthersCover*"),
    E("runtime/body/interpreter.cpp", "int32_t interpret(", "as_signed(a()) < as_signed(b())", "a() < b()", "evaluator_test:*"),
    E("runtime/body/interpreter.cpp", "int32_t interpret(", "static_cast<uint32_t>(call(*at, r))", "0", "llvm_test:*IncrementsOnEveryKindOfPlace*"),
    E("runtime/body/interpreter.cpp", "uint64_t extended(", "static_cast<int64_t>(up) >> unused", "static_cast<int64_t>(up >> unused)", "evaluator_test:*", "llvm_test:*CutToTheirTypes*"),
    E("runtime/body/body.cpp", "int32_t Body::run_interpreted(", "runs_ % hot_runs_ == 0", "runs_ == hot_runs_ + 1", "llvm_test:*HotBodies*"),
    E("compiler/llvm/jit.cpp", "void Jit::Impl::compile_hot()", "!compiled.load(std::memory_order_acquire)", "true", "llvm_test:*HotBodies*"),
    E("compiler/codegen/builder.cpp", "BodyValue BodyBuilder::own_words(", "std::max<size_t>(values.size(), 1)", "0", "llvm_test:*KeysOutliveOthers*"),
    E("compiler/codegen/codegen_expressions.cpp", "BodyCodegen::Value BodyCodegen::comparison(", "op == Op::Gt ? below : below_equal", "below", "evaluator_test:*"),
    E("runtime/body/variable_store.cpp", "void VariableStore::reset_locals()", "locals_.cells[i] = 0", "locals_.cells[i] += 0", "body_test:Variables.ThisIsZero*"),
    S("runtime/body/actions.cpp", "void sonde_act_clear(", "table.clear();", "", "consumer_test:*Cleared*", "script:tst.agg.clear"),
    E("runtime/print/trace_record.cpp", "void TraceRecord::count_data(", "uint64_t{strsize} + 1", "uint64_t{1}", "script:tst.opt.specsize_data"),
    # aggregations
    E("runtime/agg/quantize.cpp", "int bucket_of(", "value > 0", "value >= 2", "agg_test:Quantize.*"),
    E("runtime/agg/lquantize.cpp", "void step(", "value >= levels.base", "value > levels.base", "agg_test:Lquantize.*", "script:tst.agg.lquantize"),
    E("runtime/agg/stddev.cpp", "int64_t value(", "mean_square - square", "mean_square", "agg_test:AggFunctions.*", "script:tst.agg.stddev"),
    E("runtime/agg/stddev.cpp", "void merge(", "load(into + 3) + load(from + 3)", "load(into + 3)", "agg_test:AggFunctions.Merging*"),
    E("runtime/agg/min.cpp", "void step(", "value < data[0]", "value <= data[0] + 1", "agg_test:AggFunctions.*", "script:tst.agg.min_max"),
    E("runtime/agg/avg.cpp", "void merge(", "from[0]", "0", "agg_test:AggFunctions.Merging*"),
    E("runtime/agg/table.cpp", "void AggTable::truncate(", "keep < 0 ? 0 : order.size() - wanted", "0", "agg_test:AggTable.Trunc*", "script:tst.agg.trunc"),
    E("runtime/agg/table.cpp", "KeyedEntry* AggTable::make(", "budget_.fits(element_bytes_)", "true", "agg_test:AggTable.AFullBudget*"),
    # framework, language
    S("runtime/base/glob.cpp", "bool Glob::parse_class(", "if (negated) p++;", "", "base_test:Glob.*"),
    E("runtime/base/glob.cpp", "bool Glob::matches(", "text.ends_with(literal_)", "text.starts_with(literal_)", "base_test:Glob.*"),
    E("kmod/shared/dif.c", "static void note_argument(", "1u << argument", "1u << (argument & 3)", "framework_test:LocalFiringTest.*"),
    E("runtime/lang/options.cpp", "std::optional<uint64_t> parse_rate(", "kSecond / *number", "*number", "lang_test:Options.*"),
    E("runtime/lang/options.cpp", "std::optional<uint64_t> parse_room(", "1ull << 30", "1ull << 20", "lang_test:Options.*"),
    E("runtime/lang/options.cpp", "std::optional<uint64_t> parse_size(", "*size != 0", "true", "lang_test:Options.RefusedValues"),
    # processes
    E("runtime/syscall/decode.cpp", "void put(", "S_ISCHR(argument(shape.size)) || S_ISBLK(argument(shape.size))", "true",
      "syscall_test:DecodeArguments.DevicesHave*"),
    E("runtime/syscall/structures.cpp", "std::string pollfd_text(", "entry.fd < 0", "false", "syscall_test:DecodeArguments.APollEntry*"),
    E("runtime/syscall/structures.cpp", "std::string capability_text(", "uint64_t{high.*member} << 32", "0", "syscall_test:DecodeArguments.Capabilities"),
    E("runtime/process/proc_maps.cpp", "bool parse_line(", "permissions[2] == 'x'", "permissions[1] == 'x'", "process_test:ProcMaps.*"),
    S("runtime/process/proc_maps.cpp", "bool take_deleted_mark(", "path.resize(path.size() - kDeletedMark.size());", "", "process_test:ProcMaps.*"),
    E("runtime/process/proc_maps.cpp", "Result<std::string> find_file(", "is_it(entry.path)", "true", "scenario:functions_in_another_mount_namespace"),
    E("runtime/source/held_programs.cpp", "Result<void> HeldPrograms::run_to_constructors(", "space.linker_done()", "true", "event_source_test:HeldProgramsTest.*"),
    # the guard and utrace
    S("runtime/guard/breakpoints.cpp", "void Breakpoints::disarm(", "space.remove_unused(std::move(left));", "", "guard_test:User.DisarmWhileItRuns"),
    E("runtime/abi/protocol.cpp", "bool take_text(", "length > rest_.size()", "length > rest_.size() + 1", "abi_test:Protocol.*"),
    E("runtime/abi/protocol.cpp", "std::optional<Packet> Channel::next()", "available < head->length", "available + 1 < head->length", "abi_test:Protocol.*"),
    E("kmod/shared/dif.c", "static void note_argument(", "argument >= 6", "argument >= 7", "scenario:six_arguments", "guard_test:User.Arguments*"),
    S("runtime/guard/taps.cpp", "void TapTable::remove(", "if (armed->kind == SONDE_TAP_SYSCALL_ENTRY) std::erase(entries_[armed->number], armed);", "",
      "scenario:prompt_disables_a_clause"),
    E("runtime/guard/sends.cpp", "std::optional<Firing> send_of(", "made.result != 0 || signal == 0", "signal == 0", "guard_test:Guard.SignalsSent"),
    E("runtime/guard/sends.cpp", "Firing firing_of(", "sonde_receiver_args(firing.args.data(), receiver.pid, receiver.tid)", "sonde_receiver_args(firing.args.data(), receiver.pid, 0)", "guard_test:Guard.SignalsSent"),
    E("runtime/utrace/events.cpp", "void Core::adopt_parked(bool now)", "on_new_task(task, relative, relative ? kinship(*relative, task) : 0)", "on_new_task(task, nullptr, 0)",
      "guard_test:LateParent.AChildIs*"),
    E("runtime/utrace/events.cpp", "void Core::on_clone(", "take_ended(tid)", "std::optional<Ended>()", "guard_test:LateParent.*"),
    E("runtime/utrace/seccomp.cpp", "void emit_search(", "jump(BPF_JGT, ranges[0].last, 1, 0)", "jump(BPF_JGT, ranges[0].last - 1, 1, 0)", "scenario:counts_exact_with_filter"),
    E("runtime/source/client.cpp", "Result<void> SourceClient::arm(", "!undo.empty()", "false", "event_source_test:Client.ArmsAllOrNone"),
    # providers
    E("providers/profile/tick.cpp", "std::optional<uint64_t> parse_period(", "kSecond / number", "number", "providers_test:TickPeriod.*"),
    S("providers/profile/profile_provider.cpp", "void disable(", "timer().remove(id);", "", "providers_test:Profile.EnabledAnewItTicksOnce"),
    E("providers/profile/profile_provider.cpp", "std::optional<uint64_t> period_of(", "*period >= kShortestPeriod", "*period > kShortestPeriod", "providers_test:Profile.FastTicks"),
    E("providers/syscall/syscall_provider.cpp", "void getargdesc(", "side.returns && index < 2", "side.returns && index < 1", "providers_test:Builtin.SyscallArguments"),
    E("providers/syscall/syscall_provider.cpp", "void enable(", "side.number", "side.number + 1", "providers_test:Builtin.SyscallTaps"),
    # the compiler
    E("compiler/check/fold.cpp", "uint64_t divide(", "quotient ? 0 - a : 0", "quotient ? a : 0", "script:tst.expr.folded"),
    S("compiler/check/fold.cpp", "uint64_t compute(", "return a - b;", "return b - a;", "script:tst.expr.folded"),
    E("compiler/check/fold.cpp", "uint64_t shift(", "b > 63", "b > 64", "script:tst.expr.folded"),
    E("compiler/check/fold.cpp", "uint64_t cut(", "value != 0", "value", "script:tst.type"),
    E("compiler/check/fold.cpp", "ExprPtr fold(", "make_integer(left != right,", "make_integer(right,", "script:tst.expr.folded"),
    E("runtime/base/suggest.cpp", "void Suggestion::offer(std::string_view candidate, std::string_view shown)", "distance >= distance_ || distance >= shorter", "distance > distance_", "base_test:Suggestion.*"),
    E("compiler/check/action.cpp", "ExprPtr action_print(CheckContext& cx, ExprPtr expr, const Action& action) {", 'target->canonical->size > cx.world.options.number("printsize")', "false", "script:err.D_PRINT_SIZE"),
    S("compiler/check/lower.cpp", "LoweredExprPtr lower(Expr& expr)", "static_cast<ExprFacts&>(*out) = std::move(facts);", "", "check_test:Lower.*"),
    E("compiler/check/lower.cpp", "std::vector<LoweredStatement> lower(", "one.kind == Statement::Kind::If", "false", "check_test:Lower.*"),
    S("compiler/check/expression.cpp", "ExprPtr check_cast(CheckContext& cx, ExprPtr expr) {", "if (b->kind == Type::Kind::Dynamic) invalid();", "", "script:err.D_CAST_INVAL.translated"),
    E("compiler/split/clause_splitter.cpp", "std::optional<uint32_t> ClauseSplitter::new_slot(", "one.expression && one.expression->kind == LoweredKind::Variable", "one.expression->kind == LoweredKind::Variable", "script:err.D_UNKNOWN.captures_beside"),
    # the command
    E("cli/prompt/flood.cpp", "bool Flood::lets_line_pass", "closed_until_ = now + kMoment;", "closed_until_ = now;", "prompt_test:Flood.NoSecondShowsMoreAndNothingIsLost"),
    S("cli/prompt/flood.cpp", "std::string Flood::pass", "held_++;", "", "prompt_test:Flood.NoSecondShowsMoreAndNothingIsLost"),
    S("cli/prompt/screen.cpp", "void Screen::remove_block", "drawn_ = 0;", "", "scenario:watched_on_the_command_line"),
    S("cli/prompt/entries.cpp", "Result<const Entries::Entry*> Entries::replace(", "if (auto done = disable(entry); !done) return std::move(done).error();", "", "scenario:prompt_session_from_a_pipe"),
    E("cli/prompt/prompt.cpp", "bool Prompt::take_end_of_input()", "pending_.empty()", "true", "scenario:prompt_session_on_a_dumb_terminal"),
    S("cli/prompt/prompt.cpp", "void Prompt::watch()", "if (take_asked(Asked::Redraw)) target_output_->has_front() ? target_output_->take_keyboard() : reader_->redraw();", "", "scenario:prompt_session_on_a_dumb_terminal"),
    S("cli/prompt/line_reader.cpp", "class TerminalReader", "rl_deprep_terminal();", "", "scenario:target_output_beside_job_control"),
    S("cli/prompt/target_output.cpp", "void TargetOutput::settle()", "relay_.read_all(kMostAtEnd);", "", "scenario:target_output_beside_job_control"),
    E("cli/prompt/target_output.cpp", "void TargetOutput::take(", "newline + 1", "newline", "scenario:target_writes_above_the_line"),
    E("cli/relay.cpp", "void keep_terminals", "one.events = POLLIN", "one.events = 0", "scenario:target_outlives_the_prompt"),
    E("runtime/base/terminal_end.cpp", "int make_transparent", "OPOST", "0", "scenario:target_output_is_whole"),
    E("cli/run.cpp", "bool has_text(int fd)", "bytes > 0", "true", "scenario:clauses_from_standard_input"),
    S("cli/prompt/screen.cpp", "void Screen::answer", "flood_.set_gate(Flood::Gate::Reading);", "", "scenario:prompt_holds_a_flood_back"),
    S("cli/prompt/commands.cpp", "void list(Prompt& prompt", "if (missing.empty()) prompt.screen().answer(text);", "", "scenario:prompt_lists_probes"),
    S("cli/prompt/entries.cpp", "Result<void> Entries::disable(", "if (auto done = session_.framework().disable(enabling); !done) return done;", "", "scenario:prompt_disables_a_clause"),
    S("cli/prompt/commands.cpp", "void stop(Prompt& prompt", "const auto gone = prompt.session().targets().stop();", "const Result<uint64_t> gone = uint64_t{1};", "scenario:prompt_lets_the_targets_go"),
    S("runtime/guard/control.cpp", "Tracer::let_all_go()", "host_.hasten(kDetachMs)", "0", "scenario:stop_lets_go_of_all"),
    E("cli/prompt/commands.cpp", "void print(Prompt& prompt", "consumer.print_aggregation(rest.starts_with('@') ? rest.substr(1) : rest)", 'consumer.print_aggregation("")', "scenario:prompt_prints_what_is_asked"),
    E("runtime/base/interrupt.cpp", "void on_interrupt(", "time - first >= kSameWish", "time - first >= kSameWish && false", "scenario:a_second_ctrl_c_ends_at_once"),
    E("runtime/session/tracing.cpp", "bool Tracing::ended()", 'options_.was_set("statusrate")', "false", "script:tst.opt.statusrate_exit"),
    E("runtime/session/tracing.cpp", "void Tracing::watch()", 'options_.number("switchrate")', "Nanoseconds{100'000'000}", "scenario:switchrate_says_when_output_comes"),
    E("runtime/session/limits.cpp", "Result<void> keep_to_cpu(", 'options.number("cpu") >= cpus', "false", "script:tst.opt.cpu_none"),
    E("cli/run.cpp", "", 'options_.flag("verbose")', "false", "script:tst.opt.verbose"),
    E("cli/arguments.cpp", "bool apply(const Sets& effect", "known->second.first != effect.value", "false", "cli_test:OptionsTable.FixedValues*"),
    E("cli/options_table.cpp", "std::string label(", 'letter.empty()', "true", "cli_test:OptionsTable.LetterAnd*"),
    E("cli/arguments.cpp", "bool wants_shell(", "std::ranges::find_first_of(words, kOperators) != words.end()", "false", "cli_test:Arguments.CommandsAreSplit*"),
    E("cli/output.cpp", "void FileOutput::note_failure(", "error == EPIPE", "false", "cli_test:FileOutput.AReaderThatHasGone*"),
    E("runtime/process/descendants.cpp", "uint32_t parent_of_living(", "*state == 'Z'", "false", "session_test:Descendants.*"),
    E("cli/sources.cpp", "Result<SourceText> complete(", "fields > form->fields", "false", "cli_test:Sources.ShortForms*"),
    S("cli/session.cpp", "Result<std::vector<CompiledText>> Session::compile(", "if (auto done = targets_->await(); !done) return std::move(done).error();", "",
      "scenario:a_script_with_a_mistake_runs_no_program"),
    # a program starts while its script is compiled; the guard checks for the next stop before it sleeps
    E("runtime/source/ptrace_source.cpp", "Result<Transport::Answer> GuardSocket::transact(", "reply(before)", "reply(0)", "guard_test:Guard.SpawnsAreAnswered*"),
    E("runtime/framework/enable.cpp", "Forecast Framework::Impl::forecast(", "!Glob(description.provider).is_exact()", "false", "providers_test:*ForecastSaysWhichCalls*"),
    # plug-ins
    E("runtime/framework/provider_api.cpp", "int sonde_tap_arm(", "request->size != sizeof *request", "false", "framework_test:Api.ATapRequest*"),
    E("runtime/framework/context.cpp", "void report_violation(", "observers->wrong_call != nullptr", "false", "plugin_test:Bad.WrongContext"),
    E("runtime/plugin/plugin.cpp", "std::string check_header(", "one.theirs != one.ours", "false", "plugin_test:Bad.OtherLayout"),
    S("runtime/plugin/trial.cpp", "std::string Trial::wait(", 'if (used_up) return in_words(patience.processor) + " of processor time";', "", "plugin_test:Bad.Hangs"),
    E("runtime/plugin/plugins.cpp", "std::string other_writers(", "(found.st_mode & S_IWOTH) != 0", "false", "plugin_test:Find.InstalledOnly*"),
    E("runtime/plugin/check.cpp", "void disable(", "g_fired_late != 0", "false", "plugin_test:CheckPlugin.FiresAfterDisable"),
    E("runtime/plugin/plugin.cpp", "Result<void> start_plugin(", "framework.unregister_after(before)", "std::vector<std::string>()", "scenario:a_start_that_fails_keeps_nothing"),
    S("runtime/framework/aftermath.cpp", "BeforeOp::BeforeOp(", "check_process(outer->owner(), op_name(outer->op()), When::InOp);", "",
      "scenario:each_fault_at_each_moment_is_told_and_harms_no_target"),
    E("runtime/framework/aftermath.cpp", "std::vector<Own> closed_descriptors()", "(g_looks[i].revents & POLLNVAL) != 0", "false",
      "scenario:each_fault_at_each_moment_is_told_and_harms_no_target"),
    E("runtime/code/function_places.cpp", "Result<FunctionPlaces::Found> FunctionPlaces::find(", "!returns", "false", "code_test:Places.AJump*"),
    E("runtime/utrace/host.cpp", "pid_t any_stop(", "__WALL | __WNOTHREAD | WNOHANG", "__WALL | WNOHANG", "utrace_test:UtraceHosts.ReapNo*"),
    S("runtime/utrace/host.cpp", "std::vector<int> Core::wait(", "child_signal().pass_on(taken);", "", "utrace_test:UtraceHosts.WhoSleeps*"),
    E("runtime/base/path_search.cpp", "std::optional<std::string> search_path(", "S_ISREG(file.st_mode)", "true", "utrace_test:*SpawnLooksInThePath"),
    E("runtime/base/path_search.cpp", "std::optional<std::string> search_path(", "access(path.c_str(), X_OK) == 0", "true", "utrace_test:*SpawnLooksInThePath"),
    E("runtime/utrace/spin.h", "bool due()", "to_leave_out_ > 0", "false", "utrace_test:Spin.LooksLessOften*"),
    E("runtime/utrace/spin.h", "bool due()", "looks_ == 0", "false", "utrace_test:Spin.ATurnEnds"),
    S("cli/words.cpp", "", "word.clear();\n      in_word = false;", "", "script:tst.cmd.c_blanks"),
    # code that kernel and user space share
    E("kmod/shared/dif.c", "static void end_text(", "n >= max", "n > max", "shared_test:DifRun.TextOf*"),
    E("kmod/shared/dif.c", "static void capture_memory(", "bytes > most", "bytes > most + 1", "shared_test:DifRun.CapturesMemory"),
    E("kmod/shared/lower.c", "LOWERS(shift)", "BPF_JGT, b, 63", "BPF_JGT, b, 64", "bpf_test:InKernel.ComputesAsTheInterpreter"),
    # programs in the kernel: as root
    S("runtime/bpf/record_code.cpp", "void take_ring(", "count_drop(l);", "", "bpf_test:InKernel.ThreeLevels"),
    S("runtime/bpf/record_code.cpp", "void release_ring(", "sonde_lower_stx(l, BPF_DW, kRing, R1, kLowWater);", "", "bpf_test:InKernel.ThreeLevels"),
    S("runtime/bpf/record_code.cpp", "void find_room(", "sonde_lower_mov(l, R4, R2);", "", "bpf_test:InKernel.ASmallRing*"),
    S("runtime/bpf/fire_target.cpp", "uint32_t where_ring_begins(", "while (first < fire.length && needs_none(first)) first++;", "", "bpf_test:InKernel.ThePredicate*"),
    E("runtime/source/bpf_source.cpp", "BpfSource::build(", "static_cast<uint32_t>(getpid())", "0", "scenario:stock_kernel_leaves_its_own_calls_out"),
    S("runtime/bpf/event_code.cpp", "void begin_start(", "code.skip_if_reg(BPF_JNE, R1, R2);", "", "scenario:stock_kernel_one_probe_of_lives"),
    S("runtime/bpf/event_code.cpp", "void match_action(", "if (ignored) code.skip();", "", "scenario:stock_kernel_signals"),
    E("runtime/bpf/event_code.cpp", "void put_status(", "BPF_RSH, R8, 8", "BPF_RSH, R8, 0", "scenario:stock_kernel_how_they_end"),
    S("runtime/bpf/event_code.cpp", "void find_given_number(", "sonde_lower_mov(&code, R7, R1);", "", "scenario:stock_kernel_signals"),
    E("runtime/source/bpf_plan.cpp", "void add_probe(", "1 + column++", "1 + column", "event_source_test:BpfPlan.TheOrder*"),
    S("runtime/bpf/sampler.cpp", "Sampler::begin(", "for (const uint32_t cpu : online_cpus())", "for (const uint32_t cpu : {0u})", "scenario:stock_profile_samples_every_cpu"),
    S("runtime/bpf/sampler.cpp", "Sampler::start_on(", "counters_.erase(cpu);", "if (counters_.contains(cpu)) counters_[cpu + 1000] = std::move(counters_[cpu]);", "scenario:stock_profile_greets_cpus"),
    E("runtime/bpf/stack_code.cpp", "Ends copy_piece(", "sonde_lower_alu(l, BPF_ADD, R3, R2);", "", "bpf_test:InKernel.UserStack"),
    E("runtime/source/copied_stacks.cpp", "uint32_t CopiedStacks::walk(", "& ~uint64_t{7}", "+ 8", "scenario:stock_stacks_of_samples"),
    E("runtime/bpf/stack_code.cpp", "void walk(", "sampled || by_event ? 0 : kOwnFrames", "0", "scenario:stock_kernel_stacks"),
    E("runtime/bpf/fire_target.cpp", "void load_sampled_pc(", "in_kernel ? BPF_JNE : BPF_JEQ", "BPF_JEQ", "scenario:stock_profile_samples_who_runs"),
    S("runtime/bpf/trial.cpp", "Trial::run(", "if (auto done = compare_state(traced[n], untraced[n]); !done) return done;", "", "bpf_test:Trial.FindsEachLie"),
    S("runtime/bpf/trial.cpp", "Trial::run(", "if (auto done = compare_counts(traced[n], counts); !done) return done;", "", "bpf_test:Trial.FindsEachLie"),
    S("runtime/bpf/trial.cpp", "Trial::run(", "if (auto done = compare_hit(traced[n], given[n], pages_); !done) return done;", "", "bpf_test:Trial.FindsEachLie"),
    S("runtime/bpf/hook_trial.cpp", "Result<void> try_hook(", "right = compare(row, known, hit);", "", "bpf_test:HookTrial.FindsEachLieOfEntries"),
    E("runtime/bpf/hook_trial.cpp", "Result<void> try_clock(", "hit.count > last && in_loop) within++", "hit.count > last) within++", "bpf_test:HookTrial.FindsEachLieOfClocks"),
    S("runtime/bpf/hook_trial.cpp", "Result<void> try_keeping_cpu(", "if ((hit.words[0] & kPreemptionOff) != 0) return {};", "", "bpf_test:HookTrial.FindsWhoMayLoseItsCpu"),
    E("runtime/bpf/hook_program.cpp", "void leave_to_others(", "TracepointLink::Event ? 1 : 0", "TracepointLink::Event ? 0 : 0", "bpf_test:TracepointLinks.LeaveTheEventToOthers"),
    E("runtime/bpf/trials.cpp", "Trials::answer(", "if (known == known_.end()) {", "if (known == known_.end() || name[0] == 't') {", "bpf_test:Trial.TriesTracepointsAndTheClock"),
    S("runtime/bpf/user_program.cpp", "void judge_condition(", "sonde_lower_alu(l, BPF_XOR, R3, R2);", "", "bpf_test:UserPrograms.JudgeEachCondition"),
    E("runtime/bpf/user_program.cpp", "void leave_if_inside(", "BPF_JSLT", "BPF_JSLE", "bpf_test:UserPrograms.JudgeWhereAJumpLeads"),
    E("runtime/source/user_probes.cpp", "UserProbes::without_wrong(", "if (!tried)", "if (!tried && false)", "scenario:stock_functions_on_nops_are_right_or_refused"),
    E("runtime/source/registry.cpp", "bool traces_all(", "std::ranges::all_of(options.providers, has)", "true", "event_source_test:Registry.AutoTakes*"),
    S("runtime/bpf/stack_code.cpp", "void leave_out(", "walk_behind(l, skipped + 1, frames, load_start);", "", "scenario:stock_kernel_stacks"),
    S("runtime/bpf/record_code.cpp", "void end_record(", "if (column.signals != 0) send_signals(l);", "", "bpf_test:InKernel.RecordsSendSignals"),
    E("runtime/bpf/record_code.cpp", "void send_signals(", "if (l->facts.faults) {", "if (false) {", "bpf_test:InKernel.RecordsSendSignals"),
    E("runtime/bpf/argument_code.cpp", "void load_piece(", "8 * piece.skip", "0", "bpf_test:TypedArguments.AreWhatTheInterpreterReads"),
    E("runtime/bpf/argument_code.cpp", "void copy_memory(", "behind ? 0 : piece.skip", "0", "bpf_test:TypedArguments.AreWhatTheInterpreterReads"),
    E("runtime/bpf/argument_code.cpp", "void find_places(", "BPF_JGE", "BPF_JGT", "bpf_test:TypedArguments.AreFoundByTheListOfTheRow"),
    S("runtime/bpf/argument_code.cpp", "argument_reads(const sonde_dif_program& fire)", "if (joins.contains(at)) known = {};", "", "bpf_test:ArgumentReads.ForgetWherePathsMeet"),
    E("runtime/bpf/fire_target.cpp", "bool is_sure(", "!found->second.may_fault()", "false", "bpf_test:TypedArguments.InARegisterNeedNoRing"),
    S("runtime/source/user_probes.cpp", "UserProbes::without_wrong(", "leave_out(*group[n], group[n]->lacks);", "right.push_back(group[n]);", "scenario:stock_arguments_that_cannot_be_read"),
    S("runtime/bpf/fold_code.cpp", "void fold_record(", "compare_key(l, record);", "", "bpf_test:Folded.AHashIsNotAKey"),
    S("runtime/bpf/fold_code.cpp", "void fold_record(", "clear_tails(l);", "", "bpf_test:Folded.WhatIsBehindAText*"),
    S("runtime/bpf/hook_program.cpp", "void call_part(", "sonde_lower_stx(l, BPF_DW, R6, R1, kChainTime);", "", "scenario:chains_are_one_firing"),
    E("runtime/bpf/hook_program.cpp", "void call_part(", "chain_index(next, 1)", "chain_index(next, 0)", "scenario:chains_are_one_firing"),
    S("runtime/bpf/fold_tables.cpp", "void FoldTables::take(", "full.used = begin;", "", "bpf_test:Folded.Steps*"),
    E("compiler/split/folding.cpp", "bool is_apart(", 'probe.name == "END"', 'probe.name == "entry"', "compiler_test:CompilerTest.WhatFolds"),
    E("kmod/shared/record.c", "static int span_is_inside(", "bytes[offset + length] == 0", "1", "shared_test:RecordCheck.*"),
    E("kmod/shared/record.c", "static int span_is_inside(", "length > record->size - offset", "length > record->size - offset + 8", "shared_test:RecordCheck.*"),
    E("kmod/shared/record.c", "static int header_is_sound(", "record->faults >> record->slots == 0", "1", "shared_test:RecordCheck.*"),
    E("kmod/shared/eh_frame.c", "static int run(", "location > pc", "location >= pc", "shared_test:EhFrame.TheCiesRow*"),
    E("kmod/shared/eh_frame.c", "static void move_window(", "c->at % PAGE_BYTES", "0", "shared_test:EhFrame.AnEntryMayEnd*"),
    E("kmod/shared/eh_frame.c", "static void remember_row(", "c->kept_count == SONDE_CFI_REMEMBERED", "0", "shared_test:EhFrame.EachInstruction"),
    S("kmod/shared/eh_frame.c", "static void restore_rule(", "c->row.kinds[number] = c->common.first.kinds[number];", "c->row.kinds[number] = SONDE_CFI_SAME;",
      "shared_test:EhFrame.EachInstruction"),
    S("kmod/shared/eh_frame.c", "static void read_augmentation(", "c->at = behind;", "", "shared_test:EhFrame.WhatACieMayHave"),
    E("kmod/shared/eh_frame.c", "int sonde_cfi_find(", "high - low > LAST_PAIRS", "high - low > LAST_PAIRS + 1", "shared_test:EhFrame.FindsTheEntry*"),
    E("runtime/guard/unwind.cpp", "Unwinder::Range* Unwinder::range_of(", "in_none_.size() == kMostInNone", "true", "guard_test:Cfi.CodeThatIsNewIsFound"),
    # the module
    E("kmod/device/buffer.c", "void sonde_writer_drop(", "writer->drops + records", "writer->drops", "device:drops 2"),
    E("kmod/device/buffer.c", "void sonde_writer_drop(", "writer->drops - writer->drops_before", "0", "device:drops 2"),
    S("kmod/device/buffer.c", "void sonde_writer_put(", "if (writer->policy == SONDE_POLICY_FILL)\n\t\t\tWRITE_ONCE(writer->session->full, true);", "", "device:buffers"),
    E("kmod/device/buffer.c", "static bool buffer_has_room(", "READ_ONCE(writer->session->full)", "0", "device:races"),
    E("kmod/device/events.c", "events_take(struct sonde_session *session, size_t room", "events_bytes(queued) > room", "0", "device:limits"),
    E("kmod/device/programs.c", "int sonde_cost_check(const", "cost <= most", "1", "device:limits"),
    E("kmod/device/targets.c", "static bool target_becomes(", "target_stays_ours(session, program)", "1", "device:member"),
    E("kmod/device/deferred.c", "static enum outcome defer_attempt(", "!sonde_covers(firing->session, current)", "0", "device:member"),
    S("kmod/device/buffer.c", "void sonde_writer_put(", "writer->records++;", "", "device:drops 2"),
    E("kmod/device/points.c", "static bool point_is_ignored(", "action->sa.sa_handler == SIG_IGN", "0", "device:taps"),
    E("kmod/device/timer.c", "static bool timer_is_wanted(", "READ_ONCE(armed->session->going)", "0", "device:timers"),
    E("kmod/core/finder.c", "static bool finder_inherit(", "!parent || finder->clearing", "!parent", "device:detach"),
    E("kmod/device/targets.c", "int sonde_targets_remove(", "return sonde_taps_retarget(session, why)", "return 0", "device:detach"),
    E("kmod/core/finder.c", "static void finder_judge(", "was && !is", "0", "api:findleft"),
    E("kmod/core/finder.c", "void sonde_finder_born(", "thread_group_leader(child)", "0", "api:findchild"),
    E("kmod/core/signal.c", "static u32 signal_action_of(", "ka->sa.sa_handler != SIG_DFL", "0", "api:handler"),
    E("kmod/core/signal.c", "static u32 signal_action_of(", "ka->sa.sa_handler == SIG_IGN", "0", "api:sigign"),
    E("kmod/core/utrace.c", "static struct utrace_engine *utrace_next_engine(", "engine->seq > after", "engine->seq > after + 1", "api:order"),
    S("kmod/core/utrace.c", "void sonde_recalc(", "flags |= SONDE_FLAG_KEPT;", "", "api:lastword"),
    E("kmod/core/utrace.c", "bool sonde_stop(", "u->killed || __fatal_signal_pending(current)", "0", "api:kill", "api:exitkill"),
    E("kmod/core/utrace.c", "bool sonde_stop(", "utrace_choice(u) == UTRACE_STOP", "0", "api:stop"),
    E("kmod/core/utrace.c", "void sonde_step(", "resume == UTRACE_SINGLESTEP", "0", "api:step"),
    E("kmod/core/utrace.c", "bool sonde_take_report(", "found |= engine->want_report", "found |= 0", "api:report"),
    E("kmod/core/signal.c", "void sonde_report_handler(", "r.requested |= signal_step_done(u)", "signal_step_done(u)", "api:stephandler"),
    E("kmod/core/utrace.c", "static bool utrace_wants_quiesce(", "r->requested && !engine->ops->report_signal", "0", "api:lieu"),
    E("kmod/core/finder_calls.c", "static u32 calls_on_syscall_exit(", "args[1] && !(args[3] & MREMAP_DONTUNMAP)", "args[1]", "api:findremap"),
    E("kmod/core/control.c", "static bool control_is_past(", "u->exiting || u->dying || u->dead || u->reaping ||\n\t       (READ_ONCE(u->task->flags) & PF_EXITING)", "u->dying || u->dead || u->reaping", "api:pastexit"),
    E("kmod/shared/request.h", "static inline const char *sonde_request_fault(", "request->flags || request->reserved", "0", "abi_test:RawGuard.RefusesWhatIsNotZero"),
    E("kmod/shared/request.h", "static inline const char *sonde_tap_fault(", "tap->counters && !user", "0", "abi_test:RawGuard.RefusesWhatIsNotZero"),
    # what only a table of everything shows
    E("runtime/syscall/decode.cpp", "void futex_argument(", "futex_command() != FUTEX_REQUEUE", "true", "scenario:every_call_as_in_the_table"),
    E("runtime/syscall/decode.cpp", "size_t most_bytes(", "count * size_of(id).bytes", "std::string_view::npos", "scenario:every_call_as_in_the_table"),
    E("runtime/syscall/decode.cpp", "std::string decode_exec(", "words.size() > shown_amount().texts()", "words.size() >= shown_amount().texts()", "syscall_test:DecodeArguments.ManyWordsOfAnExec"),
    E("runtime/syscall/structures.cpp", "std::string limit_text(", "limit > 1024", "limit >= 1024", "scenario:every_call_as_in_the_table"),
    E("runtime/syscall/structures.cpp", "std::string limit_text(", "limit % 1024 == 0", "true", "scenario:every_call_as_in_the_table"),
    E("runtime/syscall/structures.cpp", "std::string open_how_text(", "how.flags & 0x40", "true", "scenario:every_call_as_in_the_table"),
    E("runtime/syscall/decode.cpp", "void prctl_argument(", "format_signal(value_)", "hex_text(value_)", "scenario:every_call_as_in_the_table"),
    E("runtime/syscall/decode.cpp", "bool is_interrupted_sleep(", "argument(1) == 0", "true", "syscall_test:DecodeArguments.TheRestOfASleep"),
    S("runtime/syscall/capture.cpp", "void add_structure(", "if (which == Struct::timespec_rest) all_.back().out = false;", "", "scenario:every_call_as_in_the_table"),
    E("runtime/syscall/structures.cpp", "std::string format_signals(", "std::min(bytes.size(), sizeof bits)", "sizeof bits", "syscall_test:DecodeArguments.MasksOfLess*"),
    S("runtime/syscall/structures.cpp", "", 'if (WIFCONTINUED(status)) return "[{WIFCONTINUED(s)}]";', "", "syscall_test:DecodeArguments.HowAChildEnded"),
    E("runtime/syscall/capture.cpp", "void add_counted(", "find_syscall(shape_.number)->parameters[shape.size].bytes == 4", "false", "scenario:every_call_as_in_the_table"),
    E("runtime/guard/dif_env.cpp", "uint64_t env_variable(", "status_of(context).uid", "status_of(context).euid", "scenario:facts_of_a_process_are_its_own"),
    E("runtime/guard/dif_env.cpp", "uint64_t env_variable(", "status_of(context).egid", "status_of(context).gid", "scenario:facts_of_a_process_are_its_own"),
    E("runtime/guard/dif_env.cpp", "uint64_t env_variable(", "stat_number(thread, 18)", "stat_number(thread, 19)", "scenario:facts_of_a_process_are_its_own"),
    E("runtime/guard/dif_env.cpp", "uint64_t env_variable(", "getsid(thread.process->pid)", "getpgid(thread.process->pid)", "scenario:facts_of_a_process_are_its_own"),
    E("runtime/guard/dif_env.cpp", "std::string fd_type(", 'path.starts_with("anon_inode:")', "false", "scenario:facts_of_a_process_are_its_own"),
    # columns, numbers and texts of reports
    E("cli/summary.cpp", "void append_row(", "each_ns / 1000", "each_ns", "scenario:a_summary_has_the_time_of_each_call"),
    E("cli/summary.cpp", "void append_row(", "100.0 * static_cast<double>(of.time_ns)", "100.0 * static_cast<double>(of.calls)", "scenario:a_summary_has_the_time_of_each_call"),
    S("cli/summary.cpp", "std::string table_of_calls(", "sort_rows(rows, summary.order);", "", "scenario:a_summary_has_the_time_of_each_call"),
    S("cli/prompt/line_reader.cpp", "~TerminalReader() override", "if (!history_.empty()) ::write_history(history_.c_str());", "", "scenario:prompt_keeps_its_history"),
    E("runtime/print/jsonl_printer.cpp", "void JsonlPrinter::faulted(", "1 + fault.more_before", "uint64_t{1}", "scenario:many_errors_are_told_in_a_line"),
    E("runtime/print/csv_printer.cpp", "void field(std::string_view text)", r'",\"\r\n"', r'",\"\n"', "formats:texts"),
    E("runtime/print/json.cpp", "void append_escaped(", "c == 0x7f", "false", "formats:texts"),
    E("runtime/agg/keys.cpp", "int compare_strings(", "(a_length != kNull) - (b_length != kNull)", "(b_length != kNull) - (a_length != kNull)", "agg_test:KeyCodec.NullSortsFirst"),
    E("runtime/session/limits.cpp", "Result<void> check_clauses(", "sonde_dif_needs(&fire).bytes > room", "false", "script:tst.drop.principal"),
    E("runtime/session/targets.cpp", "void Targets::note_end(", "pid == started_.front()", "true", "scenario:ends_as_the_program_ends"),
    S("runtime/utrace/interrupted.cpp", "void Core::report_kept", "task.returned_at = kept.when;", "", "scenario:a_return_that_waits_has_the_time_of_its_end"),
    E("runtime/utrace/interrupted.cpp", "void Core::judge_kept", "result == machine::kRestartNoIntr ? result : -EINTR", "-EINTR", "scenario:a_call_that_the_kernel_always_repeats_is_no_eintr"),
    S("runtime/guard/recorder.cpp", "void Recorder::wait_for_room", "if (--patience_ms_ == 0) gave_up_at_ = tail;", "", "scenario:a_consumer_that_stands_still_holds_up_nothing"),
    S("runtime/guard/stepper.cpp", "void mend_address", "if (in_slot(step, address)) info.si_addr = reinterpret_cast<void*>(home(step, address));", "", "guard_test:StepperTest.*"),
    E("runtime/guard/taps.cpp", "void drop(", "from[tap->place]->place = tap->place", "from[tap->place]->place", "guard_test:Taps.AreRemovedInAnyOrder"),
    E("runtime/guard/taps.cpp", "Result<void> TapTable::check", "tap.offset < SONDE_PERIOD_MIN", "false", "guard_test:Taps.ThatWouldFireTooOftenAreRefused"),
    E("providers/pid/sites.cpp", "void find_absolute", "!one->executable && !is_path(module)", "!one->executable", "scenario:addresses_as_linked_are_of_the_program_or_of_a_path"),
    E("providers/pid/sites.cpp", "void find_absolute", "function == nullptr ? offset : function->offset", "offset", "scenario:addresses_as_linked_are_of_the_program_or_of_a_path"),
    E("providers/pid/objects.cpp", "std::vector<const Object*> select_objects", "any && object.compiled", "false", "scenario:probes_in_code_compiled_at_run_time"),
    E("runtime/session/targets.cpp", "Result<void> Targets::note_attached", "!holds(noted_, pid)", "true", "scenario:a_process_that_is_named_twice_is_one"),
    E("runtime/utrace/pages.cpp", "std::optional<Fetch> Fetch::begin", "all.busy >= kMostHelpers", "all.busy > kMostHelpers", "utrace_test:Fetches.*"),
    S("runtime/utrace/pages.cpp", "Fetch::~Fetch()", "helpers().busy--;", "", "utrace_test:Fetches.*"),
    E("providers/pid/sites.cpp", "bool find_compiled", "any && !names_.entry", "false", "scenario:probes_in_code_compiled_at_run_time"),
    E("runtime/consumer/consume.cpp", "void Consumer::print(TraceRecord", "sink_.text.size() >= room_", "sink_.text.size() > room_", "scenario:what_printa_prints_waits_without_a_limit"),
    E("runtime/session/tracing.cpp", "void Tracing::finish()", "consumer_->end({exit_status(), why_ended()})", "consumer_->end({consumer_->exit_status(), why_ended()})", "scenario:the_loss_of_the_source_is_a_reason"),
    E("runtime/session/tracing.cpp", "Nanoseconds next_multiple(", "now_of(CLOCK_REALTIME) % period", "0", "scenario:snapshots_come_at_multiples_of_the_interval"),
    E("runtime/print/run_identity.cpp", "uint64_t clock_error()", "static_cast<uint64_t>(state.maxerror) * 1000", "uint64_t{0}", "scenario:the_first_line_names_the_boot_and_the_error_of_the_clock"),
    E("runtime/print/thread_tracks.cpp", "ThreadTracks::Place ThreadTracks::place(", "track.last > time || track.last_firing == firing", "track.last > time", "print_test:Tracks.OtherClauses*"),
    E("runtime/print/chrome_printer.cpp", "JsonLine& ChromePrinter::key(", "before == 0", "true", "formats:values"),
    E("runtime/print/svg_printer.cpp", "void frame(", "wide < kNarrowest", "false", "formats:narrow"),
    # contracts that the built-in providers do not need
    E("runtime/framework/enable.cpp", "bool Framework::Impl::may_arm(", "op_probe == probe.info.id", "true", "framework_test:FrameworkTest.OpsMayNotArmForOthers"),
    E("runtime/plugin/plugin.cpp", "std::string check_header(", "plugin.start == nullptr", "false", "plugin_test:Bad.NothingToStartOrToStop"),
    E("runtime/plugin/plugin.cpp", "std::string check_header(", "plugin.stop == nullptr", "false", "plugin_test:Bad.NothingToStartOrToStop"),
    E("runtime/framework/local_firing.cpp", "void LocalFiring::count_drop(", "list->ecbs.size()", "1u", "framework_test:LocalFiringTest.ASeventeenthFiringAtOnceIsDroppedForEachEcb"),
    S("runtime/framework/local_firing.cpp", "uint64_t* thread_variables(", "std::fill(std::begin(t_state.variables), std::end(t_state.variables), 0);", "",
      "framework_test:LocalFiringLifetime.ThreadVariablesEndWithTheirFramework"),
    S("runtime/body/speculation.cpp", "bool Speculations::use(", "speculation->shared |= speculation->tid != 0 && speculation->tid != tid;", "", "body_test:Speculations.OneOfTwoThreads*"),
    # who waits for whom
    E("runtime/waits/graph.cpp", "bool goes_on(", "wait.may_end", "false", "waits_test:WaitGraph.ATimeOutAnywhere*"),
    E("runtime/waits/waits.cpp", "Result<WaitPicture> take()", "unchanged(*known_.at(tid))", "true", "scenario:why_tells_no_deadlock_of_threads_at_work"),
    E("runtime/waits/holders.cpp", "Wait unless_handler_writes(", "(facts.process(thread.pid).caught & ~kOwnSignals) == 0", "true",
      "scenario:why_tells_no_deadlock_where_there_is_none"),
    E("runtime/waits/file_locks.cpp", "locks_in_way(", "is_own(thread, own, line, *held)", "false", "scenario:why_tells_no_deadlock_where_there_is_none"),
    E("runtime/waits/futex_owner.cpp", "FutexOwner mutex_owner(", "mutex->users == 0", "false", "waits_test:FutexOwner.IsNotGuessed*"),
    E("compiler/check/translator.cpp", "const Translator* find_translator(", "one->input->is_integer() && input->is_integer()", "false", "script:tst.xlate.integers"),
    # what lived although much else was tested near it
    E("runtime/utrace/seccomp.cpp", "std::vector<sock_filter> make_syscall_filter(", "base == 0 ? machine::kSeccompCall : machine::kCompatSeccompCall", "machine::kSeccompCall",
      "utrace_test:SyscallFilter.*"),
    E("runtime/process/cgroups.cpp", "bool lies_in(", 'pattern == "/"', "false", "process_test:Cgroups.EachGroupLiesInTheRoot"),
    S("runtime/process/layouts.cpp", "void Layouts::split(", "if (timeline_.size() > kMostLayouts) drop_front();", "", "process_test:Layouts.OnlyTheLast*"),
    E("runtime/process/demangle.cpp", "char sign_of(", "code >= 0x20 && code < 0x7f", "true", "process_test:Rust/Demangle.*"),
    E("runtime/process/demangle.cpp", "std::string_view qualifiers_in(", "rest.starts_with(' ') ? rest : \"\"", "rest", "process_test:Cxx/Demangle.*"),
    E("runtime/print/thread_tracks.cpp", "void ThreadTracks::end_from(", "std::max(time, track.last)", "time", "print_test:Tracks.NoCallEndsBefore*"),
    E("runtime/print/thread_tracks.cpp", "void ThreadTracks::end_behind(", "last->of_process ? thread.pid == pid : number == tid", "thread.pid == pid", "print_test:Tracks.TheEndOfAThread*"),
    E("runtime/print/flow_tree.cpp", "void FlowTree::begin_row(", "std::ranges::any_of(record.items, &TraceItem::is_done)", "false", "print_test:FlowTree.ShowsAtOnce*"),
    S("compiler/check/doubtful.cpp", "void expression(const Expr& expr)", "if (expr.kind == ExprKind::Conditional) condition(*expr.kids[0]);", "", "script:tst.warn.assigns_in_conditional"),
    E("compiler/check/doubtful.cpp", "bool belongs_to_d(", 'word == "d"', "false", "script:tst.warn.pragma_d"),
    E("compiler/split/residency.cpp", "bool can_be_made(", "constant_of(value).value_or(0) != 0", "true", "split_test:Split.ADivisionBy*"),
    E("compiler/split/residency.cpp", "bool can_be_made(", "length > kMaxFilter", "false", "split_test:Split.AnAssignmentBehindAFilter*"),
    E("compiler/split/folding.cpp", "bool is_of_captures(", "expr.bound != 0", "false", "split_test:Split.KeysThatAreFolded*"),
    E("compiler/split/folding.cpp", "bool is_of_key(", "variable.which != offsetof(sonde_record, timestamp)", "true", "split_test:Split.KeysThatAreFolded*"),
    E("compiler/split/folding.cpp", "bool Folding::applies(", "++parts > SONDE_FOLD_PARTS", "++parts > 1000", "split_test:Split.ClausesThatOnly*"),
    S("runtime/bpf/fold_tables.cpp", "void FoldTables::hand_over(", "record.cpu = ring_->writer;", "", "bpf_test:Folded.StepsAreThose*"),
    E("runtime/guard/sends.cpp", "Receiver by_pidfd(", "(tid != pid && (flags & kToProcess) == 0)", "(tid != pid)", "scenario:sends_by_every_call"),
    E("runtime/guard/sends.cpp", "last_send_of(", "receiver == own || receiver == -getpgid(own)", "receiver == own", "scenario:sends_by_every_call"),
    E("compiler/check/narrowed.cpp", "void narrow_clauses(", "own != 0 ? *beside : *alone", "*alone", "scenario:only_a_cgroup"),
    E("runtime/process/rseq.cpp", "restartable_sequences(", "relocation != nullptr", "false", "process_test:Kinds/Rseq.*"),
    E("runtime/process/data_symbol.cpp", "std::string symbol_in(", "address - symbol.st_value >= symbol.st_size", "address - symbol.st_value > symbol.st_size",
      "process_test:DataSymbol.*"),
    E("runtime/bpf/rings.cpp", "Result<Rings> Rings::create(", "bytes > kMostBytes", "false", "bpf_test:Rings.*"),
    E("providers/usdt/usdt_provider.cpp", "bool is_name(", "name.size() < DTRACE_NAMELEN", "true", "scenario:usdt_notes_that_lie"),
    E("providers/usdt/usdt_provider.cpp", "const UsdtArgument* argument_of(", "found->parts.empty() && !one.parts.empty()", "false", "scenario:usdt_argument_of_the_site_that_has_it"),
    E("compiler/split/pointer_origins.cpp", "PointerOrigins::learn_from(const LoweredExpr&", "place.type->is_record() && (found & kProgram) != 0", "false", "split_test:Split.APointerInACopy*"),
    E("runtime/guard/counters.cpp", "bool AddressSpace::count(", "value == (by > 0 ? kMost : 0)", "false", "scenario:usdt_counters_have_ends"),
    E("runtime/guard/perf_clock.cpp", "bool parse(", "std::min(room, room != 0 ? behind.next() : 0)", "room", "guard_test:PerfClock.ACopyEndsWithTheStack"),
    E("runtime/guard/sigtrap.cpp", "bool Sigtrap::blocked_it_alone(", "!catches_trap(thread.tid)", "false", "scenario:programs_that_few_write"),
    E("runtime/utrace/inject.cpp", "explicit DirectCalls(utrace_task& task)", "was_.mode != 0", "false", "scenario:programs_that_few_write"),
    E("runtime/guard/sigtrap.cpp", "void Sigtrap::exec(", "thread.process->trap_handler = 0", "thread.process->trap_handler += 0", "scenario:traps_of_the_program_itself"),
    E("providers/translation.cpp", "std::string module_of(", 'all ? name : ""', "name", "providers_test:PlockstatTest.AFileWithout*"),
    E("runtime/bpf/process_news.cpp", "event_of(const perf_event_header&", "bytes < sizeof record || record.pid == record.parent", "bytes < sizeof record", "bpf_test:News.AChild*"),
    S("runtime/bpf/process_news.cpp", "event_of(const perf_event_header&", "if (bytes >= sizeof(LostRecord)) lost += record_at<LostRecord>(from).lost;", "", "bpf_test:News.WhatHasNoRoom*"),
    E("runtime/process/mounts.cpp", "std::string unescape(", "i + 3 < text.size()", "i + 4 < text.size()", "scenario:mounts_have_the_names_that_they_were_given"),
    S("runtime/guard/sampler.cpp", "void Sampler::drain(", "if (lost > 0) events_.lost(timer.tap, lost);", "", "guard_test:Sampler.SamplesWithoutRoom*"),
    S("runtime/bpf/run_times.cpp", "void keep_rising(", "sonde_lower_stx(l, BPF_DW, FP, R1, kValue);", "", "bpf_test:InKernel.TheProcessorTimeNeverFalls"),
    E("runtime/bpf/fold_tables.cpp", "void FoldTables::hand_over(", "element.firings == 0", "false", "bpf_test:Tables.AnElementWithoutFirings*"),
    E("providers/usdt/usdt_provider.cpp", "std::vector<uint64_t> companions_of(", "other.counter != spot.site->counter && std::ranges::count(counters, other.counter) == 0", "other.counter != spot.site->counter",
      "providers_test:UsdtTest.ACompanionsCounter*"),
    E("providers/usdt/quirks.cpp", "std::string installed_file(", "anybody_may(folder, S_IXOTH)", "true", "scenario:usdt_files_that_a_program_cannot_reach"),
    E("runtime/process/mounts.cpp", "bool is_of_root(", "root && root->major == major && root->minor == minor", "false", "process_test:Mounts.TheRootIsNotServed*"),
    E("cli/injection.cpp", "duration_in(", "nanoseconds <= kMostDelay", "true", "scenario:injections_are_checked"),
    E("cli/injection.cpp", "Result<void> parse_value(", "*number >= kFirstError", "false", "scenario:injections_are_checked"),
]

SWITCH = """/* Which mutant is on. A header that has mutants may stand beside a file that has. */
#pragma once
#ifdef __KERNEL__
#include <linux/compiler.h>
extern int sonde_mutant;
#define SONDE_MUTANT(n) (READ_ONCE(sonde_mutant) == (n))
#else
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
static inline int sonde_mutant(int number)
{
	static unsigned char *seen; /* a byte a mutant: reach.py */
	static int on = -1;
	const char *text;

	if (on < 0) {
		text = getenv("MUTANT_SEEN");
		if (text) {
			int file = open(text, O_RDWR | O_CLOEXEC);
			void *map = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);

			seen = map == MAP_FAILED ? 0 : (unsigned char *)map;
			close(file);
		}
		text = getenv("MUTANT");
		on = text ? atoi(text) : 0;
	}
	if (seen)
		seen[number] = 1;
	return on == number;
}
#define SONDE_MUTANT(n) sonde_mutant(n)
#endif
"""
PARAMETER = "\nint sonde_mutant;\nmodule_param_named(mutant, sonde_mutant, int, 0644);\n"


def say(text):
    print(f"mutants: {text}", flush=True)


# ---- the tree with all mutants ----


def body_of(text, function):
    """(begin, end) of the function whose first line contains `function`; the whole file if it is empty. None: not found
    exactly once."""
    if not function:
        return 0, len(text)
    begins = [match for match in re.finditer(rf"^([ \t]*)[^\n]*{re.escape(function)}[^\n]*$", text, re.M)
              if not match[0].rstrip().endswith(";")]
    if len(begins) != 1:
        return None
    first = begins[0]
    if first[0].rstrip().endswith("}"):
        return first.start(), first.end()
    end = re.compile(rf"^{first[1]}\}}", re.M).search(text, first.end())
    return (first.start(), end.end()) if end else None


def place_of(mutant, text):
    """The start of the mutated text; None: not found exactly once."""
    if mutant.at >= 0:
        return mutant.at
    found = body_of(text, mutant.function)
    if not found or text.count(mutant.was, *found) != 1:
        return None
    return text.index(mutant.was, *found)


def switched(mutant, number):
    if not mutant.statement:
        return f"(SONDE_MUTANT({number}) ? ({mutant.becomes}) : ({mutant.was}))"
    # `if (c) s;` could come before an else, so use a do, which is one statement
    return f"do {{ if (SONDE_MUTANT({number})) {{ {mutant.becomes} }} else {{ {mutant.was} }} }} while (0);"


def mutate(mutants, originals=None):
    """{file: text} with every mutant and its switch, and complaints about mutants that do not apply."""
    texts, places, wrong = {}, {}, []
    for number, mutant in mutants.items():
        path = ROOT / mutant.file
        texts.setdefault(mutant.file, (originals or {}).get(mutant.file) or (path.read_text() if path.exists() else ""))
        at = place_of(mutant, texts[mutant.file])
        if at is None:
            wrong.append(f"{number} does not apply: {mutant.name}")
        else:
            places.setdefault(mutant.file, []).append((at, number, mutant))
    changed = {}
    for file, found in places.items():
        text = texts[file]
        for at, number, mutant in sorted(found, key=lambda one: one[0], reverse=True):
            text = text[:at] + switched(mutant, number) + text[at + len(mutant.was):]
        changed[file] = f'#include "kmod/mutant.h"\n#line 1\n{text}'
    return changed, wrong


def copy_tree(mutants, originals=None):
    """Copies the current tree, with the mutants. Returns complaints."""
    texts, wrong = mutate(mutants, originals)
    texts["kmod/main.c"] = texts.get("kmod/main.c", (ROOT / "kmod/main.c").read_text()) + PARAMETER
    texts["kmod/mutant.h"] = SWITCH
    mirror_tree(COPY, texts)
    return wrong


def mirror_tree(copy, texts):
    """Makes `copy` equal to the current tree, except for the files of `texts`; unchanged files keep their times."""
    there = set()
    for room in (*ROOMS, "CMakeLists.txt", "CMakePresets.json", "README.md", "LICENSE"):
        found = (ROOT / room).rglob("*") if (ROOT / room).is_dir() else [ROOT / room]
        there |= {str(path.relative_to(ROOT)) for path in found if path.is_file() and "__pycache__" not in path.parts}
    for file in there | texts.keys():
        to, bytes_wanted = copy / file, texts[file].encode() if file in texts else (ROOT / file).read_bytes()
        if not to.exists() or to.read_bytes() != bytes_wanted:
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_bytes(bytes_wanted)
            if file not in texts:
                shutil.copymode(ROOT / file, to)
    for path in [path for room in ROOMS for path in (copy / room).rglob("*") if path.is_file()]:
        if str(path.relative_to(copy)) not in there | texts.keys():
            path.unlink()


# ---- the tests in user space ----


def run(argv, mutant=0, seconds=TIME_OUT):
    """(exit status, output); 124 if the time-out ended it."""
    environment = os.environ | {"MUTANT": str(mutant), "ASAN_OPTIONS": "detect_leaks=0:detect_container_overflow=0"}
    argv = ["timeout", "-k", "5", str(seconds), *map(str, argv)]
    done = subprocess.run(argv, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.returncode, done.stdout.decode(errors="replace")


def command(killer):
    kind, _, what = killer.partition(":")
    sonde, tests = BUILD / "bin/sonde", ROOT / "tests"
    if kind == "script":
        return [sys.executable, tests / "scripts/run.py", "--binary", sonde, "-k", what]
    if kind == "formats":
        return [sys.executable, tests / "formats/run.py", "--binary", sonde, "-k", what]
    if kind == "scenario":
        return [sys.executable, tests / "scenarios/run.py", "--binary", sonde, "--exact", what]
    return [BUILD / "bin" / kind, f"--gtest_filter={what}"]


def build(mutants):
    targets = {killer.partition(":")[0] for mutant in mutants for killer in mutant.killers} - {"api", "device"}
    targets = (targets - {"script", "scenario", "formats"}) | {"sonde"}
    log = ROOT / "build/build.log"
    with open(log, "w", encoding="utf-8") as output:
        for argv in (["cmake", "-S", ROOT, "--preset", "dev"], ["ninja", "-k", "0", "-C", BUILD, *sorted(targets)]):
            if subprocess.run(argv, stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=False).returncode != 0:
                print(log.read_text(errors="replace")[-6000:])
                raise SystemExit(f"mutants: does not build (all of it: {log})")


def patience(killer):
    """All tests of a program, or all golden scripts, take longer."""
    return 10 * TIME_OUT if killer.endswith((":*", "script:")) else TIME_OUT


def healthy(killers, pool):
    """Complaints about tests that fail, or do not run, with all mutants off."""
    def judge(killer):
        status, text = run(command(killer), seconds=patience(killer))
        if status == 0 and "Running 0 tests" not in text:
            return []
        return [f"{killer} does not pass without a mutant (status {status}):\n{text[-1500:]}"]
    return [line for lines in pool.map(judge, sorted(killers)) for line in lines]


def killed_by(number, mutant):
    """The first test that notices; None: the mutant survives."""
    for killer in mutant.killers:
        status, _ = run(command(killer), number, patience(killer))
        if status not in (0, 77):
            return killer
    return None


# ---- mutants of the module: in one guest, while it lives ----

GUEST = """#!/bin/bash
# In the guest: WORK, then NUMBER KIND WORDS on each line of the standard input's file
work=$1
while read -r number kind words; do
    echo "begin $number"
    insmod "$work/kmod/sonde.ko" mutant="$number" && { [ "$kind" != api ] || insmod "$work/api/utrace_test.ko"; } || exit 1
    case $kind in
    api) timeout -k 5 100 "$work/api_test" $words ;;
    device) timeout -k 5 100 "$work/device/device-"$words ;;
    esac </dev/null >/tmp/out 2>&1
    status=$?
    [ "$number" != 0 ] || [ $status = 0 ] || tail -20 /tmp/out
    echo 0 >/sys/module/sonde/parameters/mutant
    echo "end $number $status $kind $words"
    [ "$kind" != api ] || timeout 60 rmmod utrace_test || exit 1
    timeout 60 rmmod sonde || exit 1
done <"$work/todo"
"""


def guest(tests):
    """Runs [(number, "api:ROW" ...)] in one boot. Returns [(number, killer, status)] for those that ended, or that
    crashed the guest, and its output."""
    work = pathlib.Path(guest.work)
    (work / "todo").write_text("".join(f"{number} {killer.replace(':', ' ')}\n" for number, killer in tests))
    (work / "mutants").write_text(GUEST)
    argv = [ROOT / "tests/guest/run", "--single", "--ro", work, "--timeout", str(300 + 110 * len(tests)), "--", "bash", work / "mutants", work]
    _, text = run(argv, seconds=600 + 110 * len(tests))
    ended = re.findall(r"^end (\d+) (\d+) (.*)$", text, re.M)
    results = [(number, killer, int(status)) for (number, killer), (_, status, _) in zip(tests, ended)]
    if len(ended) < len(tests) and text.count("begin ") > len(ended):
        results.append((*tests[len(ended)], 125))  # it crashed the guest
    return results, text


def kernel(mutants):
    """(complaints, {number: killer or None}) for the mutants of the module."""
    setup = subprocess.run([ROOT / "tests/guest/setup"], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    if setup.returncode != 0:
        return [f"no guest: {setup.stderr[-500:]}"], {}
    built = subprocess.run([ROOT / "tests/kmod/build", setup.stdout.split()[-1]], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    if built.returncode != 0:
        return [f"the module does not build: {built.stderr[-3000:]}"], {}
    guest.work = built.stdout.split()[-1]
    subprocess.run([ROOT / "tests/kmod/device/run", "build", f"{guest.work}/device"], check=True)
    todo = [(0, killer) for killer in sorted({k for m in mutants.values() for k in m.killers})]
    todo += [(number, killer) for number, mutant in mutants.items() for killer in mutant.killers]
    wrong, fate = [], dict.fromkeys(mutants)
    while todo:
        results, text = guest(todo)
        if not results:
            return [*wrong, f"the guest does not run: {text[-1500:]}"], fate
        for number, killer, status in results:
            if number == 0 and status != 0:
                wrong.append(f"{killer} does not pass without a mutant (status {status}):\n{text[-1500:]}")
            elif number != 0 and status != 0:
                fate[number] = fate[number] or killer
        todo = [(number, killer) for number, killer in todo[len(results):] if number == 0 or not fate[number]]
    return wrong, fate


# ---- mutants for which nobody named a test: drawn at random, or from a file ----


def of_file(path):
    """The mutants of a file of rows E(FILE, FUNCTION, WAS, BECOMES) and S(...), as in MUTANTS, but without tests."""
    rows = []
    exec(path.read_text(encoding="utf-8"), {"E": lambda *row: rows.append(E(*row)), "S": lambda *row: rows.append(S(*row))})  # pylint: disable=exec-used
    return rows


def without_tests(count, seed, path):
    """({number: mutant}, {file: text without mutants}); kept beside the copy, whose files will have the mutants."""
    chosen = of_file(path) if path else [Mutant(file, operator, (ROOT / file).read_text()[begin:end], becomes, [], statement, begin)
                                         for file, operator, begin, end, becomes, statement in sample.draw(ROOT, count, seed)]
    originals = {mutant.file: (ROOT / mutant.file).read_text() for mutant in chosen}
    for mutant in chosen:
        at = place_of(mutant, originals[mutant.file])
        if at is None:
            raise SystemExit(f"mutants: does not apply: {mutant.name}")
        mutant.at = at
    return dict(enumerate(chosen, 1)), originals


def keep(chosen, originals):
    COPY.mkdir(parents=True, exist_ok=True)
    (COPY / "sample.json").write_text(json.dumps([originals, [dataclasses.astuple(mutant) for mutant in chosen.values()]]))


def kept():
    originals, list_of = json.loads((ROOT / "sample.json").read_text())
    return dict(enumerate((Mutant(*each) for each in list_of), 1)), originals


def compiles(preset, targets):
    """Builds; the lines with errors as {(file's name, line)}, None if there are none."""
    log = ROOT / "build/build.log"
    folder = ROOT / ("build/sanitize" if preset == "dev" else "build")
    with open(log, "w", encoding="utf-8") as output:
        for argv in (["cmake", "-S", ROOT, "--preset", preset], ["ninja", "-k", "0", "-C", folder, *targets]):
            status = subprocess.run(argv, stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=False).returncode
    found = re.findall(r"^([^ :\n]+):(\d+):\d+: error", log.read_text(errors="replace"), re.M)
    return {(pathlib.Path(file).name, int(line)) for file, line in found} if status else None


def without_what_does_not_compile(chosen, originals):
    """The mutants that the compiler accepts; the others are taken out, by the lines of its errors, until all is built."""
    def line_of(mutant):
        return pathlib.Path(mutant.file).name, originals[mutant.file].count("\n", 0, mutant.at) + 1
    for _ in range(8):
        wrong = compiles("release", ["sonde"])
        if wrong is None:
            return chosen
        bad = [number for number, mutant in chosen.items() if line_of(mutant) in wrong]
        if not bad:
            break
        chosen = {number: mutant for number, mutant in chosen.items() if number not in bad}
        for file, text in (originals | mutate(chosen, originals)[0]).items():
            if (ROOT / file).read_text() != text:
                (ROOT / file).write_text(text)
    raise SystemExit(f"mutants: does not build, and no mutant is at fault (all of it: {ROOT / 'build/build.log'})")


def run_without_tests(seed, minutes, with_units):
    chosen, originals = kept()
    count, began = len(chosen), time.monotonic()
    (ROOT / "build").mkdir(exist_ok=True)
    say(f"{count} mutants; building")
    chosen = without_what_does_not_compile(chosen, originals)
    near = sorted({test for mutant in chosen.values() for test in sample.near(ROOT, mutant.file)})
    if with_units and compiles("dev", near) is not None:
        raise SystemExit(f"mutants: the unit tests do not build (all of it: {ROOT / 'build/build.log'})")
    say(f"{len(chosen)} of {count} compile; built after {time.monotonic() - began:.0f} s")
    sonde = ROOT / "build/bin/sonde"

    def units(alive):
        return reach.units(BUILD / "bin" / name for name in sorted({test for number in alive for test in sample.near(ROOT, chosen[number].file)}))

    def scripts(_):
        return reach.scripts(ROOT, sonde)

    def scenarios(_):
        return reach.scenarios(ROOT, sonde)

    kinds = [units, scripts, scenarios] if with_units else [scripts, scenarios]
    fate = reach.fates(kinds, list(chosen), seed, 60 * minutes, say)
    for number, (killer, met, reaching) in fate.items():
        one = chosen[number]
        line = originals[one.file].count("\n", 0, one.at) + 1
        verdict = f"killed by {killer}" if killer else f"LIVES, {met} of {reaching} tests that reach it passed" if reaching else "LIVES, no test reaches it"
        say(f"{verdict}: {one.file}:{line}: {one.function}: {one.was} -> {one.becomes or 'nothing'}")
    say(f"{len(fate)} mutants, {sum(1 for killer, *_ in fate.values() if not killer)} live; {time.monotonic() - began:.0f} s")
    return 0


def run_in_place_of_the_tree(copy, program, options):
    """Runs a program of the copy; at the path of the tree if mounting is allowed."""
    program = pathlib.Path(program).resolve().relative_to(ROOT)
    mount = 'mount --bind "$1" "$2" && cd "$2" && shift 2 && exec "$@"'
    if subprocess.run(["unshare", "-m", "true"], check=False, stderr=subprocess.DEVNULL).returncode == 0:
        argv = ["unshare", "-m", "bash", "-c", mount, "-", copy, ROOT, sys.executable, ROOT / program]
    else:
        argv = [sys.executable, copy / program]
    return subprocess.run([*map(str, argv), *options], check=False).returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-k", metavar="REGEX", default="", help="only mutants in whose file, function or text REGEX is found")
    parser.add_argument("--check", action="store_true", help="only whether each still applies")
    parser.add_argument("--no-kernel", action="store_true", help="without those of the module")
    parser.add_argument("--sample", type=int, metavar="N", help="draw N mutants at random instead, and say how many live")
    parser.add_argument("--of", type=pathlib.Path, metavar="FILE", help="the rows of this file instead, which name no tests: E(FILE, FUNCTION, WAS, BECOMES)")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="of the sample, and of the order of tests")
    parser.add_argument("--no-units", action="store_true", help="of the sample: without unit tests, whose sanitized build takes longest")
    parser.add_argument("--minutes", type=int, default=30, help="for the tests of the sample, once it is built")
    parser.add_argument("--in-copy", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    began = time.monotonic()
    chosen = {n: m for n, m in enumerate(MUTANTS, 1) if re.search(arguments.k, m.name) and not (arguments.no_kernel and m.in_kernel)}
    if arguments.check:
        wrong = mutate(chosen)[1]
        print("\n".join([*wrong, f"{len(chosen)} mutants, {len(wrong)} do not apply"]))
        return 1 if wrong else 0
    if (arguments.sample or arguments.of) and arguments.in_copy:
        return run_without_tests(arguments.seed, arguments.minutes, not arguments.no_units)
    if arguments.sample or arguments.of:
        say(f"seed {arguments.seed}")
        unnamed = without_tests(arguments.sample, arguments.seed, arguments.of)
        keep(*unnamed)
        copy_tree(*unnamed)
        return run_in_place_of_the_tree(COPY, __file__, ["--in-copy", *sys.argv[1:], "--seed", str(arguments.seed)])
    if not arguments.in_copy:
        COPY.mkdir(parents=True, exist_ok=True)
        wrong = mutate(dict(enumerate(MUTANTS, 1)))[1]
        copy_tree(chosen)
        print("\n".join(wrong), end="\n" if wrong else "")
        return max(1 if wrong else 0, run_in_place_of_the_tree(COPY, __file__, ["--in-copy", *sys.argv[1:]]))
    wrong = []
    (ROOT / "build").mkdir(exist_ok=True)
    users = {n: m for n, m in chosen.items() if not m.in_kernel}
    inside = {n: m for n, m in chosen.items() if m.in_kernel}
    say(f"{len(chosen)} mutants; building")
    if users:
        build(list(users.values()))
    say(f"built after {time.monotonic() - began:.0f} s")
    fate = {}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        wrong += healthy({killer for mutant in users.values() for killer in mutant.killers}, pool)
        for number, killer in zip(users, pool.map(lambda n: killed_by(n, users[n]), users)):
            fate[number] = killer
            say(f"{number} {'killed by ' + killer if killer else 'SURVIVES'}: {users[number].name}")
    if inside:  # not beside the others: an emulated machine on a busy processor is too slow for the time-outs
        complaints, dead = kernel(inside)
        wrong += complaints
        fate |= dead
        for number, killer in dead.items():
            say(f"{number} {'killed by ' + killer if killer else 'SURVIVES'}: {inside[number].name}")
    survivors = [f"{number} survives {', '.join(chosen[number].killers)}: {chosen[number].name}" for number, killer in fate.items() if not killer]
    print("\n".join(wrong + survivors))
    seconds = int(time.monotonic() - began)
    say(f"{len(chosen)} mutants, {len(fate) - len(survivors)} killed, {len(wrong)} complaints; {seconds // 60} min {seconds % 60} s")
    return 1 if wrong or survivors or len(fate) < len(chosen) else 0


if __name__ == "__main__":
    sys.exit(main())
