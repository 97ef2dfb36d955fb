// SPDX-License-Identifier: GPL-3.0-or-later
// Waits on descriptors: reading and writing of pipes, sockets and the like; several at once
#pragma once

#include "runtime/waits/facts.h"
#include "runtime/waits/graph.h"

namespace sonde {

Wait explain_read(Facts& facts, const ThreadFacts& thread);
Wait explain_write(Facts& facts, const ThreadFacts& thread);
Wait explain_accept(Facts& facts, const ThreadFacts& thread);

Wait explain_open(Facts& facts, const ThreadFacts& thread);

// These wait for any of several. poll() and select() may be part of a deadlock, if all that they wait for is and no signal
// handler may end them. A loop on epoll serves whoever comes: its wait is told, but is part of none.
Wait explain_poll(Facts& facts, const ThreadFacts& thread);
Wait explain_select(Facts& facts, const ThreadFacts& thread);
Wait explain_epoll(Facts& facts, const ThreadFacts& thread);

}  // namespace sonde
