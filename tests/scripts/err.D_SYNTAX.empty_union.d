union u`v {
};
BEGIN { exit(0); }
/* @rows: type.empty_record */
