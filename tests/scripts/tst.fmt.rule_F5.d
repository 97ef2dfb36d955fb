BEGIN { @[(char)-3] = count(); @s[(short)-3] = count(); @i[-3] = count(); exit(0); }
