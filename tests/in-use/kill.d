/* kill(2): who, what, with which result. */
#pragma D option quiet
syscall::kill:entry
{
	self->target = (int)arg0;
	self->signal = arg1;
}
syscall::kill:return
/self->target/
{
	printf("%s: kill %d with %d = %d\n", execname, self->target == pid, self->signal, (int)arg0);
	self->target = 0; self->signal = 0;
}
