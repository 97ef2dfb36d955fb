/* @rows: type.array_decays */
/* An array is the address of its first element where a pointer is wanted; elements of struct type have addresses, too. */

int v[3];
int *p;
struct sa { char a; int b; } arr[4];

BEGIN
{
	v[2] = 9;
	p = v;
	trace(p[2]);
	p[1] = 7;
	trace(v[1]);
	trace((uintptr_t)&arr[2] - (uintptr_t)&arr[0]);
	exit(0);
}
