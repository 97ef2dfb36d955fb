BEGIN { trace(curpsinfo->pr_size); }

/* @rows: psinfo.no_conversion */
