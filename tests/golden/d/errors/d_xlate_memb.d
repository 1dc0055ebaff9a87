struct out { int x; };
translator struct out < int *i > {
	x = 1;
	y = 2;
};
