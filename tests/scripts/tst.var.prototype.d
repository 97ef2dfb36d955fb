/* @rows: var.prototype */
/* A function prototype is accepted. */
int fetch(int fd, char *name, ...);
void nothing(void);

BEGIN
{
	printf("%d\n", strlen("abc"));
	exit(0);
}
