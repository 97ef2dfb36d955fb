// SPDX-License-Identifier: GPL-2.0
/* The kernel side of the API test: see utrace_test.h. */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/random.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <asm/syscall.h>

#include "finder.h"
#include "utrace.h"
#include "utrace_test.h"

#define LOG_SIZE 512
#define PLACES 8

/* An engine that stays until its place is needed; most stay until their thread dies. */
struct place {
	struct task_struct *task;
	struct utrace_engine *engine;
};

struct test_engine {
	refcount_t ref;
	spinlock_t lock;	/* log, responses */
	struct task_struct *task;
	struct pid *pid;
	bool by_pid;
	struct utrace_engine *engine;
	struct utrace_engine *child;
	struct sonde_finder *finder;
	struct task_struct *child_task;
	struct utrace_test_response responses[UTRACE_TEST_EVENTS];
	struct completion go_on;
	struct utrace_examiner exam;
	u32 linger;
	bool random;		/* callbacks give random answers */
	struct place places[PLACES];
	unsigned int logged, read;
	struct utrace_test_entry log[LOG_SIZE];
};

static void test_put(struct test_engine *t)
{
	if (refcount_dec_and_test(&t->ref))
		kvfree(t);
}

static void note_entry(struct test_engine *t,
		       const struct utrace_test_entry *entry)
{
	unsigned long irq;

	spin_lock_irqsave(&t->lock, irq);
	if (t->logged < LOG_SIZE)
		t->log[t->logged++] = *entry;
	spin_unlock_irqrestore(&t->lock, irq);
}

static void note(struct test_engine *t, u32 event, u32 action, s64 a, s64 b,
		 s64 c)
{
	note_entry(t, &(struct utrace_test_entry){
		.event = event, .action = action,
		.tid = task_pid_nr(current), .a = a, .b = b, .c = c,
	});
}

/*
 * Mostly the @usual action, otherwise any; sometimes with a change of the
 * signal or the call.
 */
static struct utrace_test_response any_response(u32 event, u32 usual)
{
	u32 random = get_random_u32(), value = usual;

	if (random % 4)
		return (struct utrace_test_response){ .value = usual };
	random >>= 2;
	value = random % (UTRACE_DETACH + 1);
	random >>= 8;
	if (event == _UTRACE_EVENT_SYSCALL_ENTRY && random % 4 == 0)
		value |= UTRACE_SYSCALL_ABORT;
	if (event == _UTRACE_EVENT_SIGNAL && random % 4 == 0)
		value |= (random >> 2) % 6 << 4 |
			 (random % 16 ? 0 : UTRACE_SIGNAL_HOLD);
	else
		value |= usual & ~UTRACE_RESUME_MASK;
	return (struct utrace_test_response){ .value = value };
}

/* The response to @event; counts down its number of times. */
static struct utrace_test_response respond(struct test_engine *t, u32 event,
					   u32 usual)
{
	struct utrace_test_response r, *slot = &t->responses[event];
	unsigned long irq;

	if (READ_ONCE(t->random))
		return any_response(event, usual);
	spin_lock_irqsave(&t->lock, irq);
	r = *slot;
	if (r.times == U32_MAX) {
		r = (struct utrace_test_response){ .value = usual };
	} else if (r.times && !--slot->times) {
		slot->times = U32_MAX;
	}
	spin_unlock_irqrestore(&t->lock, irq);
	if (r.op == UTRACE_TEST_SLEEP)
		msleep(r.argument);
	if (r.op == UTRACE_TEST_WAIT) {
		note(t, UTRACE_TEST_WAITING, 0, event, 0, 0);
		wait_for_completion(&t->go_on);
	}
	return r;
}

