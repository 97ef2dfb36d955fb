// SPDX-License-Identifier: GPL-3.0-or-later
// A library that takes locks of the C++ library, and prints what each has seen, as locks.c does.
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <shared_mutex>
#include <thread>

namespace {

std::mutex plain;
std::recursive_mutex recursive;
std::shared_mutex shared;
std::condition_variable filled;
bool full;

void take_plain(int rounds) {
  for (int i = 0; i < rounds; i++) std::scoped_lock lock(plain);
}

void tell(const char* event, const void* lock, int count) { std::printf("%s %p %d\n", event, lock, count); }

}  // namespace

extern "C" void use_locks() {
  take_plain(11);
  std::thread other(take_plain, 13);
  other.join();
  const bool got = plain.try_lock();
  if (got) plain.unlock();
  for (int i = 0; i < 4; i++) recursive.lock();
  for (int i = 0; i < 4; i++) recursive.unlock();
  for (int i = 0; i < 5; i++) std::shared_lock lock(shared);
  for (int i = 0; i < 6; i++) std::unique_lock lock(shared);
  std::thread filler([] {
    const std::scoped_lock lock(plain);
    full = true;
    filled.notify_one();
  });
  filler.join();
  std::unique_lock lock(plain);
  filled.wait(lock, [] { return full; });  // it does not wait
  lock.unlock();
  tell("mutex acquire", plain.native_handle(), 11 + 13 + 1 + 1 + 1);
  tell("mutex release", plain.native_handle(), 11 + 13 + 1 + 1 + 1);
  tell("mutex acquire", recursive.native_handle(), 4);
  tell("mutex release", recursive.native_handle(), 4);
  tell("rw0 acquire", &shared, 5);
  tell("rw0 release", &shared, 5);
  tell("rw1 acquire", &shared, 6);
  tell("rw1 release", &shared, 6);
  std::fflush(stdout);
}

#ifndef LIBRARY
int main() { use_locks(); }
#endif
