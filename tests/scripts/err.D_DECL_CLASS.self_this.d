self this int x;
