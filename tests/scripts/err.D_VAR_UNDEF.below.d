syscall::openat:return
/self->path/
{
	trace(copyinstr(self->path));
}

syscall::openat:entry
{
	self->path = arg1;
}

/* @rows: var.undefined */
