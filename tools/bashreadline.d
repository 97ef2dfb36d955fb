#!/usr/bin/env -S sonde -s
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bashreadline: shows the lines that are typed into bash
 *
 * A line for each that somebody has finished at the prompt of a bash: when, the process, the user, and the text as it was
 * typed, before bash looks at it. Scripts that bash runs are not typed. What a program asks for in a line of its own, such as a
 * password, bash does not see.
 *
 * option bash=PATH /bin/bash: the file of the shell
 * needs: root for the shells of all users, or -p with the number of a shell of your own
 * example: sonde bashreadline
 *     until Ctrl-C, what is typed into all shells of the machine
 */
#pragma D option quiet
#pragma D option strsize=4k

BEGIN
{
	printf("%-20s %-7s %-6s %s\n", "TIME", "PID", "UID", "LINE");
}

pid*:$bash:readline:return
/arg1 != 0/
{
	printf("%-20Y %-7d %-6d %s\n", walltimestamp, pid, uid, copyinstr(arg1));
}
