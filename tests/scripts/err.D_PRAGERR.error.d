#error this is wrong
BEGIN { }
