/* @rows: act.speculate act.commit lex.if_else */
/* the arms of an if do not follow each other */
BEGIN { self->id = speculation(); }
BEGIN
{
	if (self->id) {
		speculate(self->id);
		printf("speculated\n");
	} else {
		printf("not seen\n");
	}
}
BEGIN
{
	if (self->id == 1) {
		commit(self->id);
	} else {
		printf("not seen\n");
	}
}
BEGIN { exit(0); }
