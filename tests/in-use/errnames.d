/* The commonest errors by name. */
#pragma D option quiet
inline string errname = errno == ENOENT ? "ENOENT" : errno == EACCES ? "EACCES" : errno == ENOTDIR ? "ENOTDIR" :
    errno == EBADF ? "EBADF" : errno == EEXIST ? "EEXIST" : lltostr(errno);
syscall:::return
/pid == $target && (int)arg0 == -1/
{
	@[errname] = count();
}
END { setopt("aggsortkey"); printa("%s %@d\n", @); }
