/* @rows: xlate.struct expr.sizeof */
/* a char array of a translated object has the size that its type says, also where its text is a string */
struct in { int number; };
struct out { char text[12]; string word; int number; };
translator struct out < struct in *I > { text = "abc"; word = "abc"; number = I->number; };
BEGIN
{
	printf("%d %d\n", sizeof (curpsinfo->pr_fname), sizeof (curpsinfo->pr_psargs));
	printf("%d %d\n", sizeof (curlwpsinfo->pr_clname), sizeof (curpsinfo->pr_pid));
	this->i = (struct in *)alloca(sizeof (struct in));
	printf("%d %d %d\n", sizeof (xlate <struct out> (this->i).text), sizeof (xlate <struct out> (this->i).word),
	    sizeof (xlate <struct out *> (this->i)->number));
	printf("%d %s\n", strlen(xlate <struct out> (this->i).text), xlate <struct out> (this->i).text);
	exit(0);
}
