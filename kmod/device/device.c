// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/sonde
 *
 *   open     a session; who opened it decides what it may trace
 *   ioctl    SONDE_EXCHANGE: one request, one reply (kmod/shared/abi.h)
 *   mmap     the rings
 *   read     one event; poll() says when there is one
 *   release  everything of the session is undone, in this order: its finder
 *            stops, taps and tracepoints, held threads, then
 *            (nothing fires any more) threads' variables, targets, rings,
 *            programs, events
 *
 * A request is processed under the session's lock. Its payload is copied in
 * before, and its answer is copied out afterwards, without the lock: a page
 * fault takes mmap_lock, and mmap() takes rings_lock under that. Nothing in a
 * request is trusted: every length is checked against the number of bytes
 * received.
 *
 * The file pins the module, so a session never outlives it.
 */
#include <linux/capability.h>
#include <linux/cpuhotplug.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pid_namespace.h>
#include <linux/poll.h>
#include <linux/ptrace.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "kmod/core/hooks.h"
#include "kmod/core/memory.h"
#include "kmod/device/account.h"
#include "kmod/device/buffer.h"
#include "kmod/device/device.h"
#include "kmod/device/events.h"
#include "kmod/device/fire.h"
#include "kmod/device/functions.h"
#include "kmod/device/hold.h"
#include "kmod/device/kernel.h"
#include "kmod/device/programs.h"
#include "kmod/device/reenter.h"
#include "kmod/device/session.h"
#include "kmod/device/spares.h"
#include "kmod/device/syscalls.h"
#include "kmod/device/tap.h"
#include "kmod/device/taps.h"
#include "kmod/device/targets.h"
#include "kmod/device/task_work.h"
#include "kmod/device/timer.h"
#include "kmod/device/wanted.h"
#include "kmod/finder.h"

static DEFINE_MUTEX(sessions_lock);
static LIST_HEAD(sessions);
static int hotplug_state;

/* A request that is being processed. */
struct exchange {
	struct sonde_request request;
	struct sonde_reply reply;
	void *payload;
	void *answer; /* reply.length bytes */
};

int sonde_refuse(char *why, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vscnprintf(why, SONDE_WHY, format, args);
	va_end(args);
	return err;
}

static int device_hello(struct sonde_session *session, struct exchange *x)
{
	x->reply.value = SONDE_ABI_VERSION;
	if (x->request.value != SONDE_ABI_VERSION)
		return sonde_refuse(x->reply.why, -EPROTO,
				    "the kernel module speaks version %u of the ABI, not %llu",
				    SONDE_ABI_VERSION, x->request.value);
	if (sonde_syscalls_see_compat())
		x->reply.value |= SONDE_SEES_COMPAT;
	session->greeted = true;
	return 0;
}

static int device_make_buffers(struct sonde_session *session,
			       struct exchange *x)
{
	int count = sonde_buffers_create(session, x->request.value,
					 x->request.id, x->reply.why);
	u64 *offsets;
	int n;

	if (count < 0)
		return count;
	x->reply.why[0] = 0;
	x->reply.value = count;
	offsets = kcalloc(count, sizeof(*offsets), GFP_KERNEL);
	if (!offsets)
		return -ENOMEM;
	for (n = 0; n < count; n++)
		offsets[n] = n * SONDE_RING_STRIDE;
	x->answer = offsets;
	x->reply.length = count * sizeof(*offsets);
	return 0;
}

static int device_count_all(struct sonde_session *session, struct exchange *x)
{
	struct sonde_statistics *statistics;

	statistics = kzalloc(sizeof(*statistics), GFP_KERNEL);
	if (!statistics)
		return -ENOMEM;
	sonde_buffers_count(session, statistics);
	statistics->stops = atomic64_read(&session->stops);
	x->answer = statistics;
	x->reply.length = sizeof(*statistics);
	return 0;
}

static u32 device_entries_of(struct xarray *array)
{
	unsigned long id;
	u32 count = 0;
	void *entry;

	xa_for_each(array, id, entry) {
		count++;
		cond_resched();
	}
	return count;
}

static void device_describe(struct sonde_session *session,
			    struct sonde_session_info *info)
{
	struct sonde_statistics statistics = {};

