/* @rows: var.step_creates */
/* ++ and -- make what they name, as an int64_t. */

BEGIN
{
	hops++;
	printf("%d %d\n", hops, sizeof (hops));
	trace(self->n++);
	trace(++self->n);
	--this->m;
	trace(this->m);
	seen[pid]++;
	trace(seen[pid]);
	self->d[3]--;
	trace(self->d[3]);
	row[k++] = "u";
	row[k++] = "v";
	printf("\n%s%s %d\n", row[0], row[1], sizeof (k));
	exit(0);
}
