/*
 * Types that only the kernel describes, as members of a script's own struct.
 */
/* @needs: /sys/kernel/btf/vmlinux */
struct mine
{
	u32 first;
	volatile u64 second;
	u8 rest[4];
	struct
	{
		pid_t pid;
	} inner;
};

BEGIN
{
	trace(sizeof(struct mine));
	trace(offsetof(struct mine, rest));
	exit(0);
}