static u32 on_quiesce(u32 action, struct utrace_engine *engine,
		      unsigned long event)
{
	struct test_engine *t = engine->data;
	struct utrace_test_response r;

	if (event) {
		if (event != UTRACE_EVENT(CLONE) &&
		    event != UTRACE_EVENT(SYSCALL_ENTRY))
			return UTRACE_RESUME;
		note(t, _UTRACE_EVENT_QUIESCE, action, event, 0, 0);
		r = respond(t, _UTRACE_EVENT_QUIESCE, UTRACE_RESUME);
		if (r.op == UTRACE_TEST_WANT_EVENTS &&
		    utrace_set_events(current, engine, r.argument))
			note(t, _UTRACE_EVENT_QUIESCE, ~0, 0, 0, 0);
		return r.value;
	}
	note(t, UTRACE_TEST_NO_EVENT, action, 0, 0, 0);
	return respond(t, UTRACE_TEST_NO_EVENT, UTRACE_RESUME).value;
}

static u32 signal_index(int signr, u32 action)
{
	switch (utrace_signal_action(action)) {
	case UTRACE_SIGNAL_REPORT: return UTRACE_TEST_REQUEST;
	case UTRACE_SIGNAL_HANDLER: return UTRACE_TEST_HANDLER;
	default: return _UTRACE_EVENT_SIGNAL;
	}
}

static u32 on_signal(u32 action, struct utrace_engine *engine,
		     struct pt_regs *regs, kernel_siginfo_t *info,
		     const struct k_sigaction *orig_ka,
		     struct k_sigaction *return_ka)
{
	struct test_engine *t = engine->data;
	u32 index = signal_index(info->si_signo, action);
	struct utrace_test_response r;

	note(t, index, action, info->si_signo, info->si_code, regs->ip);
	r = respond(t, index, UTRACE_RESUME | (action & UTRACE_SIGNAL_MASK));
	switch (r.op) {
	case UTRACE_TEST_SET_SIGNR:
		info->si_signo = r.argument;
		break;
	case UTRACE_TEST_SET_HANDLER:
		return_ka->sa.sa_handler = (__sighandler_t)r.argument;
		break;
	case UTRACE_TEST_MAKE_SIGNAL:
		clear_siginfo(info);
		info->si_signo = r.argument;
		info->si_code = SI_KERNEL;
		*return_ka = current->sighand->action[r.argument - 1];
		break;
	default:
		break;
	}
	return r.value;
}

static const struct utrace_engine_ops child_ops = { };

static void hold_child(struct test_engine *t, struct task_struct *child)
{
	struct utrace_engine *engine;
	int err;

	engine = utrace_attach_task(child, UTRACE_ATTACH_CREATE, &child_ops,
				    NULL);
	if (IS_ERR(engine) || t->child)
		return;
	t->child = engine;
	t->child_task = get_task_struct(child);
	err = utrace_control(child, engine, UTRACE_STOP);
	note(t, _UTRACE_EVENT_CLONE, ~0, err, 0, 0);
}

static u32 on_clone(u32 action, struct utrace_engine *engine,
		    unsigned long clone_flags, struct task_struct *child)
{
	struct test_engine *t = engine->data;
	struct utrace_test_response r;

	note(t, _UTRACE_EVENT_CLONE, action, task_pid_nr(child), clone_flags,
	     0);
	r = respond(t, _UTRACE_EVENT_CLONE, UTRACE_RESUME);
	if (r.op == UTRACE_TEST_HOLD_CHILD)
		hold_child(t, child);
	return r.value;
}

static u32 on_jctl(u32 action, struct utrace_engine *engine, int type,
		   int notify)
{
	struct test_engine *t = engine->data;

	note(t, _UTRACE_EVENT_JCTL, action, type, notify, 0);
	return respond(t, _UTRACE_EVENT_JCTL, UTRACE_RESUME).value;
}

static u32 on_exec(u32 action, struct utrace_engine *engine,
		   const struct linux_binfmt *fmt,
		   const struct linux_binprm *bprm, struct pt_regs *regs)
{
	struct test_engine *t = engine->data;

	note(t, _UTRACE_EVENT_EXEC, action, fmt && bprm && bprm->filename,
	     regs->ip, 0);
	return respond(t, _UTRACE_EVENT_EXEC, UTRACE_RESUME).value;
}

static u32 on_entry(u32 action, struct utrace_engine *engine,
		    struct pt_regs *regs)
{
	struct test_engine *t = engine->data;
	struct utrace_test_response r;

