// SPDX-License-Identifier: GPL-3.0-or-later
// The terminals of a prompt's programs: what is read, by whom, and by what the other end can be told
#include "cli/relay.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

namespace sonde {
namespace {

/// Runs `act` in a child that has the terminal as its standard streams.
pid_t start(const TerminalEnd& end, void (*act)()) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  if (take_terminal(end) != 0) ::_exit(1);
  act();
  ::_exit(0);
}

void say(const char* text) {
  if (::write(STDOUT_FILENO, text, std::char_traits<char>::length(text)) < 0) ::_exit(2);
}

class RelayTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = Relay::create();
    ASSERT_TRUE(made);
    listen(std::move(*made));
  }
  void listen(std::unique_ptr<Relay> relay) {
    relay_ = std::move(relay);
    relay_->set_handlers(
        [this](Relay::Terminal& one, std::string_view text) { said_ += one.name + "<" + std::string(text) + ">"; },
        [this](Relay::Terminal& one) { said_ += one.name + " ends"; },
        [this](const Relay::Terminal& one, int error) { said_ += one.name + " is not kept: " + std::strerror(error); });
  }
  TerminalEnd open(bool controls, const std::string& name) {
    auto end = relay_->open(controls, name);
    EXPECT_TRUE(end);
    return end ? *end : TerminalEnd{};
  }
  static void wait(pid_t child) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }

  std::unique_ptr<Relay> relay_;
  std::string said_;
};

TEST_F(RelayTest, PassesOnEveryByteAndThenTheEnd) {
  const TerminalEnd end = open(false, "one");
  const pid_t child = start(end, [] { say("a\nb\t\r\n\x01\x7f"); });
  relay_->serve(end);
  wait(child);
  relay_->read();
  relay_->read();
  EXPECT_EQ(said_, "one<a\nb\t\r\n\x01\x7f>one ends");
  EXPECT_TRUE(relay_->all().empty());
}

TEST_F(RelayTest, OneThatControlsIsATerminalOfItsOwn) {
  const TerminalEnd end = open(true, "own");
  const pid_t child = start(end, [] {
    char text[8] = {};
    const bool own = ::tcgetsid(STDIN_FILENO) == ::getpid() && ::open("/dev/tty", O_RDWR) >= 0;
    if (!own || ::read(STDIN_FILENO, text, sizeof text) != 3) ::_exit(3);
    say(text);
  });
  relay_->serve(end);
  Relay::Terminal* const found = relay_->find_controlling("own");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(relay_->find_controlling(""), found);
  EXPECT_EQ(relay_->find_controlling("other"), nullptr);
  ASSERT_EQ(::write(found->master.get(), "hi\n", 3), 3);
  wait(child);
  relay_->read();
  relay_->read();
  EXPECT_NE(said_.find("hi\r\n"), said_.npos) << said_;  // the echo, and what it said
}

TEST_F(RelayTest, OneWhoseProgramDidNotStartGoes) {
  const TerminalEnd end = open(false, "none");
  relay_->read();
  EXPECT_EQ(relay_->all().size(), 1u);  // its program may still come
  relay_->drop(end);
  EXPECT_TRUE(relay_->all().empty());
  EXPECT_EQ(said_, "");
}

TEST_F(RelayTest, AnotherSondeTakesOver) {
  const TerminalEnd first = open(false, "first"), second = open(true, "second");
  const pid_t child = start(first, [] {
    ::raise(SIGSTOP);
    say("late");
  });
  const pid_t other = start(second, [] { ::raise(SIGSTOP); });
  for (const pid_t one : {child, other}) ASSERT_EQ(::waitpid(one, nullptr, WUNTRACED), one);
  relay_->serve_all();
  const std::vector<std::string> words = relay_->hand_over();
  EXPECT_TRUE(relay_->all().empty());
  EXPECT_EQ(::fcntl(std::stoi(words[0]), F_GETFD), 0);  // outlives an exec
  relay_.reset();
  listen(Relay::take_over(words));
  ASSERT_EQ(relay_->all().size(), 2u);
  EXPECT_NE(relay_->find_controlling("second"), nullptr);
  EXPECT_EQ(relay_->find_controlling("first"), nullptr);
  EXPECT_EQ(::fcntl(relay_->all().front().master.get(), F_GETFD), FD_CLOEXEC);
  for (const pid_t one : {child, other}) ::kill(one, SIGCONT);
  wait(child);
  wait(other);
  relay_->read();
  relay_->read();
  EXPECT_EQ(said_, "first<late>first endssecond ends");
}

TEST(Relay, NothingToTakeOver) { EXPECT_EQ(Relay::take_over({}), nullptr); }

}  // namespace
}  // namespace sonde
