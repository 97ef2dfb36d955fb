// SPDX-License-Identifier: GPL-2.0
/*
 * Timer taps
 *
 *   PROFILE   one timer per CPU, pinned there: it fires in whatever runs there,
 *             if the session traces that; also in kernel threads and idle
 *   TICK      one timer, on any CPU; it fires in whatever
 *             runs there, so only root may have one
 *
 * They expire in hard interrupts. A missed tick is skipped: the next one is a
 * whole number of periods after the first. All of them together take at most a
 * quarter of a CPU: firings beyond that are counted as drops.
 *
 * A CPU that comes up starts the timers of all taps; one that goes down cancels
 * its own. Locks: session->lock > cpu hotplug > timers_lock.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <asm/irq_regs.h>

#include "kmod/compat_timer.h"
#include "kmod/core/memory.h"
#include "kmod/device/clock.h"
#include "kmod/device/covers.h"
#include "kmod/device/fire.h"
#include "kmod/device/session.h"
#include "kmod/device/tap.h"
#include "kmod/device/timer.h"

#define TIMERS_MAX 64u /* per session, because they fire in interrupts */

struct sonde_beat {
	struct hrtimer timer;
	struct sonde_timer *owner;
};

struct sonde_timer {
	struct list_head node; /* list of the timers of PROFILE taps */
	struct sonde_armed *armed;
	ktime_t period;
	struct sonde_beat one; /* TICK */
	struct sonde_beat __percpu *each; /* PROFILE */
};

/* A timer is firing on this CPU: current is the interrupted task. */
DEFINE_PER_CPU(bool, sonde_sampling);

/*
 * The time that firings take is a debt, which is paid off by four times as much
 * time. While the debt exceeds DEBT_MAX, nothing fires. Unprivileged sessions
 * have a separate debt, so that they cannot keep root's timers from firing. A
 * rare timer, such as a tick that ends a script, has a higher limit, so that
 * frequent timers do not block it.
 */
#define DEBT_MAX (20 * NSEC_PER_MSEC)
#define RARE_PERIOD (100 * NSEC_PER_MSEC)
#define RARE_DEBT_MAX (10 * DEBT_MAX)
struct debts {
	u64 paid_at[2]; /* time when they will be paid: [1] is for privileged sessions */
};

static DEFINE_PER_CPU(struct debts, debts);

static DEFINE_MUTEX(timers_lock); /* protects timers */
static LIST_HEAD(timers);
static int hotplug_state;

static bool timer_has_user(void)
{
	return current->mm && !(current->flags & PF_KTHREAD);
}

static void timer_fire_timer(struct sonde_armed *armed)
{
	struct pt_regs *regs = get_irq_regs();
	struct sonde_firing firing = {
		.session = armed->session,
		.task = current,
		.call = -1,
	};

	if (regs && (user_mode(regs) || armed->session->sees_kernel))
		firing.args[user_mode(regs) ? SONDE_ARG_SAMPLE_USER_PC :
					      SONDE_ARG_SAMPLE_KERNEL_PC] =
			instruction_pointer(regs);
	if (timer_has_user())
		firing.regs = task_pt_regs(current);
	this_cpu_write(sonde_sampling, true);
	sonde_fire(&firing, armed->probe);
	this_cpu_write(sonde_sampling, false);
}

/*
 * The duration of a firing, but at most the time that its programs can take: a
 * pause of the host does not count. The time of a step is measured when the
 * module is loaded: a debug kernel in an emulator is a hundred times slower
 * than others.
 */
#define STEP_NS 256u
static u64 step_ns __ro_after_init = STEP_NS;

static void timer_measure_steps(void)
{
	enum { ROUNDS = 5, READS = 100 };
	u64 least = U64_MAX, began;
	int round, n;

	for (round = 0; round < ROUNDS; round++) {
		began = sonde_clock();
		for (n = 0; n < READS; n++)
			sonde_clock();
		least = min(least, sonde_clock() - began);
	}
	step_ns = max_t(u64, STEP_NS, 8 * least / READS);
}

static u64 timer_took(const struct sonde_probe *probe, u64 began, u64 ended)
{
	return min(ended - began, (READ_ONCE(probe->cost) + 100ull) * step_ns);
}

static void timer_fire_within(struct sonde_armed *armed)
{
	u64 *paid = &this_cpu_ptr(&debts)->paid_at[armed->session->privileged];
	u64 began = sonde_clock();
	u64 most = armed->tap.offset < RARE_PERIOD ? DEBT_MAX : RARE_DEBT_MAX;

	if (*paid > began + most) {
		sonde_lose_probe(armed->session, armed->probe);
		return;
	}
	timer_fire_timer(armed);
	*paid = max(*paid, began) +
		4 * timer_took(armed->probe, began, sonde_clock());
}

static bool timer_is_wanted(const struct sonde_armed *armed)
{
	if (armed->tap.kind == SONDE_TAP_TICK)
		return READ_ONCE(armed->session->going);
	return (!armed->tap.pid || armed->tap.pid == current->tgid) &&
	       sonde_covers(armed->session, current);
}

static enum hrtimer_restart timer_expired(struct hrtimer *timer)
{
	struct sonde_beat *one = container_of(timer, struct sonde_beat, timer);
	struct sonde_armed *armed = one->owner->armed;

	if (timer_is_wanted(armed))
		timer_fire_within(armed);
	hrtimer_forward_now(timer, one->owner->period);
	return HRTIMER_RESTART;
}

