/* Reads and writes by kind of file: what is not a file of the disk has a name of its own. */
#pragma D option quiet
syscall::read:entry, syscall::write:entry
/pid == $target/
{
	@[probefunc, fds[arg0].fi_fs == "pipefs" ? "pipe" : "file"] = sum(arg2);
}
