/* @rows: act.copyout */
/* @sonde: -q -w -c "/bin/echo hello" */
/* the program writes what was put in the place of its text */
syscall::write:entry
/arg0 == 1/
{
	this->text = (char *)alloca(2);
	bcopy("JE", this->text, 2);
	copyout(this->text, arg1, 2);
}
