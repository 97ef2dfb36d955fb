this string names[int, string];
