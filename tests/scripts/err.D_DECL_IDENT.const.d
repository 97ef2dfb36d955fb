const x;
