struct s { char c:9; };

/* @rows: type.bitfield */
