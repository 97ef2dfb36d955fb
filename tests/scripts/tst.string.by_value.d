/* @rows: type.string expr.evaluation_order */
/* a string that was read stays what it was when its variable gets another */
string a[int];

BEGIN
{
	s = "old";
	printf("%s %s %s\n", s, s = "new", s);
	t = strjoin(s = "one", strjoin(s, s = "two"));
	printf("%s %d\n", t, s < (s = "three"));
	a[1] = "first";
	printf("%s %s\n", a[1], a[1] = "second");
	this->x = "x";
	printf("%d\n", this->x == (this->x = "y"));
	exit(0);
}
