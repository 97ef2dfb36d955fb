/* @rows: act.copyoutstr */
/* @sonde: -q -w -c "/bin/echo 0123456789" */
/* a string and its NUL, at most so many bytes */
syscall::write:entry
/arg0 == 1/
{
	copyoutstr("abcdef", arg1, 4);
	copyoutstr("X", arg1 + 8, 1);
}
