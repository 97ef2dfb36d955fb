pid$target:::entry { }
