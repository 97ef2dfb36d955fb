/* @rows: act.print out.print */
/* @command: -q -w -s @script@ @scratch@/dump */
/* a pointer to a number: its type and its value, zero too */
BEGIN { freopen("%s", $$1); }

BEGIN
{
	this->i = (int *)alloca(8);
	*this->i = 42;
	print(this->i);
	print(this->i + 1);
	this->u = (unsigned long *)alloca(8);
	*this->u = -1;
	print(this->u);
}

BEGIN { freopen(""); system("sed 's/^0x[0-9a-f]* =/ADDRESS =/' %s", $$1); exit(0); }
