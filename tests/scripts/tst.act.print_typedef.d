/* @rows: act.print */
/* @command: -q -w -s @script@ @scratch@/dump */
/* a type is shown by the name that the pointer's type gives it */
typedef struct { int number; } plain_t;
typedef struct tagged { int number; plain_t inner; } tagged_t;

BEGIN { freopen("%s", $$1); }

BEGIN
{
	this->p = (plain_t *)alloca(sizeof (plain_t));
	this->t = (tagged_t *)alloca(sizeof (tagged_t));
	this->p->number = 1;
	this->t->inner.number = 2;
	print(this->p);
	print(this->t);
	print((struct tagged *)this->t);
}

BEGIN { freopen(""); system("sed 's/^0x[0-9a-f]* =/ADDRESS =/' %s", $$1); exit(0); }
