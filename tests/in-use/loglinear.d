/* Sizes of reads and writes by decades, ten steps each. */
#pragma D option quiet
syscall::write:entry
/pid == $target/
{
	@ = llquantize(arg2, 10, 0, 4, 10);
}
