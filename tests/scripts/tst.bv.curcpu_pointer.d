/* @rows: bv.curcpu_pointer */
/* curcpu is a pointer like any other. */

cpuinfo_t *ci;

BEGIN
{
	ci = curcpu;
	trace((int64_t)curcpu != 0);
	trace(ci->cpu_id == cpu);
	trace(curcpu->cpu_id == cpu);
	exit(0);
}
