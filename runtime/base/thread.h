// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <signal.h>

#include <system_error>
#include <thread>
#include <utility>

namespace sonde {

/// Starts a thread that blocks all signals: they belong to the session's thread.
/// Throws std::system_error "cannot start a thread: ..." (limits on processes or memory); the command ends with it.
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
    throw std::system_error(error.code(), "cannot start a thread");
  }
}

}  // namespace sonde
