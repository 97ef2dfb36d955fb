/* @rows: type.member_bounds */
/* A cast to a pointer lifts the check of an index: behind the text lies memory of strsize bytes, whoever made the string. */

BEGIN { c = ((char *)curlwpsinfo->pr_name)[2]; trace(c == execname[2]); trace(curlwpsinfo->pr_name[1] == execname[1]); }
BEGIN { i = ((char *)curlwpsinfo->pr_name)[20]; i = ((char *)execname)[20]; i = ((char *)probeprov)[20]; trace("no fault"); }
BEGIN { trace(((char *)strjoin("a", "b"))[1]); trace(((char *)strjoin("a", "b"))[200]); }
BEGIN { text = "abc"; p = (char *)text; text = "xyz"; trace(stringof(p)); exit(0); }
ERROR { exit(1); }