	sonde_buffers_count(session, &statistics);
	info->pid = session->opener;
	info->uid = from_kuid_munged(&init_user_ns, session->cred->uid);
	memcpy(info->command, session->command, sizeof(info->command));
	info->taps = device_entries_of(&session->taps);
	info->targets = sonde_finder_count(session->finder);
	info->ecbs = device_entries_of(&session->ecbs);
	info->programs = device_entries_of(&session->programs);
	info->held = atomic_read(&session->held);
	info->rings = READ_ONCE(session->ring_count);
	info->ring_bytes = READ_ONCE(session->ring_size);
	info->records = statistics.records;
	info->drops = statistics.drops;
}

static int device_list_sessions(struct sonde_session *session,
				struct exchange *x)
{
	struct sonde_session_info *infos;
	struct sonde_session *other;
	u32 room = 0, count = 0;

	mutex_lock(&sessions_lock);
	list_for_each_entry(other, &sessions, node)
		room++;
	infos = kvcalloc(room, sizeof(*infos), GFP_KERNEL);
	list_for_each_entry(other, &sessions, node) {
		if (!infos)
			break;
		if (session->privileged ||
		    uid_eq(session->cred->uid, other->cred->uid))
			device_describe(other, &infos[count++]);
	}
	mutex_unlock(&sessions_lock);
	if (!infos)
		return -ENOMEM;
	x->answer = infos;
	x->reply.value = count;
	x->reply.length = count * sizeof(*infos);
	return 0;
}

/**
 * sonde_sessions_show() - print a line for each session
 * @to: /proc/sonde
 *
 * Context: Process context. May sleep.
 */
void sonde_sessions_show(struct seq_file *to)
{
	struct sonde_session *session;

	might_sleep();
	mutex_lock(&sessions_lock);
	list_for_each_entry(session, &sessions, node) {
		struct sonde_session_info info = {};

		device_describe(session, &info);
		seq_printf(to, "session: process %u, user %u, %.*s: %u taps, %u clauses, %u programs, %u targets, %u held, %llu records, %llu drops\n",
			   info.pid, info.uid, (int)sizeof(info.command),
			   info.command, info.taps, info.ecbs, info.programs,
			   info.targets, info.held, info.records, info.drops);
	}
	mutex_unlock(&sessions_lock);
}

static int device_load(struct sonde_session *session, struct exchange *x)
{
	int err = sonde_program_load(session, x->request.id, x->payload,
				     x->request.length, x->reply.why);

	/* a program with thread variables needs to know when a thread ends */
	return err ?: sonde_taps_update(session, x->reply.why);
}

static int device_go(struct sonde_session *session, char *why)
{
	if (!session->privileged && !session->targeted)
		return sonde_refuse(why, -EPERM,
				    "to trace every process needs CAP_SYS_PTRACE: name one of yours by -c or -p");
	WRITE_ONCE(session->going, true);
	sonde_targets_changed(session);
	return 0;
}

static int device_not_here(struct exchange *x, const char *what)
{
	return sonde_refuse(x->reply.why, -EOPNOTSUPP,
			    "the kernel module does not %s", what);
}

static int device_perform(struct sonde_session *session, struct exchange *x)
{
	const struct sonde_request *r = &x->request;
	const char *fault = sonde_request_fault(r);
	char *why = x->reply.why;

	if (fault)
		return sonde_refuse(why, -EINVAL, "malformed request: %s",
				    fault);
	if (r->kind == SONDE_HELLO)
		return device_hello(session, x);
	if (!session->greeted)
		return sonde_refuse(why, -EPROTO, "say SONDE_HELLO first");
	switch (r->kind) {
	case SONDE_BUFFERS:
		return device_make_buffers(session, x);
	case SONDE_PROGRAM_LOAD:
		return device_load(session, x);
	case SONDE_ECB_ADD:
		return sonde_ecbs_add(session, x->payload, r->length, why);
	case SONDE_ECB_REMOVE:
		return sonde_ecbs_remove(session, x->payload, r->length, why);
	case SONDE_TAP_ARM:
		return sonde_taps_arm(session, r->value, x->payload, r->length,
				      why);
	case SONDE_TAP_DISARM:
		return sonde_taps_disarm(session, x->payload, r->length, why);
	case SONDE_ATTACH:
		return sonde_target_add(session, r->value, why);
	case SONDE_DETACH:
		if (!r->value)
			return sonde_targets_remove(session, &x->reply.value,
						    why);
		return sonde_target_remove(session, r->value, why);
	case SONDE_GO:
		return device_go(session, why);
	case SONDE_STATISTICS:
		return device_count_all(session, x);
	case SONDE_SESSIONS:
		return device_list_sessions(session, x);
	case SONDE_SPAWN:
	case SONDE_RUN_TO_ENTRY:
		return device_not_here(x, "start programs: fork, then attach");
	case SONDE_STACK:
		return device_not_here(x, "stop threads for their stacks");
	case SONDE_RELEASE:
		return sonde_hold_release(session, r->id, r->value, why);
	case SONDE_FOLLOW:
		if (r->length)
			return sonde_wanted_follow(session, x->payload,
						   r->length, why);
		return sonde_target_follow(session, r->value, r->id == 1,
					   why);
	case SONDE_ACKNOWLEDGE:
		return sonde_hold_acknowledge(session, r->id, why);
	case SONDE_READ_MEMORY:
	case SONDE_WRITE_MEMORY:
		return device_not_here(x,
				       "move memory: use process_vm_readv()");
	}
	return sonde_refuse(why, -EINVAL, "malformed request: unknown kind");
}

