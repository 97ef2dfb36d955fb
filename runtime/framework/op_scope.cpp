// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/framework/op_scope.h"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <mutex>
#include <set>

/// The linker's: where the command's own code begins and ends.
extern "C" const char __executable_start[], etext[];

namespace sonde {
namespace {

constinit OpsUnderWay g_under_way;
constinit thread_local const OpScope* t_current = nullptr;
constinit thread_local uint32_t t_thread = 0, t_first_row = 0;

OpUnderWay* claim_row() {
  static std::atomic<uint32_t> next{0};
  if (t_thread == 0) {
    t_thread = static_cast<uint32_t>(::syscall(SYS_gettid));
    t_first_row = next.fetch_add(1);
    let_crashes_through();
  }
  for (size_t i = 0; i < g_under_way.size(); i++) {
    OpUnderWay& row = g_under_way[(t_first_row + i) % g_under_way.size()];
    uint32_t nobody = 0;
    if (row.thread.compare_exchange_strong(nobody, t_thread)) return &row;
  }
  return nullptr;
}

}  // namespace

const char* op_name(ProviderOp op) {
  switch (op) {
    case ProviderOp::None: return "no op";
    case ProviderOp::Provide: return "dtps_provide";
    case ProviderOp::ProvideModule: return "dtps_provide_module";
    case ProviderOp::Enable: return "dtps_enable";
    case ProviderOp::Disable: return "dtps_disable";
    case ProviderOp::Suspend: return "dtps_suspend";
    case ProviderOp::Resume: return "dtps_resume";
    case ProviderOp::GetArgDesc: return "dtps_getargdesc";
    case ProviderOp::GetArgVal: return "dtps_getargval";
    case ProviderOp::UserMode: return "dtps_usermode";
    case ProviderOp::Destroy: return "dtps_destroy";
    case ProviderOp::Start: return "start()";
    case ProviderOp::Stop: return "stop()";
    case ProviderOp::OnTarget: return "its hook on targets";
    case ProviderOp::OnDescription: return "its hook on descriptions";
  }
  return "?";
}

const char* lasting_text(const std::string& text) {
  static std::mutex mutex;
  static auto* texts = new std::set<std::string>;  // never deleted: threads read it until the process ends
  std::lock_guard lock(mutex);
  return texts->insert(text).first->c_str();
}

const char* plugin_of(const void* code) {
  // Asked for each provider of our own at each start: dladdr() takes 4,000 instructions.
  const auto at = reinterpret_cast<uintptr_t>(code);
  if (at >= reinterpret_cast<uintptr_t>(__executable_start) && at < reinterpret_cast<uintptr_t>(etext)) return "";
  Dl_info found{}, own{};
  if (::dladdr(code, &found) == 0 || ::dladdr(reinterpret_cast<const void*>(&plugin_of), &own) == 0) return "";
  if (found.dli_fbase == own.dli_fbase || found.dli_fname == nullptr) return "";
  const char* slash = std::strrchr(found.dli_fname, '/');
  return lasting_text(slash == nullptr ? found.dli_fname : slash + 1);
}

const OpsUnderWay& ops_under_way() { return g_under_way; }

OpScope::OpScope(ProviderOp op, OpOwner owner) : op_(op), owner_(owner), outer_(t_current) {
  // In a series of one op the scope around it looks once.
  const bool is_in_series = outer_ != nullptr && outer_->op_ == op && outer_->owner_.provider == owner.provider;
  const bool at_each_firing = op == ProviderOp::GetArgVal || op == ProviderOp::UserMode;
  if (*owner.file != '\0' && !is_in_series && !at_each_firing) before_.emplace(outer_);
  if (*owner.file != '\0') row_ = outer_ != nullptr && outer_->row_ != nullptr ? outer_->row_ : claim_row();
  show();
  t_current = this;
}

OpScope::~OpScope() {
  if (*owner_.file != '\0' && is_forked_by_plugin()) end_forked_child();
  t_current = outer_;
  if (before_) before_->check(op_, owner_);
  if (row_ == nullptr) return;
  row_->call.fetch_add(1);
  if (outer_ != nullptr && outer_->row_ == row_)
    outer_->show();
  else
    row_->thread.store(0);
}

void OpScope::show() const {
  if (row_ == nullptr) return;
  row_->op.store(op_);
  row_->provider.store(owner_.provider);
  row_->file.store(owner_.file);
  row_->call.fetch_add(1);
}

const OpScope* OpScope::current() { return t_current; }

ProviderOp current_op() { return t_current == nullptr ? ProviderOp::None : t_current->op(); }

}  // namespace sonde
