// SPDX-License-Identifier: GPL-2.0
/*
 * Taps on functions of the kernel: what their firings show, where they may
 * fire, and which addresses are refused
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "child.h"

#define INSN(name, ...) { SONDE_DIF_##name, __VA_ARGS__ }
#define CALLS 1000u
#define BATCH 1000u
#define OPENED "/dev/sonde-functions-absent"

static struct client c;

/* The functions of the kernel itself whose name no other function has. */
struct symbol {
	uint64_t at;
	char name[72];
	bool traced; /* ftrace can */
};

static struct symbol *symbols;
static uint32_t symbol_count;
static uint64_t data_at, own_at; /* some variable; a function of the module */

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct symbol *)a)->name,
		      ((const struct symbol *)b)->name);
}

static struct symbol *find(const char *name)
{
	struct symbol key = {};

	snprintf(key.name, sizeof(key.name), "%s", name);
	return bsearch(&key, symbols, symbol_count, sizeof(key), by_name);
}

static uint64_t at(const char *name)
{
	const struct symbol *symbol = find(name);

	CHECK(symbol, "no function %s", name);
	return symbol ? symbol->at : 0;
}

static void read_symbols(void)
{
	FILE *file = fopen("/proc/kallsyms", "r");
	char line[512], name[256], module[128], type;
	uint32_t room = 1 << 18, all = 0, n;
	unsigned long address;

	symbols = calloc(room, sizeof(*symbols));
	while (file && symbols && fgets(line, sizeof(line), file)) {
		module[0] = 0;
		if (sscanf(line, "%lx %c %255s %127s", &address, &type, name,
			   module) < 3)
			continue;
		if (!strcmp(name, "linux_banner"))
			data_at = address;
		if (!strcmp(module, "[sonde]") && !strcmp(name, "sonde_clock"))
			own_at = address;
		if (!strcmp(module, "[sonde]") &&
		    !strcmp(name, "sonde_program_load"))
			own_at = address;
		if (module[0] || (type | 0x20) != 't' || all == room ||
		    strlen(name) >= sizeof(symbols->name))
			continue;
		symbols[all].at = address;
		strcpy(symbols[all++].name, name);
	}
	fclose(file);
	qsort(symbols, all, sizeof(*symbols), by_name);
	for (n = 0; n < all; n++)
		if ((!n || by_name(&symbols[n], &symbols[n - 1])) &&
		    (n + 1 == all || by_name(&symbols[n], &symbols[n + 1])))
			symbols[symbol_count++] = symbols[n];
	CHECK(symbol_count > 10000 && data_at && own_at, "kallsyms");
}

/* Marks the functions that ftrace can trace. */
static void read_traced(void)
{
	const char *tracing = "/sys/kernel/tracing";
	char line[512], *end;
	struct symbol *symbol;
	uint32_t seen = 0;
	FILE *file;

	mount("tracefs", tracing, "tracefs", 0, NULL); /* or it is there */
	file = fopen("/sys/kernel/tracing/available_filter_functions", "r");
	while (file && fgets(line, sizeof(line), file)) {
		end = strpbrk(line, " \n");
		if (end && *end == ' ')
			continue; /* of a module */
		if (end)
			*end = 0;
		symbol = find(line);
		if (symbol)
			symbol->traced = true;
		seen += symbol != NULL;
	}
	CHECK(file && seen > 5 * BATCH, "%u functions can be traced", seen);
	if (file)
		fclose(file);
}

/* The slots of the program that each tap of this test has. */
enum { ARGUMENTS, CALLER = 10, DEPTH, STACK, USER_STACK, SLOTS };

#define ARGUMENT(n) INSN(ARG, 0, 0, 0, n), INSN(CAPW, n, 0, 0, 0)