static int device_copy_payload(struct exchange *x, u64 address)
{
	void *bytes;

	if (!x->request.length || x->request.kind == SONDE_READ_MEMORY)
		return 0;
	if (x->request.length > SONDE_PAYLOAD_MAX)
		return sonde_refuse(x->reply.why, -E2BIG, "request too long");
	bytes = vmemdup_user((const void __user *)address, x->request.length);
	if (IS_ERR(bytes))
		return PTR_ERR(bytes);
	x->payload = bytes;
	return 0;
}

static int device_copy_answer(const struct exchange *x, u64 address, u64 room)
{
	if (x->reply.length > room)
		return -EMSGSIZE;
	if (x->reply.length && copy_to_user((void __user *)address, x->answer,
					    x->reply.length))
		return -EFAULT;
	return 0;
}

static long device_ioctl(struct file *file, unsigned int number,
			 unsigned long address)
{
	struct sonde_exchange __user *user = (void __user *)address;
	struct sonde_session *session = file->private_data;
	struct exchange x = {};
	struct sonde_exchange whole;
	int err;

	if (number != SONDE_EXCHANGE)
		return -ENOTTY;
	if (copy_from_user(&whole, user, offsetof(typeof(whole), reply)))
		return -EFAULT;
	x.request = whole.request;
	err = device_copy_payload(&x, whole.payload);
	if (!err) {
		err = mutex_lock_killable(&session->lock);
		if (!err) {
			err = device_perform(session, &x);
			mutex_unlock(&session->lock);
		}
	}
	if (!err)
		err = device_copy_answer(&x, whole.answer, whole.room);
	if (err)
		x.reply.length = 0;
	x.reply.error = err;
	kvfree(x.payload);
	kvfree(x.answer);
	if (copy_to_user(&user->reply, &x.reply, sizeof(x.reply)))
		return -EFAULT;
	return err;
}

static int device_mmap(struct file *file, struct vm_area_struct *vma)
{
	return sonde_buffers_mmap(file->private_data, vma);
}

static void device_init_session(struct sonde_session *session)
{
	refcount_set(&session->ref, 1);
	mutex_init(&session->lock);
	mutex_init(&session->rings_lock);
	xa_init(&session->programs);
	xa_init(&session->probes);
	xa_init(&session->ecbs);
	xa_init(&session->taps);
	xa_init(&session->places);
	INIT_LIST_HEAD(&session->wildcards);
	spin_lock_init(&session->wanted_lock);
	session->known_files = RB_ROOT;
	sonde_tracees_init(session);
	sonde_spares_init(session);
	hash_init(session->threads);
	hash_init(session->reentries);
	session->uprobes = RB_ROOT;
	spin_lock_init(&session->threads_lock);
	spin_lock_init(&session->events_lock);
	spin_lock_init(&session->queued_lock);
	INIT_LIST_HEAD(&session->events);
	INIT_LIST_HEAD(&session->queued);
	init_waitqueue_head(&session->wait);
	session->cred = get_current_cred();
	session->privileged = ns_capable_noaudit(&init_user_ns, CAP_SYS_PTRACE);
	session->unlimited = session->privileged ||
			     ns_capable_noaudit(&init_user_ns, CAP_IPC_LOCK);
	session->perfmon = ns_capable_noaudit(&init_user_ns, CAP_PERFMON) ||
			   ns_capable_noaudit(&init_user_ns, CAP_SYS_ADMIN);
	session->sees_kernel = session->perfmon && session->privileged &&
			       !security_locked_down(LOCKDOWN_KCORE);
	session->opener = task_tgid_nr(current);
	get_task_comm(session->command, current->group_leader);
}