	note(t, _UTRACE_EVENT_SYSCALL_ENTRY, action, regs->orig_ax, regs->di,
	     0);
	/* Responses are for getppid only, so that other calls work. */
	if (regs->orig_ax != __NR_getppid)
		return UTRACE_RESUME;
	r = respond(t, _UTRACE_EVENT_SYSCALL_ENTRY, UTRACE_RESUME);
	switch (r.op) {
	case UTRACE_TEST_SET_AX:
		regs->ax = r.argument;
		break;
	case UTRACE_TEST_SET_NR:
		regs->orig_ax = r.argument;
		break;
	case UTRACE_TEST_SET_ARGUMENT:
		regs->di = r.argument;
		break;
	default:
		break;
	}
	return r.value;
}

static u32 on_exit_call(u32 action, struct utrace_engine *engine,
			struct pt_regs *regs)
{
	struct test_engine *t = engine->data;
	struct utrace_test_response r;

	note(t, _UTRACE_EVENT_SYSCALL_EXIT, action, regs->orig_ax, regs->ax,
	     0);
	if (regs->orig_ax != __NR_geteuid)
		return UTRACE_RESUME;
	r = respond(t, _UTRACE_EVENT_SYSCALL_EXIT, UTRACE_RESUME);
	if (r.op == UTRACE_TEST_SET_AX) {
		regs->ax = r.argument;
	} else if (r.op == UTRACE_TEST_ROLLBACK) {
		syscall_rollback(current, regs);
		regs->ip -= 2;	/* the syscall instruction */
	}
	return r.value;
}

static u32 on_exit(u32 action, struct utrace_engine *engine, long orig_code,
		   long *code)
{
	struct test_engine *t = engine->data;
	struct utrace_test_response r;

	note(t, _UTRACE_EVENT_EXIT, action, orig_code, *code, !!current->mm);
	r = respond(t, _UTRACE_EVENT_EXIT, UTRACE_RESUME);
	if (r.op == UTRACE_TEST_SET_CODE)
		*code = r.argument;
	return r.value;
}

static u32 on_death(struct utrace_engine *engine, bool group_dead, int signal)
{
	struct test_engine *t = engine->data;
	struct utrace_test_response r;

	r = respond(t, _UTRACE_EVENT_DEATH, UTRACE_RESUME);
	note(t, _UTRACE_EVENT_DEATH, 0, group_dead, signal, 0);
	return r.value;
}

static void on_reap(struct utrace_engine *engine, struct task_struct *task)
{
	struct test_engine *t = engine->data;

	note(t, _UTRACE_EVENT_REAP, 0, task_pid_nr(task), 0, 0);
	respond(t, _UTRACE_EVENT_REAP, 0);
}

static void on_release(void *data)
{
	struct test_engine *t = data;

	note(t, UTRACE_TEST_RELEASE, 0, 0, 0, 0);
	test_put(t);
}

#define CALLBACKS \
	.report_signal = on_signal, .report_clone = on_clone, \
	.report_jctl = on_jctl, .report_exec = on_exec, \
	.report_syscall_entry = on_entry, \
	.report_syscall_exit = on_exit_call, .report_exit = on_exit, \
	.report_death = on_death, .report_reap = on_reap, \
	.release = on_release

static const struct utrace_engine_ops test_ops = {
	.report_quiesce = on_quiesce, CALLBACKS
};

/* Without report_quiesce, requests are reported by report_signal. */
static const struct utrace_engine_ops request_ops = { CALLBACKS };

/* Without report_signal, signals are not reported. */
static const struct utrace_engine_ops quiesce_ops = {
	.report_quiesce = on_quiesce, .release = on_release,
};

#define REQUEST_FLAG 0x80000000u
#define QUIESCE_FLAG 0x40000000u

static const struct utrace_engine_ops *ops_of(u32 flags)
{
	if (flags & REQUEST_FLAG)
		return &request_ops;
	return flags & QUIESCE_FLAG ? &quiesce_ops : &test_ops;
}

static int find_task(struct test_engine *t, int nr)
{
	struct pid *pid = find_get_pid(nr);
	struct task_struct *task = get_pid_task(pid, PIDTYPE_PID);

	if (!task) {
		put_pid(pid);
		return -ESRCH;
	}
	t->pid = pid;
	t->task = task;
	return 0;
}

