/* @rows: fun.copyinto */
/* @sonde: -q -c "/bin/cat /dev/null" */
/* the same into scratch of one's own, behind what is there */
syscall::openat:entry
/copyinstr(arg1) == "/dev/null"/
{
	this->p = (char *)alloca(16);
	bcopy("<", this->p, 1);
	copyinto(arg1, 9, this->p + 1);
	this->n = 4;
	copyinto(arg1 + 5, this->n, this->p + 1);
	printf("%s>\n", stringof(this->p));
}
