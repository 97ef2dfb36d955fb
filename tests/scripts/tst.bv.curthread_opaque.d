/* @rows: bv.curthread_opaque bv.curthread */
/* curthread is a value everywhere: it can be compared, kept, cast, and be a key. */

BEGIN
{
	trace(curthread != 0);
	t[curthread] = 1;
	@[curthread] = count();
	self->t = curthread;
	trace(self->t == curthread);
	trace((int64_t)curthread != -1);
	trace(t[curthread]);
	clear(@);
	trunc(@);
	exit(0);
}
