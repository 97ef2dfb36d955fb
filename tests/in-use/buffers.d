/* What is written, as text: the first bytes, ended by hand. */
#pragma D option quiet
syscall::write:entry
/pid == $target && arg2 < 100/
{
	this->text = (char *)copyin(arg1, arg2);
	this->text[arg2] = '\0';
	printf("%s|%d\n", stringof(this->text), strlen(stringof(this->text)));
	this->text[1] = 'Z';
	printf("%.4s\n", stringof(this->text));
}
