/* The arguments of each exec, out of its argv: up to three words. */
#pragma D option quiet
self uintptr_t word[int];

syscall::execve:entry
/arg1/
{
	self->word[0] = *(uintptr_t *)copyin(arg1, 8);
	self->word[1] = self->word[0] ? *(uintptr_t *)copyin(arg1 + 8, 8) : 0;
	self->word[2] = self->word[1] ? *(uintptr_t *)copyin(arg1 + 16, 8) : 0;
	printf("%s", copyinstr(arg0));
	printf(" %s", self->word[0] ? copyinstr(self->word[0]) : "-");
	printf(" %s", self->word[1] ? copyinstr(self->word[1]) : "-");
	printf(" %s\n", self->word[2] ? copyinstr(self->word[2]) : "-");
}
