/* @rows: opt.knodefs opt.unodefs opt.link opt.pgmax opt.strip opt.ldpath opt.stdc */
/* @sonde: -q -x knodefs -x kdefs -x unodefs -x udefs -x linkmode=dynamic -x linktype=dof -x pgmax=4 -x strip -x ldpath=/usr/bin/ld -x stdc=a -x lazyload -x core -x preallocate=8k -x late=static -x procfspath=/proc -x pspec -x stackframes=5 -x syslibdir=/nonexistent */
/* options for what does not arise here are read and checked */
BEGIN { printf("on\n"); exit(0); }
