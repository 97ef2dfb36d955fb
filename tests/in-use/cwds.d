/* Where a program is when it opens something. */
#pragma D option quiet
syscall::openat:entry
/execname == "deeds"/
{
	@[cwd, copyinstr(arg1)] = count();
}