static int test_attach(struct test_engine *t,
		       const struct utrace_test_attach *a)
{
	const struct utrace_engine_ops *ops;
	struct utrace_engine *engine;
	int err;

	if (t->engine)
		return -EBUSY;
	if (!t->task) {
		err = find_task(t, a->pid);
		if (err)
			return err;
	}
	ops = ops_of(a->flags);
	refcount_inc(&t->ref);
	if (a->by_pid)
		engine = utrace_attach_pid(t->pid, a->flags & 0xff, ops, t);
	else
		engine = utrace_attach_task(t->task, a->flags & 0xff, ops, t);
	if (IS_ERR(engine)) {
		test_put(t);
		return PTR_ERR(engine);
	}
	t->engine = engine;
	return 0;
}

/* 1 if the look-up found the file's own engine, 2 if another one. */
static int test_lookup(struct test_engine *t,
		       const struct utrace_test_attach *a)
{
	struct utrace_engine *engine;
	int found;

	engine = utrace_attach_task(t->task, a->flags, &test_ops, t);
	if (IS_ERR(engine))
		return PTR_ERR(engine);
	found = engine == t->engine ? 1 : 2;
	utrace_engine_put(engine);
	return found;
}

static int test_control(struct test_engine *t, u32 action)
{
	if (action & 0x100)	/* the child kept by HOLD_CHILD */
		return t->child ? utrace_control(t->child_task, t->child,
						 action & 0xff) : -ENOENT;
	if (t->by_pid)
		return utrace_control_pid(t->pid, t->engine, action);
	return utrace_control(t->task, t->engine, action);
}

/* A random act on a thread, with an engine that exists only for it. */
static int torture(struct test_engine *t, int nr)
{
	static const unsigned long all = (1UL << _UTRACE_NEVENTS) - 1;
	struct pid *pid = find_get_pid(nr);
	struct task_struct *task = get_pid_task(pid, PIDTYPE_PID);
	struct utrace_engine *engine;
	int err = -ESRCH, i;

	if (!task)
		goto out_pid;
	refcount_inc(&t->ref);
	engine = utrace_attach_task(task, UTRACE_ATTACH_CREATE, &test_ops, t);
	if (IS_ERR(engine)) {
		err = PTR_ERR(engine);
		test_put(t);
		goto out_task;
	}
	err = utrace_set_events(task, engine, get_random_u32() & all);
	for (i = 0; i < 4; i++) {
		err = utrace_control(task, engine, get_random_u32() % 6);
		usleep_range(100, 100 + get_random_u32() % 3000);
	}
	err = utrace_control(task, engine, UTRACE_DETACH);
	while (err == -EALREADY || utrace_barrier(task, engine) == 0) {
		err = utrace_control(task, engine, UTRACE_DETACH);
		if (fatal_signal_pending(current))
			break;
		usleep_range(100, 200);
	}
	utrace_engine_put(engine);
	err = 0;
out_task:
	put_task_struct(task);
out_pid:
	put_pid(pid);
	return err;
}

static void let_go(struct task_struct *task, struct utrace_engine *engine)
{
	int err = utrace_control(task, engine, UTRACE_DETACH);

	while (err == -EALREADY) {
		usleep_range(20, 60);
		err = utrace_control(task, engine, UTRACE_DETACH);
	}
	while (utrace_barrier(task, engine) != -ESRCH)
		usleep_range(20, 60);
	utrace_engine_put(engine);
}

static void leave(struct place *place)
{
	if (!place->engine)
		return;
	let_go(place->task, place->engine);
	put_task_struct(place->task);
	*place = (struct place){ };
}

/* The errors that a call may return for a thread that runs, dies and is reaped meanwhile. */
static void expect(int err)
{
	WARN_ON_ONCE(err && err != -EINPROGRESS && err != -EALREADY &&
		     err != -ESRCH);
}

