BEGIN { trace(curlwpsinfo->pr_name[99]); exit(0); }
/* @rows: type.member_bounds */
