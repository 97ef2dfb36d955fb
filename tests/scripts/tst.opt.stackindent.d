/* @rows: opt.stackindent out.stack act.ustack */
/* @command: -q -w -x stackindent=3 -c /bin/true -s @script@ @scratch@/stack */
/* frames are indented as far as one wants */
BEGIN { freopen("%s", $$1); }
syscall::exit_group:entry { ustack(1); }
END { freopen(""); system("sed 's/[^ ].*/frame/' %s", $$1); }
