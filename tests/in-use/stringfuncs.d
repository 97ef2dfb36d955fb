#!/usr/sbin/dtrace -s
/* Paths and words, taken apart. */
#pragma D option quiet
pid$target:a.out:say:entry
{
	this->s = copyinstr(arg0);
	printf("%s|%s|%d|", basename(this->s), dirname(this->s), strlen(this->s));
	printf("%s|%s|", substr(this->s, 0, 4), strtok(this->s, "/"));
	printf("%s|%d|", strjoin(strjoin("<", strtok(NULL, "/")), ">"), index(this->s, "lib"));
	printf("%s|%s\n", strchr(this->s, '.') == NULL ? "none" : strchr(this->s, '.'), cleanpath(strjoin(this->s, "/../x")));
}
