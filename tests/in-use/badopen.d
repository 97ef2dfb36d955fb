/* Opens that fail because the file is not there. */
#pragma D option quiet

syscall::openat:entry
/execname == "deeds"/
{
	self->path = copyinstr(arg1);
}

syscall::openat:return
/self->path != NULL && arg0 == -1 && errno == ENOENT/
{
	printf("open for '%s' failed\n", self->path);
}

syscall::openat:return { self->path = 0; }