static const struct sonde_dif_insn everything[] = {
	ARGUMENT(0), ARGUMENT(1), ARGUMENT(2), ARGUMENT(3), ARGUMENT(4),
	ARGUMENT(5), ARGUMENT(6), ARGUMENT(7), ARGUMENT(8), ARGUMENT(9),
	INSN(VAR, 0, 0, 0, SONDE_DIF_VAR_CALLER),
	INSN(CAPW, CALLER, 0, 0, 0),
	INSN(VAR, 0, 0, 0, SONDE_DIF_VAR_STACKDEPTH),
	INSN(CAPW, DEPTH, 0, 0, 0),
	INSN(CAPKSTACK, STACK, 0, 0, 64),
	INSN(CAPSTACK, USER_STACK, 0, 0, 8),
	INSN(LDT, 0, 0, 0, 0), INSN(LI, 1, 0, 0, 1), INSN(ADD, 0, 0, 1, 0),
	INSN(STT, 0, 0, 0, 0),
	{ .op = SONDE_DIF_RECORD },
};
static const uint8_t kinds[SLOTS] = {
	[STACK] = SONDE_SLOT_KERNEL_STACK, [USER_STACK] = SONDE_SLOT_STACK,
};
static const struct sonde_dif_insn nothing[] = { { .op = SONDE_DIF_RECORD } };

enum { ENTRY = 1, RETURN, PROBES }; /* probes, with the ECBs and programs of these ids */

static void (*see_mine)(const struct sonde_record *record);

static void begin(const struct sonde_dif_insn *insns, uint32_t length,
		  uint32_t slots, uint64_t ring)
{
	see_mine = NULL;
	GRANTED(&c, open_session(&c, ring));
	for (uint32_t id = ENTRY; id < PROBES; id++) {
		GRANTED(&c, load_kinds(&c, id, insns, length, slots,
				       slots ? kinds : NULL));
		GRANTED(&c, add_ecb(&c, (struct sonde_ecb){ id, id, id, 0 }));
	}
}

/* Arms a tap of that kind on each function, in one request. */
static int arm_all(uint32_t kind, const uint64_t *addresses, uint32_t count)
{
	size_t size = count * (sizeof(struct sonde_tap) + 1);
	struct sonde_tap *taps = calloc(1, size);
	int err;

	for (uint32_t n = 0; n < count; n++) {
		taps[n].id = n * PROBES +
			     (kind == SONDE_TAP_KERNEL_ENTRY ? ENTRY : RETURN);
		taps[n].probe = taps[n].id % PROBES;
		taps[n].kind = kind;
		taps[n].offset = addresses[n];
		taps[n].path_length = 1;
	}
	memset(&taps[count], 'f', count);
	err = request(&c, SONDE_TAP_ARM, 0, count, taps, size, NULL, 0);
	free(taps);
	return err;
}

/* Entry and return of one function. */
static void arm_both(const char *name)
{
	uint64_t address = at(name);

	GRANTED(&c, arm_all(SONDE_TAP_KERNEL_ENTRY, &address, 1));
	GRANTED(&c, arm_all(SONDE_TAP_KERNEL_RETURN, &address, 1));
}

static const void *span(const struct sonde_record *record, int slot)
{
	return (const char *)record + SONDE_SPAN_OFFSET(record->slot[slot]);
}

static uint64_t seen[PROBES], mine[PROBES], callers[PROBES];
static uint64_t function;
static void see(const struct sonde_record *record)
{
	CHECK(record->probe < PROBES, "probe %u", record->probe);
	seen[record->probe]++;
	if (record->pid != (uint32_t)getpid())
		return;
	mine[record->probe]++;
	if (see_mine)
		see_mine(record);
}

static void forget(void)
{
	memset(seen, 0, sizeof(seen));
	memset(mine, 0, sizeof(mine));
}

static void see_stack(const struct sonde_record *record)
{
	const uint64_t *frames = span(record, STACK);
	uint32_t count = SONDE_SPAN_LENGTH(record->slot[STACK]) / 8;

	CHECK(count >= 3 && count < 64 && frames[0] == function,
	      "%u frames, at first %lx for %lx", count, frames[0], function);
	CHECK(record->slot[DEPTH] == count, "depth %lu of %u",
	      record->slot[DEPTH], count);
	CHECK(record->slot[CALLER] == frames[1], "caller");
	callers[record->probe] = frames[1];
	CHECK(SONDE_SPAN_LENGTH(record->slot[USER_STACK]) >= 8,
	      "no user stack");
	for (uint32_t n = 0; n < count; n++)
		CHECK((int64_t)frames[n] < 0, "frame %u: %lx", n, frames[n]);
}

