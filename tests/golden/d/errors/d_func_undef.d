BEGIN {
	nothing(1);
}
