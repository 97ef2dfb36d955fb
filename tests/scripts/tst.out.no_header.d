/* @rows: out.header */
/* @sonde: -c /bin/true */
/* nothing recorded: no header, one newline at the end */
BEGIN { x = 1; }
