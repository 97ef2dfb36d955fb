BEGIN { trace(curpsinfo->pr_rssize); }

/* @rows: psinfo.no_conversion */
