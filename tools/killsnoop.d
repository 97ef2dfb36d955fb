#!/usr/bin/env -S sonde -s
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * killsnoop: shows who sends which signal to whom, and whether it may
 *
 * One line for each kill, tkill, tgkill, rt_sigqueueinfo, rt_tgsigqueueinfo and pidfd_send_signal: the sender, its name, the
 * signal, the receiver as the call names it, and the error. A receiver is a process, a group of processes (negative; 0: the
 * sender's own), all (-1), with tkill and tgkill a thread, with pidfd_send_signal a descriptor. Signals that the kernel sends of its own are not
 * there: sigdist counts them.
 *
 * option failed: only signals that cannot be sent
 * option name=NAME: only senders with this name
 * example: sonde killsnoop timeout 1 sleep 9
 *     timeout kills sleep by a signal
 */
#pragma D option quiet
#pragma D option switchrate=10hz

BEGIN
{
	printf("%-7s %-16s %-10s %-8s %-8s %s\n", "PID", "PROGRAM", "SIGNAL", "TO", "ERROR", "CALL");
}

syscall::kill:return,
syscall::tkill:return,
syscall::rt_sigqueueinfo:return,
syscall::pidfd_send_signal:return
/($failed == 0 || errno != 0) && ($$name == "" || execname == $$name)/
{
	this->all = argstr;
	this->to = strtok(this->all, " ,");
	this->signal = strtok(NULL, " ,");
	printf("%-7d %-16s %-10s %-8s %-8s %s\n", pid, execname, this->signal, this->to, errno ? errnoname : "-", probefunc);
}

syscall::tgkill:return,
syscall::rt_tgsigqueueinfo:return
/($failed == 0 || errno != 0) && ($$name == "" || execname == $$name)/
{
	this->all = argstr;
	this->group = strtok(this->all, " ,");
	this->to = strtok(NULL, " ,");
	this->signal = strtok(NULL, " ,");
	printf("%-7d %-16s %-10s %-8s %-8s %s\n", pid, execname, this->signal, this->to, errno ? errnoname : "-", probefunc);
}
