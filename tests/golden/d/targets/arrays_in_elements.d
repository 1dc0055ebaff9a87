int m[int][3];

tt:::count
{
	m[arg0][1] = arg0 + 5;
	m[arg0][2]++;
	printf("%d %d %d\n", m[arg0][0], m[arg0][1], m[arg0][2]);
}
