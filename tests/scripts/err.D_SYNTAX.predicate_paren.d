BEGIN /(pid == 1/ { }
