/* @rows: cpp.headers */
/* @sonde: -q -C */
/* headers of the system: what D declares, too, stays D's; functions that they define are left out */
#include <sys/types.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <netinet/in.h>
#include <linux/types.h>
#include <fcntl.h>
#include <signal.h>
#include <time.h>
#include <errno.h>

struct message { unsigned length; char text[8]; };
typedef unsigned count_t;
count_t n;

BEGIN
{
	this->m = (struct message *)alloca(16);
	bcopy("abc", this->m->text, 4);
	n = 7;
	printf("%d %d %d %d\n", AF_INET6, O_RDWR, ENOENT, SIGKILL);
	printf("%d %d %d\n", sizeof (struct timespec), sizeof (struct sockaddr_in), sizeof (__u32));
	printf("%d %s %d\n", sizeof (struct message), stringof((char *)this->m->text), n);
	exit(0);
}
