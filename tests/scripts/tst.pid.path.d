/* @rows: pid.path */
/* @program: aliases -O1 */
/* @sonde: -q -c @program@ */
/* A module field with a slash is a path. A star stands for slashes, too, but one behind a slash begins a comment. What is after the last colon is a predicate. */
pid$target:/?*/aliases-O1:twice:entry, pid$target:/?*/al?ases-*:hid:return/basename(probemod) == "aliases-O1" && probemod != "aliases-O1"/
{
	@[probefunc, probename] = count();
}
END { printa("%s %s %@d\n", @); }
