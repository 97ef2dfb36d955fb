#!/usr/sbin/dtrace -s
/* Pages that are brought into the page cache, by program. */
#pragma D option quiet
rawtp:::mm_filemap_add_to_page_cache { @missed[execname] = count(); }
