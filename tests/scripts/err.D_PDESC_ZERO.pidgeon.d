pidgeon:::entry { }
/* @rows: pid.provider_number */
