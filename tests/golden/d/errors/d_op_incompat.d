inline int x = "one";
