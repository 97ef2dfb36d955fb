#!/usr/sbin/dtrace -s
/* Sizes of disk I/O by process. */
#pragma D option quiet
io:::start
{
	this->size = args[0]->b_bcount;
	@Size[pid, curpsinfo->pr_psargs] = quantize(this->size);
}
END { printa("%6d %S\n%@d\n", @Size); }
