/* @rows: type.posix */
/* The sizes of the types of POSIX. */
BEGIN
{
	printf("%d %d %d %d ", sizeof (size_t), sizeof (ssize_t), sizeof (uintptr_t), sizeof (ptrdiff_t));
	printf("%d %d %d %d\n", sizeof (pid_t), sizeof (uid_t), sizeof (gid_t), sizeof (id_t));
	exit(0);
}
