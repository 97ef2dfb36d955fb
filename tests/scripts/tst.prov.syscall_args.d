/* @rows: prov.syscall_args */
/* @sonde: -q -c 'dd if=/dev/zero of=/dev/null bs=7 count=3 status=none' */
/* the arguments of read: descriptor, buffer, size; what it returns */
syscall::read:entry
/arg2 == 7/
{
	self->size = arg2;
	@sizes[arg0] = sum(arg2);
	@nulls = sum(arg1 == 0);
}

syscall::read:return
/self->size/
{
	@results["results"] = sum(arg1);
	self->size = 0;
}
