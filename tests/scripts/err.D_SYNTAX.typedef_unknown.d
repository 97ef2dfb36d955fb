typedef qqint newq;
BEGIN { exit(0); }
/* @rows: type.no_type */
