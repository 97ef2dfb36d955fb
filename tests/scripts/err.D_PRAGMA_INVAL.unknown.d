#pragma D foo
BEGIN { }
