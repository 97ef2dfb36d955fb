struct pirate; struct pirate p;
