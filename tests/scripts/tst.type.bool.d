/* @rows: type.bool */
/* _Bool holds 0 or 1. */
_Bool flag;

BEGIN
{
	flag = 5; printf("%d ", flag);
	flag = 0; printf("%d ", flag);
	printf("%d %d\n", (_Bool)256, sizeof (flag));
	exit(0);
}