static void see_open(const struct sonde_record *record)
{
	const uint64_t *args = record->slot;

	see_stack(record);
	if (record->probe == ENTRY)
		CHECK((int)args[0] == AT_FDCWD && args[1] == (uintptr_t)OPENED,
		      "args %lx %lx", args[0], args[1]);
	else
		CHECK(args[0] == ~0ull && (int)args[1] == -ENOENT && !args[2],
		      "args %lx %lx", args[0], args[1]);
}

/* Each call of a function that only this process makes, its arguments and result. */
static void counted(void)
{
	begin(INSNS(everything), SLOTS, 1 << 22);
	see_mine = see_open;
	function = at("do_sys_openat2");
	arm_both("do_sys_openat2");
	go(&c);
	for (uint32_t n = 0; n < CALLS; n++)
		CHECK(open(OPENED, O_RDONLY) < 0, "open");
	forget();
	drain(&c, see);
	CHECK(mine[ENTRY] == CALLS && mine[RETURN] == CALLS,
	      "%lu entries, %lu returns", mine[ENTRY], mine[RETURN]);
	CHECK(callers[ENTRY] == callers[RETURN], "callers %lx, %lx",
	      callers[ENTRY], callers[RETURN]);
	CHECK(!all_drops(&c), "%lu drops", all_drops(&c));
	GRANTED(&c, disarm(&c, ENTRY));
	GRANTED(&c, disarm(&c, RETURN));
	forget();
	CHECK(open(OPENED, O_RDONLY) < 0, "open");
	drain(&c, see);
	CHECK(!mine[ENTRY] && !mine[RETURN], "fires after DISARM");
	close_client(&c);
}

/* Two taps of one probe on one function fire twice; so does a session of its own. */
static void shared(void)
{
	struct client other;

	begin(INSNS(nothing), 0, 1 << 20);
	arm_both("__x64_sys_getpriority");
	other = c;
	begin(INSNS(nothing), 0, 1 << 20);
	arm_both("__x64_sys_getpriority");
	go(&other);
	go(&c);
	for (uint32_t n = 0; n < CALLS; n++)
		getpriority(PRIO_PROCESS, 0);
	forget();
	drain(&other, see);
	CHECK(mine[ENTRY] == CALLS && mine[RETURN] == CALLS,
	      "the first session: %lu, %lu", mine[ENTRY], mine[RETURN]);
	close_client(&other);
	getpriority(PRIO_PROCESS, 0);
	forget();
	drain(&c, see);
	CHECK(mine[ENTRY] == CALLS + 1 && mine[RETURN] == CALLS + 1,
	      "the second session: %lu, %lu", mine[ENTRY], mine[RETURN]);
	close_client(&c);
}

static void see_futex(const struct sonde_record *record)
{
	if (record->probe == ENTRY && (int)record->slot[1] == FUTEX_CMP_REQUEUE)
		CHECK((uint32_t)record->slot[6] == 0xabcdef,
		      "the seventh argument: %lx", record->slot[6]);
}

/* The seventh argument is on the stack. */
static void many_arguments(void)
{
	static uint32_t words[2];
	long result;

	begin(INSNS(everything), SLOTS, 1 << 20);
	see_mine = see_futex;
	arm_both("do_futex");
	go(&c);
	result = syscall(SYS_futex, &words[0], FUTEX_CMP_REQUEUE, 1, 1,
			 &words[1], 0xabcdef);
	CHECK(result == -1 && errno == EAGAIN, "futex %ld", result);
	forget();
	drain(&c, see);
	CHECK(mine[ENTRY] == 1 && mine[RETURN] == 1, "%lu, %lu calls",
	      mine[ENTRY], mine[RETURN]);
	close_client(&c);
}

