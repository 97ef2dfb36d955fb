/* @rows: act.print type.bitfield */
/* @command: -q -w -s @script@ @scratch@/dump */
/* enumerators by name, bit-fields by value */
enum color { RED, GREEN = 5 };
struct flags { int a : 3; unsigned int b : 4; enum color c; };

BEGIN { freopen("%s", $$1); }

BEGIN
{
	this->f = (struct flags *)alloca(sizeof (struct flags));
	this->f->a = -1;
	this->f->b = 9;
	this->f->c = GREEN;
	print(this->f);
}

BEGIN { freopen(""); system("sed 's/^0x[0-9a-f]* =/ADDRESS =/' %s", $$1); exit(0); }
