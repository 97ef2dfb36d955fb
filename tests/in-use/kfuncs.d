/* Functions of the kernel that a command calls. */
fbt::vfs_*:entry
/pid == $target/
{
	@[probefunc] = count();
}