/* Wakes, sleeps, files, memory, timers, processes. */
static void load(void)
{
	int there[2], back[2];
	char byte = 0;
	pid_t pid;

	if (pipe(there) || pipe(back))
		exit(2);
	pid = fork();
	if (!pid) {
		for (int n = 0; n < 30; n++)
			if (read(there[0], &byte, 1) != 1 ||
			    write(back[1], &byte, 1) != 1)
				_exit(1);
		_exit(0);
	}
	for (int n = 0; n < 30; n++) {
		if (write(there[1], &byte, 1) != 1 ||
		    read(back[0], &byte, 1) != 1)
			break;
		close(open("/proc/self/stat", O_RDONLY));
		munmap(mmap(NULL, 65536, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0),
		       65536);
	}
	usleep(20000);
	waitpid(pid, NULL, 0);
	for (int n = 0; n < 2; n++) {
		close(there[n]);
		close(back[n]);
	}
}

static double since(uint64_t begun)
{
	return (now() - begun) / 1e6;
}

/* Many functions: armed at once, all over the kernel, while it works. */
static void a_thousand(void)
{
	uint64_t addresses[BATCH], begun;
	uint32_t count = 0, traced = 0, n;
	double armed, gone, one;

	for (n = 0; n < symbol_count; n++)
		traced += symbols[n].traced;
	for (n = 0; n < symbol_count && count < BATCH; n++)
		if (symbols[n].traced && n % (traced / BATCH) == 0)
			addresses[count++] = symbols[n].at;
	begin(INSNS(nothing), 0, 1 << 22);
	begun = now();
	GRANTED(&c, arm_all(SONDE_TAP_KERNEL_ENTRY, addresses, count));
	armed = since(begun);
	GRANTED(&c, arm_all(SONDE_TAP_KERNEL_RETURN, addresses, count));
	go(&c);
	load();
	begun = now();
	close_client(&c);
	gone = since(begun);
	begin(INSNS(nothing), 0, 1 << 16);
	begun = now();
	GRANTED(&c, arm_all(SONDE_TAP_KERNEL_ENTRY, addresses, 1));
	one = since(begun);
	close_client(&c);
	printf("functions: one armed in %.0f ms, %u in %.0f ms, let go in %.0f ms\n",
	       one, count, armed, gone);
}

/* As in a script that measures times; the variables of threads are only there for returns. */
static const struct sonde_dif_insn timing[] = {
	INSN(VAR, 0, 0, 0, SONDE_DIF_VAR_TIMESTAMP),
	INSN(CAPW, 0, 0, 0, 0),
	INSN(CAPKSTACK, 1, 0, 0, 8),
	{ .op = SONDE_DIF_RECORD },
};
static const struct sonde_dif_insn remembering[] = {
	INSN(VAR, 1, 0, 0, SONDE_DIF_VAR_TIMESTAMP),
	INSN(LDT, 0, 0, 0, 0), INSN(CAPW, 0, 0, 0, 0),
	INSN(STT, 0, 1, 0, 0), INSN(CAPKSTACK, 1, 0, 0, 8),
	{ .op = SONDE_DIF_RECORD },
};
static const uint8_t deep_kinds[] = { SONDE_SLOT_WORD,
				      SONDE_SLOT_KERNEL_STACK };

/*
 * Functions that the module's own firings call, that run under the locks of the
 * scheduler, the allocator or the clock, in interrupts, or that do not return.
 * Not each kernel has all of them.
 */
static const char *const deep[][8] = {
	{ "_raw_spin_lock", "_raw_spin_lock_irqsave",
	  "_raw_spin_unlock_irqrestore", "ktime_get", "ktime_get_mono_fast_ns",
	  "irq_work_queue", "irq_work_run" },
	{ "copy_from_user_nofault", "copy_from_kernel_nofault",
	  "stack_trace_save_regs", "unwind_next_frame", "rethook_hook",
	  "rethook_try_get", "handle_mm_fault", "find_vma" },
	{ "kfree", "__kmalloc", "__kmalloc_noprof", "kmem_cache_alloc",
	  "kmem_cache_alloc_noprof", "___slab_alloc", "get_partial_node" },
	{ "__rcu_read_lock", "__rcu_read_unlock", "call_rcu",
	  "rcu_note_context_switch", "rcu_core", "note_gp_changes" },
	{ "schedule", "finish_task_switch.isra.0", "update_curr",
	  "try_to_wake_up", "ttwu_do_activate", "__switch_to",
	  "update_load_avg", "pick_next_task_fair" },
	{ "tick_sched_timer", "tick_nohz_handler", "hrtimer_interrupt",
	  "irq_enter_rcu", "irq_exit_rcu", "update_vsyscall",
	  "timekeeping_update", "do_exit" },
};

