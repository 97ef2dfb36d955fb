/* When a file was opened, as a date; and how long after the start. */
#pragma D option quiet
BEGIN { start = timestamp; wall = walltimestamp; }
syscall::openat:entry
/basename(copyinstr(arg1)) == "stamp"/
{
	printf("%Y|%d|%d\n", walltimestamp, walltimestamp >= wall, (timestamp - start) / 1000000);
	printf("%-22Y|\n", (uint64_t)0);
}
