#!/usr/bin/env -S sonde -s
/*
 * What each thread does, as it happens: system calls indented by their entry and return, and between them the processes
 * that come and go and the signals that arrive.
 *
 *   sonde -s flow.d -c 'sh -c "ls | wc"'
 */
#pragma D option flowindent

syscall:::entry,
syscall:::return,
proc:::create,
proc:::exec-success,
proc:::exit,
signal:::deliver
{
	printf("%s(%d)", execname, pid);
}
