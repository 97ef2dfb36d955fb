BEGIN { trace(curlwpsinfo->pr_oldpri + curlwpsinfo->pr_cpu); }

/* @rows: lwpsinfo.no_conversion */
