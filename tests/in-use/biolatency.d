#!/usr/sbin/dtrace -s
/* How long requests of disks take, by disk and direction, in microseconds. */
#pragma D option quiet
io:::start { begun[arg0] = timestamp; }
io:::done
/begun[arg0]/
{
	this->us = (timestamp - begun[arg0]) / 1000;
	@latency[args[1]->dev_statname, args[0]->b_flags & B_READ ? "read" : "write"] = quantize(this->us);
	begun[arg0] = 0;
}
