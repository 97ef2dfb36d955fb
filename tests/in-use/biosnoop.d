#!/usr/sbin/dtrace -s
/* Each request of a disk: who, where, how much, how long. */
#pragma D option quiet
BEGIN { printf("%-16s %-8s %1s %10s %8s %8s\n", "PROGRAM", "DISK", "D", "BLOCK", "BYTES", "US"); }
io:::start
{
	begun[arg0] = timestamp;
	who[arg0] = execname;
}
io:::done
/begun[arg0]/
{
	printf("%-16s %-8s %1s %10d %8d %8d\n", who[arg0], args[1]->dev_statname,
	    args[0]->b_flags & B_READ ? "R" : args[0]->b_flags & B_WRITE ? "W" : "-",
	    args[0]->b_blkno, args[0]->b_bcount, (timestamp - begun[arg0]) / 1000);
	begun[arg0] = 0;
	who[arg0] = 0;
}
