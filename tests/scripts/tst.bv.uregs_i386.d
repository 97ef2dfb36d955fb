/* @rows: bv.uregs_i386 */

BEGIN
{
	printf("%d %d %d %d %d %d %d %d %d %d\n", R_EDI, R_ESI, R_EBP, R_EBX, R_EDX, R_ECX, R_EAX, R_EIP, R_EFL, R_ESP);
	this->r = uregs[R_EAX];
	exit(0);
}
