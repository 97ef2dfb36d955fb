int count;
