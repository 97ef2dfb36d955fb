static int x;
/* @rows: var.storage_class */
