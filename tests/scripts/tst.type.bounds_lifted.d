/* @rows: type.member_bounds */
/* A cast to a pointer lifts the check of an index. */

BEGIN { c = ((char *)curlwpsinfo->pr_name)[2]; trace(c == execname[2]); trace(curlwpsinfo->pr_name[1] == execname[1]); exit(0); }
