/* @rows: xlate.task_struct */
/* The library makes psinfo_t of a thread of the kernel's. */

struct task_struct *th;

BEGIN
{
	th = 0;
	trace(xlate <psinfo_t> (th).pr_addr);
	trace(xlate <lwpsinfo_t> (curthread).pr_addr == (uintptr_t)curthread);
	exit(0);
}
