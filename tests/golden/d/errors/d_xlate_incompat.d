struct out { int x; };
translator struct out < int *i > {
	x = "one";
};
