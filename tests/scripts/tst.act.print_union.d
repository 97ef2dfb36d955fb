/* @rows: act.print type.union */
/* @command: -q -w -s @script@ @scratch@/dump */
union both { int i; char c[4]; };

BEGIN { freopen("%s", $$1); }

BEGIN
{
	this->u = (union both *)alloca(4);
	this->u->i = 0x6261;
	print(this->u);
}

BEGIN { freopen(""); system("sed 's/^0x[0-9a-f]* =/ADDRESS =/' %s", $$1); exit(0); }
