#!/usr/sbin/dtrace -s
/* plockstat -A: how often and how long a program holds its locks, and waits for them. */
#pragma D option quiet

plockstat$target:::mutex-block { self->mtxblock[arg0] = timestamp; }

plockstat$target:::mutex-blocked
/self->mtxblock[arg0] && arg1 != 0/
{
	@mtx_block[arg0] = sum(timestamp - self->mtxblock[arg0]);
	@mtx_block_count[arg0] = count();
}
plockstat$target:::mutex-blocked { self->mtxblock[arg0] = 0; }

plockstat$target:::rw-block { self->rwblock[arg0] = timestamp; }

plockstat$target:::rw-blocked
/self->rwblock[arg0] && arg2 != 0/
{
	@rw_block[arg0, arg1 == 1 ? "W" : "R"] = sum(timestamp - self->rwblock[arg0]);
	@rw_block_count[arg0, arg1 == 1 ? "W" : "R"] = count();
}
plockstat$target:::rw-blocked { self->rwblock[arg0] = 0; }

plockstat$target:::mutex-acquire
/arg1 == 0/
{
	self->mtxhold[arg0] = timestamp;
}

plockstat$target:::mutex-release
/self->mtxhold[arg0] && arg1 == 0/
{
	@mtx_hold[arg0] = sum(timestamp - self->mtxhold[arg0]);
	@mtx_hold_count[arg0] = count();
	self->mtxhold[arg0] = 0;
}

plockstat$target:::rw-acquire { self->rwhold[arg0] = timestamp; }

plockstat$target:::rw-release
/self->rwhold[arg0]/
{
	@rw_hold[arg0, arg1 == 1 ? "W" : "R"] = sum(timestamp - self->rwhold[arg0]);
	@rw_hold_count[arg0, arg1 == 1 ? "W" : "R"] = count();
	self->rwhold[arg0] = 0;
}

plockstat$target:::mutex-error { @errors[arg0, arg1] = count(); }

END
{
	printa("block %x %@d %@d\n", @mtx_block_count, @mtx_block);
	printa("hold %x %@d %@d\n", @mtx_hold_count, @mtx_hold);
	printa("rwblock %x %s %@d %@d\n", @rw_block_count, @rw_block);
	printa("rwhold %x %s %@d %@d\n", @rw_hold_count, @rw_hold);
	printa("error %x %d %@d\n", @errors);
}
