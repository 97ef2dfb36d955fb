/* From where a program writes. */
#pragma D option quiet
syscall::write:entry
/pid == $target/
{
	@[ustack()] = count();
}
