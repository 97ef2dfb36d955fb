/* @rows: act.copyoutstr */
/* @sonde: -q -w -c "sh -c '/bin/echo 0123456789 | tr \\\\0 .'" */
/* the NUL goes along where there is room for it */
syscall::write:entry
/arg0 == 1 && execname == "echo"/
{
	copyoutstr("ab", arg1, 10);
}
