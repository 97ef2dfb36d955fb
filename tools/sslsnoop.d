#!/usr/bin/env -S sonde -s
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sslsnoop: shows what programs send and receive through OpenSSL, in the clear
 *
 * A line for each write and read that has moved something, when it ends: the process, which way, how many bytes, and the first
 * of them as text, with \n for the end of a line and the like; the text ends at a byte that is 0. What does not call SSL_read(), SSL_write()
 * and their like is not seen: other libraries (GnuTLS, NSS, Go, Java), and programs that read and write a BIO of libssl
 * (BIO_f_ssl(), as openssl s_server -www does).
 *
 * option bytes=COUNT 64: how many of them are shown, up to 4000
 * option library=PATH /usr/lib/x86_64-linux-gnu/libssl.so.3: the file of the library
 * option name=NAME: only programs with this name
 * example: sonde sslsnoop openssl s_client -connect deb.debian.org:443
 *     what is typed, and what the server answers
 */
#pragma D option quiet
#pragma D option strsize=4k

BEGIN
{
	printf("%-7s %-16s %-5s %8s %s\n", "PID", "PROGRAM", "WAY", "BYTES", "TEXT");
}

pid*:$library:SSL_write:entry,
pid*:$library:SSL_read:entry,
pid*:$library:SSL_write_ex:entry,
pid*:$library:SSL_read_ex:entry
/$$name == "" || execname == $$name/
{
	self->depth = uregs[R_SP];
	self->buffer = arg1;
	self->moved = arg3;
}

pid*:$library:SSL_write:return,
pid*:$library:SSL_read:return
/self->buffer && uregs[R_SP] == self->depth && (int)arg1 > 0/
{
	printf("%-7d %-16s %-5s %8d %S\n", pid, execname, probefunc == "SSL_write" ? "sends" : "gets", (int)arg1,
	    copyinstr(self->buffer, ((int)arg1 < $bytes ? (int)arg1 : $bytes) + 1));
}

pid*:$library:SSL_write_ex:return,
pid*:$library:SSL_read_ex:return
/self->buffer && uregs[R_SP] == self->depth && (int)arg1 == 1/
{
	this->bytes = *(uint64_t *)copyin(self->moved, 8);
	printf("%-7d %-16s %-5s %8d %S\n", pid, execname, probefunc == "SSL_write_ex" ? "sends" : "gets", this->bytes,
	    substr(copyinstr(self->buffer, $bytes + 1), 0, this->bytes < $bytes ? this->bytes : $bytes));
}

pid*:$library:SSL_write:return,
pid*:$library:SSL_read:return,
pid*:$library:SSL_write_ex:return,
pid*:$library:SSL_read_ex:return
/uregs[R_SP] == self->depth/
{
	self->buffer = 0;
}