static uint32_t arm_deep(const char *const *names)
{
	uint64_t addresses[LENGTH(deep[0])];
	uint32_t count = 0, returning = 0;

	for (uint32_t n = 0; n < LENGTH(deep[0]) && names[n]; n++) {
		const struct symbol *symbol = find(names[n]);

		if (symbol && symbol->traced)
			addresses[count++] = symbol->at;
	}
	GRANTED(&c, arm_all(SONDE_TAP_KERNEL_ENTRY, addresses, count));
	for (uint32_t n = 0; n < count; n++)
		if (addresses[n] != at("__switch_to"))
			addresses[returning++] = addresses[n];
	GRANTED(&c, arm_all(SONDE_TAP_KERNEL_RETURN, addresses, returning));
	return count;
}

static void anywhere(void)
{
	for (uint32_t n = 0; n < LENGTH(deep); n++) {
		uint32_t count;

		GRANTED(&c, open_session(&c, 1 << 21));
		GRANTED(&c, load_kinds(&c, ENTRY, INSNS(timing), 2,
				       deep_kinds));
		GRANTED(&c, load_kinds(&c, RETURN, INSNS(remembering), 2,
				       deep_kinds));
		for (uint32_t id = ENTRY; id < PROBES; id++)
			GRANTED(&c, add_ecb(&c, (struct sonde_ecb){ id, id, id,
								    0 }));
		count = arm_deep(deep[n]);
		go(&c);
		load();
		forget();
		drain(&c, see);
		CHECK(count > 2 && seen[ENTRY] > 50 && seen[RETURN] > 10,
		      "%u functions from %s on: %lu entries, %lu returns",
		      count, deep[n][0], seen[ENTRY], seen[RETURN]);
		close_client(&c);
	}
}

/* What is still running when the session ends returns all the same. */
static int sleeper_gate[2];

static int sleep_in_pipe(void)
{
	char byte;

	return read(sleeper_gate[0], &byte, 1) == 1 ? 7 : 1;
}

static struct child children[32];
static uint32_t child_count;
static uint64_t sleepers; /* records of theirs */

static void see_sleeper(const struct sonde_record *record)
{
	for (uint32_t n = 0; n < child_count; n++)
		sleepers += record->pid == (uint32_t)children[n].pid;
}

static void asleep(bool until_closed, uint32_t count)
{
	if (pipe(sleeper_gate))
		exit(2);
	sleepers = 0;
	child_count = count;
	begin(INSNS(nothing), 0, 1 << 20);
	arm_both(find("pipe_read") ? "pipe_read" : "anon_pipe_read");
	go(&c);
	for (uint32_t n = 0; n < count; n++) {
		children[n] = start_child(&c, sleep_in_pipe);
		open_gate(&children[n]);
	}
	/* each reads its gate, and then sleeps in the pipe */
	CHECK(SOON((drain(&c, see_sleeper), sleepers >= 3 * count)),
	      "%lu records of %u sleepers", sleepers, count);
	if (until_closed)
		close_client(&c);
	for (uint32_t n = 0; n < count; n++)
		CHECK(write(sleeper_gate[1], "x", 1) == 1, "write");
	for (uint32_t n = 0; n < count; n++)
		CHECK_EXIT(&children[n], 7);
	if (!until_closed) {
		sleepers = 0;
		drain(&c, see_sleeper);
		CHECK(sleepers == count, "%lu of %u return", sleepers, count);
		close_client(&c);
	}
	close(sleeper_gate[0]);
	close(sleeper_gate[1]);
}

/* Calls beyond the number of nodes are counted. */
static void set_returns(const char *most)
{
	int fd = open("/sys/module/sonde/parameters/returns_most", O_WRONLY);

	CHECK(write(fd, most, strlen(most)) == (ssize_t)strlen(most),
	      "returns_most");
	close(fd);
}

