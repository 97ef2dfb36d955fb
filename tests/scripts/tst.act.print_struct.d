/* @rows: act.print out.print */
/* @command: -q -w -s @script@ @scratch@/dump */
/* member by member; what is zero is left out; an array of characters ends at the NUL */
struct point { int x; int y; };
struct thing {
	char name[8];
	short count;
	uint8_t byte;
	struct point at;
	struct point nowhere;
	int table[3];
	struct thing *next;
	int unset;
};

BEGIN { freopen("%s", $$1); }

BEGIN
{
	this->t = (struct thing *)alloca(sizeof (struct thing));
	this->t->name[0] = 'o'; this->t->name[1] = 'k';
	this->t->count = -3;
	this->t->byte = 200;
	this->t->at.x = 1;
	this->t->at.y = -1;
	this->t->table[1] = 5;
	this->t->next = (struct thing *)0x1234;
	print(this->t);
}

BEGIN { freopen(""); system("sed 's/^0x[0-9a-f]* =/ADDRESS =/' %s", $$1); exit(0); }
