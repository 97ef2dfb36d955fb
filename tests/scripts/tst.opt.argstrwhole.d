/* @sonde: -q -x argstrwhole -c "sh -c 'uname > /dev/null'" */
/* the last member of a structure that is cut without it */
syscall::uname:return { printf("%d\n", index(argstr, "domainname=") > 0); }
