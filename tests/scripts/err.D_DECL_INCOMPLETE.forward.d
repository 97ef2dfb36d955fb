struct pirate; struct pirate p;
/* @rows: type.incomplete */