/* Runs on that CPU, in an interrupt or with preemption off. */
static void timer_start_here(void *data)
{
	struct sonde_timer *timer = data;

	hrtimer_start(&this_cpu_ptr(timer->each)->timer, timer->period,
		      HRTIMER_MODE_REL_PINNED_HARD);
}

static long timer_beats_bytes(void)
{
	return num_possible_cpus() * sizeof(struct sonde_beat);
}

static int timer_start_each(struct sonde_timer *timer)
{
	unsigned int cpu;

	timer->each = alloc_percpu_gfp(struct sonde_beat, GFP_KERNEL_ACCOUNT);
	if (!timer->each)
		return -ENOMEM;
	sonde_memory_add(SONDE_MEMORY_TAPS, 1, timer_beats_bytes());
	for_each_possible_cpu(cpu) {
		struct sonde_beat *one = per_cpu_ptr(timer->each, cpu);

		one->owner = timer;
		sonde_timer_setup(&one->timer, timer_expired,
				  HRTIMER_MODE_REL_PINNED_HARD);
	}
	cpus_read_lock();
	mutex_lock(&timers_lock);
	list_add(&timer->node, &timers);
	for_each_online_cpu(cpu)
		smp_call_function_single(cpu, timer_start_here, timer, 1);
	mutex_unlock(&timers_lock);
	cpus_read_unlock();
	return 0;
}

static void timer_stop_each(struct sonde_timer *timer)
{
	unsigned int cpu;

	cpus_read_lock();
	mutex_lock(&timers_lock);
	list_del(&timer->node);
	mutex_unlock(&timers_lock);
	cpus_read_unlock();
	for_each_possible_cpu(cpu)
		hrtimer_cancel(&per_cpu_ptr(timer->each, cpu)->timer);
	free_percpu(timer->each);
	sonde_memory_add(SONDE_MEMORY_TAPS, -1, -timer_beats_bytes());
}

/* Return: 0; -EINVAL: the period; -EPERM; -E2BIG: too many. */
static int timer_check(struct sonde_session *session,
		       const struct sonde_tap *tap, char *why)
{
	if (tap->offset < SONDE_PERIOD_MIN || tap->offset > KTIME_MAX / 2)
		return sonde_refuse(why, -EINVAL,
				    "tap %u: a period has at least %u ns",
				    tap->id, SONDE_PERIOD_MIN);
	if (tap->kind == SONDE_TAP_TICK && !session->privileged)
		return sonde_refuse(why, -EPERM,
				    "tap %u: only root may have ticks that show whom they interrupt",
				    tap->id);
	if (session->timers == TIMERS_MAX)
		return sonde_refuse(why, -E2BIG, "at most %u timers",
				    TIMERS_MAX);
	return tap->kind == SONDE_TAP_PROFILE ?
		       sonde_tap_check_perfmon(session, why) : 0;
}

static int timer_arm(struct sonde_armed *armed, const char *path,
		     struct sonde_arming *arming, char *why)
{
	const struct sonde_tap *tap = &armed->tap;
	struct sonde_timer *timer;
	int err;

	timer = sonde_alloc(SONDE_MEMORY_TAPS, sizeof(*timer));
	if (!timer)
		return -ENOMEM;
	timer->armed = armed;
	timer->period = tap->offset;
	timer->one.owner = timer;
	if (tap->kind == SONDE_TAP_PROFILE) {
		err = timer_start_each(timer);
		if (err) {
			sonde_free(timer);
			return err;
		}
	} else {
		sonde_timer_setup(&timer->one.timer, timer_expired,
				  HRTIMER_MODE_REL_HARD);
		hrtimer_start(&timer->one.timer, timer->period,
			      HRTIMER_MODE_REL_HARD);
	}
	armed->timer = timer;
	armed->session->timers++;
	return 0;
}

/* On return it does not fire any more. */
static void timer_disarm(struct sonde_armed *armed)
{
	struct sonde_timer *timer = armed->timer;

	if (timer->each)
		timer_stop_each(timer);
	else
		hrtimer_cancel(&timer->one.timer);
	sonde_free(timer);
	armed->session->timers--;
	armed->timer = NULL;
}

const struct sonde_tap_ops sonde_timer_taps = {
	.kinds = BIT(SONDE_TAP_PROFILE) | BIT(SONDE_TAP_TICK),
	.check = timer_check,
	.arm = timer_arm,
	.disarm = timer_disarm,
};

static int timer_cpu_up(unsigned int cpu)
{
	struct sonde_timer *timer;

	mutex_lock(&timers_lock);
	list_for_each_entry(timer, &timers, node)
		smp_call_function_single(cpu, timer_start_here, timer, 1);
	mutex_unlock(&timers_lock);
	return 0;
}

static int timer_cpu_down_here(unsigned int cpu)
{
	struct sonde_timer *timer;

	mutex_lock(&timers_lock);
	list_for_each_entry(timer, &timers, node)
		hrtimer_cancel(&per_cpu_ptr(timer->each, cpu)->timer);
	mutex_unlock(&timers_lock);
	return 0;
}

/**
 * sonde_timers_init() - register for CPU hotplug, and measure the time of a
 * step
 *
 * Context: Process context, module load.
 * Return: 0 or an error of cpuhp_setup_state().
 */
int sonde_timers_init(void)
{
	timer_measure_steps();
	hotplug_state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN,
						  "sonde:timer", timer_cpu_up,
						  timer_cpu_down_here);
	return hotplug_state < 0 ? hotplug_state : 0;
}

/**
 * sonde_timers_exit() - undo sonde_timers_init(); no session is left
 *
 * Context: Process context, module unload.
 */
void sonde_timers_exit(void)
{
	cpuhp_remove_state_nocalls(hotplug_state);
}
