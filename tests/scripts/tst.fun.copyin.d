/* @rows: fun.copyin fun.copyinstr cmd.c */
/* @sonde: -q -c "/bin/cat /dev/null" */
/* what the program names, and some of it; a byte made a string does not pick up what lies behind */
syscall::openat:entry
/copyinstr(arg1) == "/dev/null"/
{
	this->p = (char *)copyin(arg1, 10);
	this->p[9] = '\0';
	printf("[%s] [%s]", stringof(this->p), copyinstr(arg1, 5));
	this->c = (char *)copyin(arg1 + 1, 1);
	printf(" [%c] [%s]\n", *this->c, stringof(this->c));
}
