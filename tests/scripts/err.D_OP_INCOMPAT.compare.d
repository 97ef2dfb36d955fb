BEGIN /execname == 1/ { }
