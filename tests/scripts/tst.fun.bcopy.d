/* @rows: fun.bcopy */
/* bytes from anywhere in D's memory to scratch; none at all is fine */
BEGIN
{
	this->to = (char *)alloca(8);
	bcopy("hello", this->to, 6);
	printf("%s\n", stringof(this->to));
	bcopy("J", this->to, 1);
	printf("%s\n", stringof(this->to));
	bcopy("zzzz", this->to, 0);
	printf("%s\n", stringof(this->to));
	bcopy(this->to, this->to + 2, 3);
	printf("%s\n", stringof(this->to));
	exit(0);
}
