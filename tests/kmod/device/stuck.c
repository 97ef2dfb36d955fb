// SPDX-License-Identifier: GPL-2.0
/*
 * A traced process waits for memory that no process supplies (userfaultfd,
 * which stands for FUSE files). Its tracer can end nevertheless, and
 * /proc/sonde says why the module cannot be unloaded
 */
#define _GNU_SOURCE
#include <linux/userfaultfd.h>
#include <sys/syscall.h>

#include "child.h"

static struct client c;
static char *page;

static __attribute__((noinline)) void function(const char *text)
{
	__asm__ volatile("" ::"r"(text) : "memory");
}

/* A function that jumps to the address at @to. */
__asm__(".text\n"
	".type jumps, @function\n"
	"jumps: jmp *(%rdi)\n"
	".size jumps, . - jumps\n");
void jumps(const void *to);

enum place { IN_CALL, IN_FUNCTION, IN_JUMP };

static int touch_nothing(enum place place)
{
	struct uffdio_api api = { .api = UFFD_API };
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);
	struct uffdio_register part = { .mode = UFFDIO_REGISTER_MODE_MISSING };

	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	part.range.start = (uintptr_t)page;
	part.range.len = 4096;
	if (ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &part))
		return 1;
	if (place == IN_CALL)
		syscall(SYS_getpgid, page);
	else if (place == IN_FUNCTION)
		function(page);
	else
		jumps(page);
	sleep(600);
	return 0;
}

static int in_call(void)
{
	return touch_nothing(IN_CALL);
}

static int in_function(void)
{
	return touch_nothing(IN_FUNCTION);
}

/* The page has the target of the jump. */
static int in_jump(void)
{
	return touch_nothing(IN_JUMP);
}

/* Whether it sleeps and stays asleep. */
static int is_stuck(pid_t pid)
{
	char name[64], where[200] = "";
	FILE *file;

	snprintf(name, sizeof(name), "/proc/%d/wchan", pid);
	file = fopen(name, "r");
	if (file) {
		if (!fgets(where, sizeof(where), file))
			where[0] = 0;
		fclose(file);
	}
	return strstr(where, "userfault") != NULL;
}

static int traced; /* a pipe: the session is tracing */

/* The tracer, until it is killed. */
static void trace(pid_t pid, struct sonde_tap tap, const char *path,
		  uint32_t flags)
{
	const struct sonde_dif_insn code[] = {
		{ SONDE_DIF_ARG, 0, 0, 0, 0 },
		{ SONDE_DIF_CAPSTR, 0, 0, 0, 64 },
		{ .op = SONDE_DIF_RECORD },
	};
	static const uint8_t kinds[] = { SONDE_SLOT_TEXT };

	tap.id = tap.probe = 1;
	GRANTED(&c, open_session(&c, 65536));
	GRANTED(&c, attach(&c, pid));
	GRANTED(&c, load_kinds(&c, 1, INSNS(code), 1, kinds));
	GRANTED(&c, add_ecb(&c, (struct sonde_ecb){ 1, 1, 1, flags }));
	GRANTED(&c, arm_tap(&c, tap, path));
	go(&c);
	CHECK(write(traced, "x", 1) == 1, "pipe");
	for (;;)
		pause();
}

/* Whether /proc/sonde shows the thread that the module waits for. */
static int is_named(pid_t pid)
{
	FILE *file = fopen("/proc/sonde", "r");
	char line[512], wanted[64];
	int found = 0;

	snprintf(wanted, sizeof(wanted), "waiting: thread %d,", pid);
	while (file && fgets(line, sizeof(line), file))
		found |= strncmp(line, wanted, strlen(wanted)) == 0;
	if (file)
		fclose(file);
	return found;
}

static void kill_beside(int (*work)(void), struct sonde_tap tap,
			const char *path, uint32_t flags)
{
	struct child child, tracer;
	uint64_t began;
	int status, ends[2];
	char byte;

	c.fd = -1;
	child = start_child(&c, work);
	if (pipe(ends))
		exit(2);
	traced = ends[1];
	tracer = fork_child(&c);
	if (!tracer.pid)
		trace(child.pid, tap, path, flags);
	CHECK(read(ends[0], &byte, 1) == 1, "no tracer");
	open_gate(&child);
	CHECK(SOON(is_stuck(child.pid)), "it does not wait for its memory");
	CHECK(is_named(child.pid), "/proc/sonde does not name it");
	began = now();
	kill(tracer.pid, SIGKILL);
	CHECK_KILLED(&tracer);
	CHECK(now() - began < 10 * SECOND, "the tracer took %lu ms to die",
	      (now() - began) / 1000000);
	close(ends[0]);
	close(ends[1]);
	status = syscall(SYS_delete_module, "sonde", O_NONBLOCK);
	CHECK(status == -1 && (errno == EBUSY || errno == EAGAIN || errno == EWOULDBLOCK),
	      "the module goes: %d %s", status, strerror(errno));
	kill(child.pid, SIGKILL);
	CHECK_KILLED(&child);
	CHECK(SOON(allocated(NULL) == 0), "%lu bytes are left", allocated(NULL));
}

int main(void)
{
	char path[SONDE_PATH_MAX];
	struct sonde_tap tap = function_tap(SONDE_TAP_USER_ENTRY, function, path);
	struct sonde_tap jump = function_tap(SONDE_TAP_USER_RETURN, jumps, path);

	jump.leave = (struct sonde_leave){
		.how = SONDE_LEAVE_JUMP_OPERAND, .length = 2,
		.flags = SONDE_LEAVE_MEMORY, .base = 7, /* rdi */
		.index = SONDE_LEAVE_NO_REGISTER, .parts = { { 0, 2 } } };

	for (int held = 0; held < 2; held++) {
		uint32_t flags = held ? SONDE_ECB_HELD : 0;

		kill_beside(in_call,
			    (struct sonde_tap){ .kind = SONDE_TAP_SYSCALL_ENTRY,
						.number = SYS_getpgid },
			    NULL, flags);
		kill_beside(in_function, tap, path, flags);
		kill_beside(in_jump, jump, path, flags);
	}
	return verdict("stuck");
}
