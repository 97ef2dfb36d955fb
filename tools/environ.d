#!/usr/bin/env -S sonde -s
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * environ: shows the environment of each program that is started
 *
 * A line for each program, with its process and its path, and below it the variables that it gets: the first 64, and 511 bytes of
 * each. A program that cannot be started is not there.
 *
 * option var=NAME: only this variable
 * example: sonde environ --var=PATH sh -c '/bin/true'
 *     the PATH that true gets
 */
#pragma D option quiet
#pragma D option strsize=512
#pragma D option nspec=64
#pragma D option switchrate=10hz

/* What a line shows of a variable: all of it, or nothing. */
inline string before = strjoin($$var, "=");

syscall::execve:entry
{
	self->next = arg2;
	self->spec = speculation();
}

syscall::execve:entry
{
	speculate(self->spec);
	printf("%-7d %s\n", pid, copyinstr(arg0));
}

/* D has no loops: each of these shows one variable, if there is one more. */
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}
syscall::execve:entry
/self->next && *(uintptr_t *)copyin(self->next, 8)/
{
	this->text = copyinstr(*(uintptr_t *)copyin(self->next, 8));
	self->next += 8;
	speculate(self->spec);
	printf("%s", $$var == "" || index(this->text, before) == 0 ? strjoin("        ", strjoin(this->text, "\n")) : "");
}

syscall::execve:return
/errno == 0/
{
	commit(self->spec);
}

syscall::execve:return
/errno != 0/
{
	discard(self->spec);
}

syscall::execve:return
{
	self->spec = 0;
	self->next = 0;
}
