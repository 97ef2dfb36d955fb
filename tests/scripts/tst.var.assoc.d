/* @rows: var.assoc var.assoc_keys var.assoc_missing var.assoc_delete */
/* @sonde: -q */
/* associative arrays: keys of several types, missing elements, deletion */
BEGIN
{
	a["one", 1] = 11;
	a["one", 2] = 12;
	a["two", 1] = 21;
	printf("%d %d %d %d\n", a["one", 1], a["one", 2], a["two", 1], a["two", 2]);
	a["one", 1] = 0;
	printf("%d %d\n", a["one", 1], a["one", 2]);
	a["one", 2] += 30;
	printf("%d\n", a["one", 2]);
	s[7] = "seven";
	printf("%s %d %d\n", s[7], s[8] == NULL, s[7] == NULL);
	exit(0);
}
