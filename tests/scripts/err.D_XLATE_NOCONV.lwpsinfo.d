BEGIN { trace(curlwpsinfo->pr_nice); }

/* @rows: lwpsinfo.no_conversion */