/* Attaches a random engine to a thread, in the place of an earlier one. */
static int stay(struct test_engine *t, int nr)
{
	static const unsigned long all = (1UL << _UTRACE_NEVENTS) - 1;
	struct place *place = &t->places[get_random_u32() % PLACES];
	struct pid *pid = find_get_pid(nr);
	struct task_struct *task = get_pid_task(pid, PIDTYPE_PID);
	struct utrace_engine *engine;
	unsigned long events = get_random_u32() & all;
	int turns;

	put_pid(pid);
	if (!task)
		return -ESRCH;
	leave(place);
	WRITE_ONCE(t->random, true);
	refcount_inc(&t->ref);
	engine = utrace_attach_task(task, UTRACE_ATTACH_CREATE, &test_ops, t);
	if (IS_ERR(engine)) {
		put_task_struct(task);
		test_put(t);
		return PTR_ERR(engine);
	}
	*place = (struct place){ task, engine };
	expect(utrace_set_events(task, engine, events));
	for (turns = get_random_u32() % 3; turns; turns--)
		expect(utrace_control(task, engine,
				      get_random_u32() % UTRACE_DETACH));
	if (get_random_u32() % 4 == 0)
		expect(utrace_set_events(task, engine,
					 get_random_u32() & all));
	return 0;
}

static int test_respond(struct test_engine *t,
			const struct utrace_test_response *r)
{
	if (r->event >= UTRACE_TEST_EVENTS)
		return -EINVAL;
	spin_lock_irq(&t->lock);
	t->responses[r->event] = *r;
	spin_unlock_irq(&t->lock);
	return 0;
}

static void on_found(void *data, struct task_struct *task, bool process)
{
	note(data, UTRACE_TEST_FOUND, 0, task_pid_nr(task), process, 0);
}

static void on_gone(void *data, struct task_struct *task, unsigned int what)
{
	note(data, UTRACE_TEST_GONE, 0, task_pid_nr(task),
	     what & SONDE_GONE_PROCESS, 0);
}

static void on_mapped(void *data, struct task_struct *task,
		      const struct sonde_finder_map *map)
{
	struct utrace_test_entry entry = {
		.event = UTRACE_TEST_MAPPED,
		.tid = task_pid_nr(current),
		.a = map->address,
		.b = map->length,
		.c = map->flags & (VM_READ | VM_WRITE | VM_EXEC),
		.offset = map->offset,
	};
	size_t length = map->path ? strlen(map->path) : 0;

	if (length)
		strscpy(entry.path, map->path + length -
			min(length, sizeof(entry.path) - 1),
			sizeof(entry.path));
	note_entry(data, &entry);
}

static void on_unmapped(void *data, struct task_struct *task,
			unsigned long address, unsigned long length)
{
	note(data, UTRACE_TEST_UNMAPPED, 0, address, length, 0);
}

static void on_protected(void *data, struct task_struct *task,
			 unsigned long address, unsigned long length,
			 unsigned long protection)
{
	note(data, UTRACE_TEST_PROTECTED, 0, address, length, protection);
}

static const struct sonde_finder_ops finder_ops = {
	.found = on_found,
	.gone = on_gone,
	.mapped = on_mapped,
	.unmapped = on_unmapped,
	.protected = on_protected,
};

static const struct sonde_finder_ops plain_ops = {
	.found = on_found,
	.gone = on_gone,
};

static int test_find(struct test_engine *t, const struct utrace_test_find *f)
{
	struct sonde_finder_target target = { .pid = f->pid };
	struct sonde_finder *finder;

	if (t->finder)
		return -EBUSY;
	if (f->path[0])
		target.path = f->path;
	finder = sonde_finder_start(&target, f->no_calls ? &plain_ops :
				    &finder_ops, t);
	if (IS_ERR(finder))
		return PTR_ERR(finder);
	t->finder = finder;
	return 0;
}

