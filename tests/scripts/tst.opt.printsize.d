/* @rows: act.print */
/* @command: -q -w -x printsize=16k -s @script@ @scratch@/shown */
/* what is bigger than 8 kB is printed where it may be */
struct big { int n; char c[9000]; };
BEGIN
{
	freopen("%s", $$1);
	this->big = (struct big *)alloca(sizeof (struct big));
	this->big->n = 7;
	print(this->big);
	freopen("");
	system("sed -n 's/.*\\.n = //p' %s", $$1);
	exit(0);
}
