/* @sonde: -q -c '/bin/true one two three' */
/* @rows: psinfo.psargs */
/* The arguments as they are after exec, with blanks between. */
syscall::exit_group:entry { printf("%s\n", curpsinfo->pr_psargs); }
