#!/usr/bin/env -S sonde -s
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cachestat: counts what programs bring into the page cache, and what the kernel takes out of it
 *
 * At the end, for each program: how often it brought a folio, one page of a file or several in one, into the cache because the
 * file was not there yet or was written anew. A program that has few of them though it reads much lives from the cache. The row
 * (out) counts folios that were taken out again, to make room or because the file has gone. Reads that found their page are not
 * counted: the kernel has no tracepoint there.
 *
 * option top=COUNT 20: only so many programs, those that brought most
 * needs: root, and Linux 6.1
 * example: sonde cachestat --duration=10s
 *     who has read from disks within ten seconds
 */
#pragma D option quiet

rawtp:::mm_filemap_add_to_page_cache
/$target == 0 || progenyof($target)/
{
	@in[execname] = count();
}

rawtp:::mm_filemap_delete_from_page_cache
/$target == 0 || progenyof($target)/
{
	@out = count();
}

END
{
	trunc(@in, $top);
	printf("%12s  %s\n", "FOLIOS", "PROGRAM");
	printa("%@12d  (out)\n", @out);
	printa("%@12d  %s\n", @in);
}