static long test_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct test_engine *t = file->private_data;
	union {
		struct utrace_test_attach attach;
		struct utrace_test_response response;
		struct utrace_test_find find;
		u64 events;
		u32 number;
	} in = { };

	if (_IOC_SIZE(cmd) > sizeof(in))
		return -EINVAL;
	if (_IOC_SIZE(cmd) &&
	    copy_from_user(&in, (void __user *)arg, _IOC_SIZE(cmd)))
		return -EFAULT;
	if (cmd == UTRACE_TEST_ATTACH)
		return test_attach(t, &in.attach);
	if (cmd == UTRACE_TEST_RESPOND)
		return test_respond(t, &in.response);
	if (cmd == UTRACE_TEST_TORTURE)
		return torture(t, in.number);
	if (cmd == UTRACE_TEST_STAY)
		return stay(t, in.number);
	if (cmd == UTRACE_TEST_FIND) {
		in.find.path[sizeof(in.find.path) - 1] = 0;
		return test_find(t, &in.find);
	}
	if (cmd == UTRACE_TEST_LINGER) {
		t->linger = in.number;
		return 0;
	}
	if (cmd == UTRACE_TEST_USAGE)
		return t->task ? refcount_read(&t->task->usage) : -ESRCH;
	if (!t->engine)
		return -EBADFD;
	switch (cmd) {
	case UTRACE_TEST_LOOKUP:
		return test_lookup(t, &in.attach);
	case UTRACE_TEST_BY_PID:
		t->by_pid = in.number;
		return 0;
	case UTRACE_TEST_SET_EVENTS:
		return t->by_pid ?
			utrace_set_events_pid(t->pid, t->engine, in.events) :
			utrace_set_events(t->task, t->engine, in.events);
	case UTRACE_TEST_CONTROL:
		return test_control(t, in.number);
	case UTRACE_TEST_BARRIER:
		return t->by_pid ? utrace_barrier_pid(t->pid, t->engine) :
				   utrace_barrier(t->task, t->engine);
	case UTRACE_TEST_PREPARE:
		return utrace_prepare_examine(t->task, t->engine, &t->exam);
	case UTRACE_TEST_FINISH:
		return utrace_finish_examine(t->task, t->engine, &t->exam);
	case UTRACE_TEST_PUT:
		utrace_engine_put(t->engine);
		t->engine = NULL;
		return 0;
	case UTRACE_TEST_GO_ON:
		complete(&t->go_on);
		return 0;
	default:
		return -ENOTTY;
	}
}

static ssize_t test_read(struct file *file, char __user *to, size_t size,
			 loff_t *pos)
{
	struct test_engine *t = file->private_data;
	struct utrace_test_entry entry;

	if (size < sizeof(entry))
		return -EINVAL;
	spin_lock_irq(&t->lock);
	if (t->read == t->logged) {
		spin_unlock_irq(&t->lock);
		return 0;
	}
	entry = t->log[t->read++];
	spin_unlock_irq(&t->lock);
	return copy_to_user(to, &entry, sizeof(entry)) ? -EFAULT :
							 sizeof(entry);
}

static int test_open(struct inode *inode, struct file *file)
{
	struct test_engine *t = kvzalloc(sizeof(*t), GFP_KERNEL);
	int i;

	if (!t)
		return -ENOMEM;
	refcount_set(&t->ref, 1);
	spin_lock_init(&t->lock);
	init_completion(&t->go_on);
	for (i = 0; i < UTRACE_TEST_EVENTS; i++)
		t->responses[i].times = U32_MAX;
	file->private_data = t;
	return 0;
}

static int test_release(struct inode *inode, struct file *file)
{
	struct test_engine *t = file->private_data;
	int i;

	msleep(t->linger);
	complete_all(&t->go_on);
	for (i = 0; i < PLACES; i++)
		leave(&t->places[i]);
	if (t->finder)
		sonde_finder_stop(t->finder);
	if (t->child) {
		let_go(t->child_task, t->child);
		put_task_struct(t->child_task);
	}
	if (t->engine)
		let_go(t->task, t->engine);
	if (t->task) {
		put_task_struct(t->task);
		put_pid(t->pid);
	}
	test_put(t);
	return 0;
}

static const struct file_operations test_fops = {
	.owner = THIS_MODULE,
	.open = test_open,
	.read = test_read,
	.unlocked_ioctl = test_ioctl,
	.release = test_release,
};

static struct miscdevice test_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "utrace_test",
	.fops = &test_fops,
};

module_misc_device(test_device);

MODULE_DESCRIPTION("test driver of the utrace API");
MODULE_LICENSE("GPL");
