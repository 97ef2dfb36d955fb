// SPDX-License-Identifier: MIT OR GPL-2.0-only
// A scope in which no handler runs
#pragma once

#include <csignal>

namespace sonde::bpf {

/// Blocks all signals of this thread.
class SignalsWait {
 public:
  SignalsWait() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsWait() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsWait(const SignalsWait&) = delete;
  SignalsWait& operator=(const SignalsWait&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace sonde::bpf