/*
 * Requests name processes by their numbers in the initial pid namespace, which
 * others do not know. Limits are a user's, and in a user namespace of his own
 * one has 65,536 more: the subordinate uids.
 */
static int device_open(struct inode *inode, struct file *file)
{
	struct sonde_session *session;
	int err;

	if (task_active_pid_ns(current) != &init_pid_ns ||
	    current_user_ns() != &init_user_ns)
		return -EPERM;
	session = sonde_alloc(SONDE_MEMORY_SESSIONS, sizeof(*session));
	if (!session)
		return -ENOMEM;
	device_init_session(session);
	session->account = sonde_account_get(session->cred->uid,
					     !session->privileged);
	err = PTR_ERR_OR_ZERO(session->account);
	if (err)
		goto out_free;
	err = sonde_targets_init(session);
	if (err)
		goto out_account;
	mutex_lock(&sessions_lock);
	list_add_tail(&session->node, &sessions);
	mutex_unlock(&sessions_lock);
	file->private_data = session;
	return nonseekable_open(inode, file);

out_account:
	sonde_account_put(session->account);
out_free:
	put_cred(session->cred);
	sonde_free(session);
	return err;
}

static int device_release(struct inode *inode, struct file *file)
{
	struct sonde_session *session = file->private_data;

	mutex_lock(&sessions_lock);
	list_del(&session->node);
	mutex_unlock(&sessions_lock);
	sonde_finder_end(session->finder);
	sonde_taps_destroy(session);
	sonde_holds_destroy(session);
	sonde_threads_destroy(session);
	sonde_reenter_destroy(session);
	sonde_wanted_destroy(session);
	sonde_finder_free(session->finder);
	sonde_buffers_destroy(session);
	sonde_programs_destroy(session);
	sonde_events_destroy(session);
	put_cred(session->cred);
	sonde_session_put(session);
	return 0;
}

/* For people, and for programs that wait until a session traces. */
static void device_show(struct seq_file *to, struct file *file)
{
	const struct sonde_session *session = file->private_data;

	seq_printf(to, "sonde-going:\t%d\nsonde-targets:\t%u\n",
		   READ_ONCE(session->going), sonde_finder_count(session->finder));
}

static const struct file_operations device_operations = {
	.owner = THIS_MODULE,
	.open = device_open,
	.release = device_release,
	.unlocked_ioctl = device_ioctl,
	.compat_ioctl = compat_ptr_ioctl, /* the structures have the same layout */
	.mmap = device_mmap,
	.read = sonde_events_read,
	.poll = sonde_events_poll,
	.show_fdinfo = device_show,
	.llseek = noop_llseek,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "sonde",
	.mode = 0660,
	.fops = &device_operations,
};

static int device_cpu_comes(unsigned int cpu)
{
	struct sonde_session *session;

	mutex_lock(&sessions_lock);
	list_for_each_entry(session, &sessions, node)
		sonde_buffers_cpu_up(session, cpu);
	mutex_unlock(&sessions_lock);
	return 0;
}

int sonde_device_init(void)
{
	int err;

	sonde_targets_find();
	sonde_fire_init();
	sonde_kernel_init();
	sonde_returns_init();
	sonde_points_init();
	sonde_syscalls_init();
	sonde_uprobes_init();
	sonde_locations_init();
	err = sonde_timers_init();
	if (err)
		return err;
	hotplug_state = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN,
						  "sonde:rings",
						  device_cpu_comes, NULL);
	err = min(hotplug_state, 0);
	if (err)
		goto out_timers;
	err = misc_register(&device);
	if (err)
		goto out_hotplug;
	return 0;

out_hotplug:
	cpuhp_remove_state_nocalls(hotplug_state);
out_timers:
	sonde_timers_exit();
	return err;
}

void sonde_device_exit(void)
{
	misc_deregister(&device);
	cpuhp_remove_state_nocalls(hotplug_state);
	sonde_timers_exit();
}
