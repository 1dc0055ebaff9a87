int x[];
