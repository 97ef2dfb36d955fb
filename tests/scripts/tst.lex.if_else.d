/* @rows: lex.if_else prog.if */
/* if, else, else if, nested, without braces */
BEGIN
{
	n = 0;
	if (n == 0) {
		printf("zero\n");
	} else {
		printf("never\n");
	}
	if (n > 0)
		printf("never\n");
	else if (n < 0)
		printf("never\n");
	else
		printf("neither\n");
	exit(0);
}
