// SPDX-License-Identifier: GPL-2.0
/*
 * A module that could not hook a function of the kernel (tests/kmod/unfit):
 * taps that need it are refused with its name, and all others are armed
 *
 * usage: without FUNCTION held|held,targets|returns|members|-    what is refused
 * then; members: that one without privileges traces a process of his
 */
#define _GNU_SOURCE
#include <sys/stat.h>

#include <stdbool.h>

#include "child.h"

static struct client c;

static void asked(const char *what, bool refused, int err, const char *function)
{
	CHECK(err == (refused ? -EOPNOTSUPP : 0), "%s: %s (%s)", what,
	      strerror(-err), c.last.reply.why);
	CHECK(!refused || strstr(c.last.reply.why, function), "%s: why: %s",
	      what, c.last.reply.why);
}

static bool targets, members;
static const char *function;

/* He must not go on tracing a process that has become a set-uid program. */
static void as_member(void)
{
	drop_root();
	GRANTED(&c, open_session(&c, 4096));
	asked("a member's target", targets || members, attach(&c, getpid()),
	      function);
	close_client(&c);
}

int main(int count, char **words)
{
	struct sonde_ecb holds = { 2, 2, 1, SONDE_ECB_HELD };
	bool held, returns;

	if (count != 3)
		return 2;
	function = words[1];
	members = !strcmp(words[2], "members");
	held = strstr(words[2], "held");
	targets = strstr(words[2], "targets");
	returns = !strcmp(words[2], "returns");
	GRANTED(&c, open_session(&c, 65536));
	GRANTED(&c, load_words(&c, 1, word0, LENGTH(word0), 1));
	GRANTED(&c, load_words(&c, 3, word0, LENGTH(word0), 1));
	GRANTED(&c, arm_kind(&c, 1, SONDE_TAP_CREATE, 0));
	asked("a return", returns,
	      arm_kind(&c, 3, SONDE_TAP_SYSCALL_RETURN, 0), function);
	asked("a target", targets, attach(&c, getppid()), function);
	if (!targets)
		asked("a held target", held,
		      ask(&c, SONDE_FOLLOW, 0, getppid()), function);
	asked("a held tap", held,
	      (add_ecb(&c, holds) ?: arm_tap(&c, (struct sonde_tap){
			.id = 2, .probe = 2, .kind = SONDE_TAP_CREATE },
			NULL)), function);
	close_client(&c);
	CHECK(chmod("/dev/sonde", 0666) == 0, "chmod");
	run_apart(as_member);
	return verdict("without");
}
