struct a { int x; char x; };
