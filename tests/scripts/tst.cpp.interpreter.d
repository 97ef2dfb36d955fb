#!/usr/sbin/dtrace -Cs
/* @rows: cmd.C cmd.interpreter */
/* @command: -C -q -s @script@ */
/* The #! line is dropped before cpp sees it. */
#define N 3

BEGIN
{
	printf("%d %d", N, __LINE__);
	exit(0);
}
