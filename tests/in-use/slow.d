/* System calls that take longer than $1 ms. */
#pragma D option quiet
#pragma D option defaultargs
syscall:::entry
/pid == $target/
{
	self->from = timestamp;
}
syscall:::return
/self->from && (this->ms = (timestamp - self->from) / 1000000) >= $1/
{
	printf("%s took at least %d ms\n", probefunc, this->ms / $1 * $1);
}
syscall:::return { self->from = 0; }
