/* @rows: fun.alloca */
/* zeroed, 8-byte aligned, of any size; two pieces do not overlap */
BEGIN
{
	this->a = (char *)alloca(3);
	this->b = (int *)alloca(16);
	this->c = alloca(0);
	printf("%d %d\n", (int)((uintptr_t)this->a % 8), (int)((uintptr_t)this->b % 8));
	this->a[0] = 'x'; this->a[1] = 'y'; this->a[2] = '\0';
	this->b[3] = 7;
	printf("%s %d %d\n", stringof(this->a), this->b[0], this->b[3]);
	printf("%d\n", this->c != NULL);
}

BEGIN
{
	this->d = (char *)alloca(3);
	printf("%d %d\n", this->d[0], this->d[1]);
	exit(0);
}
