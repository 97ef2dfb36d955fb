#!/usr/sbin/dtrace -s
/* Connections that are asked for: where to, and what became of them. */
#pragma D option quiet
inline int af_inet = 2;

syscall::connect:entry
{
	this->s = (struct sockaddr_in *)copyin(arg1, sizeof (struct sockaddr));
	self->family = this->s->sin_family;
	self->port = ntohs(this->s->sin_port);
	this->a = (uint8_t *)&this->s->sin_addr;
	self->address = strjoin(strjoin(strjoin(lltostr(this->a[0]), "."), strjoin(lltostr(this->a[1]), ".")),
	    strjoin(strjoin(lltostr(this->a[2]), "."), lltostr(this->a[3])));
	self->same = inet_ntop(AF_INET, &this->s->sin_addr) == self->address;
}

syscall::connect:return
/self->family == af_inet/
{
	this->err = errno == 0 ? "ok" : errno == ECONNREFUSED ? "refused" : "failed";
	printf("%s %s:%d %s %d\n", execname, self->address, self->port, this->err, self->same);
	@errors[this->err] = count();
	self->family = 0; self->address = 0; self->port = 0;
}
