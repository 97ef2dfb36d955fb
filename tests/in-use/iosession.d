#pragma D option quiet

/* An I/O session per descriptor: a typed global array, a signed cast, nested ?: of strings as a key, and printa in END. */
uint64_t session;
int64_t of_fd[int];

syscall::open*:entry
/pid == $target/
{
	self->path = arg1;
}

syscall::open*:return
/self->path/
{
	this->s = (int)arg0 > 0 ? ++session : 0;
	of_fd[arg0] = this->s;
	printf("%s %d \"%s\" %d\n", "open", this->s, copyinstr(self->path), 0);
	self->path = 0;
}

syscall::*write*:entry
{
	this->s = of_fd[arg0] ? of_fd[arg0] : -arg0;
	@moved["write", (signed int)this->s, arg0 == 1 ? "<stdout>" : arg0 == 2 ? "<stderr>" : fds[arg0].fi_pathname, ustack(1)] = sum(arg2);
}

tick-1hour, END
{
	printa("-1 %s %d \"%s\" %@d %k\n", @moved);
	trunc(@moved);
}