static void *read_gate(void *unused)
{
	char byte;

	(void)unused;
	return read(sleeper_gate[0], &byte, 1) == 1 ? NULL : &sleepers;
}

static void too_many(void)
{
	enum { MOST = 8, THREADS = 20 };
	pthread_t threads[THREADS];
	void *failed;

	if (pipe(sleeper_gate))
		exit(2);
	begin(INSNS(nothing), 0, 1 << 20);
	forget();
	set_returns("8");
	arm_both(find("pipe_read") ? "pipe_read" : "anon_pipe_read");
	set_returns("8192");
	go(&c);
	for (int n = 0; n < THREADS; n++)
		if (pthread_create(&threads[n], NULL, read_gate, NULL))
			exit(2);
	CHECK(SOON((drain(&c, see), mine[ENTRY] == THREADS)), "%lu enter",
	      mine[ENTRY]);
	for (int n = 0; n < THREADS; n++)
		CHECK(write(sleeper_gate[1], "x", 1) == 1, "write");
	for (int n = 0; n < THREADS; n++)
		CHECK(!pthread_join(threads[n], &failed) && !failed, "read");
	drain(&c, see);
	CHECK(mine[RETURN] == MOST && all_drops(&c) == THREADS - MOST,
	      "%lu return, %lu drops", mine[RETURN], all_drops(&c));
	close_client(&c);
	close(sleeper_gate[0]);
	close(sleeper_gate[1]);
}

/* More threads than the stock of their variables has: each gets them, and no firing allocates. */
static void *call_often(void *unused)
{
	(void)unused;
	/* gives the work that fills the stock up again its time */
	for (int n = 0; n < 2; n++) {
		getpriority(PRIO_PROCESS, 0);
		usleep(1000);
	}
	return NULL;
}

static uint64_t unknown; /* calls of threads that had no variable yet */

static void see_variable(const struct sonde_record *record)
{
	unknown += !record->slot[0];
}

/* @function: each thread calls it @calls times */
static void variables(const char *function, uint64_t calls)
{
	enum { THREADS = 400 };
	uint64_t address = at(function), stock, none;
	pthread_t thread;

	none = allocated("variables");
	GRANTED(&c, open_session(&c, 1 << 20));
	GRANTED(&c, load_kinds(&c, ENTRY, INSNS(remembering), 2, deep_kinds));
	GRANTED(&c, add_ecb(&c, (struct sonde_ecb){ ENTRY, ENTRY, ENTRY, 0 }));
	CHECK(allocated("variables") == none, "a stock that nothing needs");
	GRANTED(&c, arm_all(SONDE_TAP_KERNEL_ENTRY, &address, 1));
	stock = allocated("variables");
	CHECK(stock > none, "no stock");
	go(&c);
	forget();
	unknown = 0;
	see_mine = see_variable;
	for (int n = 0; n < THREADS; n++)
		if (pthread_create(&thread, NULL, call_often, NULL) ||
		    pthread_join(thread, NULL))
			exit(2);
	/* of the last ones, joined is not ended */
	CHECK(SOON((drain(&c, see), mine[ENTRY] == calls * THREADS)) &&
		      unknown == THREADS && !all_drops(&c),
	      "%s: %lu calls, %lu without a variable, %lu drops", function,
	      mine[ENTRY], unknown, all_drops(&c));
	close_client(&c);
	CHECK(SOON(allocated("variables") == none), "variables are left");
}

/*
 * What the firing of another tap calls: nothing in its own session, not even a
 * drop; calls like any others for another session.
 */
