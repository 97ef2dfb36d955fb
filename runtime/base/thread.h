// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <signal.h>

#include <system_error>
#include <thread>
#include <utility>

namespace sonde {

/// There is no thread to be had: a limit on processes or memory. The command ends with it, also where an op of a provider
/// throws it.
struct NoThread : std::system_error {
  using std::system_error::system_error;
};

/// Starts a thread that blocks all signals: they belong to the session's thread.
/// Throws NoThread "cannot start a thread: ...".
template <class Function>
std::thread start_thread(Function function) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread thread(std::move(function));
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return thread;
  } catch (const std::system_error& error) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw NoThread(error.code(), "cannot start a thread");
  }
}

}  // namespace sonde