static void called_by_firings(void)
{
	static const struct sonde_dif_insn reading[] = {
		INSN(VAR, 0, 0, 0, SONDE_DIF_VAR_CURTHREAD),
		INSN(LDK, 0, 0, 0, 8), INSN(CAPW, 0, 0, 0, 0),
		{ .op = SONDE_DIF_RECORD },
	};
	const uint64_t address = at("copy_from_kernel_nofault");
	struct sonde_tap call = { .id = RETURN, .probe = RETURN,
				  .kind = SONDE_TAP_SYSCALL_ENTRY,
				  .number = SYS_getppid };
	struct client other;

	begin(INSNS(nothing), 0, 1 << 20);
	GRANTED(&c, arm_all(SONDE_TAP_KERNEL_ENTRY, &address, 1));
	go(&c);
	other = c;
	GRANTED(&c, open_session(&c, 1 << 20));
	GRANTED(&c, load_words(&c, ENTRY, INSNS(nothing), 0));
	GRANTED(&c, load_words(&c, RETURN, INSNS(reading), 1));
	for (uint32_t id = ENTRY; id < PROBES; id++)
		GRANTED(&c, add_ecb(&c, (struct sonde_ecb){ id, id, id, 0 }));
	GRANTED(&c, arm_all(SONDE_TAP_KERNEL_ENTRY, &address, 1));
	GRANTED(&c, arm_tap(&c, call, NULL));
	go(&c);
	/* ftrace calls it, too, when it changes the text */
	drain(&other, NULL);
	drain(&c, NULL);
	for (uint32_t n = 0; n < CALLS; n++)
		syscall(SYS_getppid);
	forget();
	drain(&other, see);
	CHECK(mine[ENTRY] == CALLS, "another session: %lu", mine[ENTRY]);
	forget();
	drain(&c, see);
	CHECK(mine[RETURN] == CALLS && !mine[ENTRY] && !all_drops(&c),
	      "%lu calls, %lu of the firings, %lu drops", mine[RETURN],
	      mine[ENTRY], all_drops(&c));
	close_client(&other);
	close_client(&c);
}

static void hostile(void)
{
	const uint64_t openat = at("do_sys_openat2");
	const uint64_t bad[] = {
		0, 1, 4096, (uintptr_t)&openat, (uintptr_t)hostile, data_at,
		openat + 1, openat + 9, own_at, -1ull, -4096ull,
		0xffff800000000000ull, 0x7ffffffff000ull, 1ull << 63,
	};
	uint64_t switch_to = at("__switch_to");

	begin(INSNS(nothing), 0, 1 << 16);
	for (uint32_t n = 0; n < LENGTH(bad); n++)
		for (uint32_t kind = SONDE_TAP_KERNEL_ENTRY;
		     kind <= SONDE_TAP_KERNEL_RETURN; kind++) {
			const uint64_t two[] = { openat, bad[n] };
			int err = arm_all(kind, two, 2);

			CHECK(err == -EINVAL &&
				      strstr(c.last.reply.why, " of f at "),
			      "%lx: %d %s", bad[n], err, c.last.reply.why);
		}
	CHECK(arm_all(SONDE_TAP_KERNEL_RETURN, &switch_to, 1) == -EINVAL,
	      "the return of __switch_to");
	go(&c);
	CHECK(open(OPENED, O_RDONLY) < 0, "open");
	CHECK(!drain(&c, NULL), "a tap of a refused request fires");
	arm_both("do_sys_openat2");
	forget();
	CHECK(open(OPENED, O_RDONLY) < 0, "open");
	drain(&c, see);
	CHECK(mine[ENTRY] == 1 && mine[RETURN] == 1, "after refusals");
	close_client(&c);
}

static void not_root(void)
{
	const uint64_t address = at("do_sys_openat2");
	int err;

	drop_root();
	begin(INSNS(nothing), 0, 1 << 16);
	for (uint32_t kind = SONDE_TAP_KERNEL_ENTRY;
	     kind <= SONDE_TAP_KERNEL_RETURN; kind++) {
		err = arm_all(kind, &address, 1);
		CHECK(err == -EPERM, "%d %s", err, c.last.reply.why);
	}
	close_client(&c);
}

int main(void)
{
	uint64_t before = allocated("taps");

	read_symbols();
	read_traced();
	counted();
	shared();
	many_arguments();
	asleep(false, 1);
	asleep(true, 8);
	too_many();
	variables("__x64_sys_getpriority", 2);
	variables("exit_files", 1); /* behind sched_process_exit */
	called_by_firings();
	hostile();
	a_thousand();
	anywhere();
	CHECK(chmod("/dev/sonde", 0666) == 0, "chmod");
	run_apart(not_root);
	CHECK(SOON(allocated("taps") == before), "taps are left");
	return verdict("functions");
}
