int
deeper(int x)
{
	return x > 2 ? x * 3 : x + 1;
}

int
deep(int x)
{
	for (int i = 0; i < x; i++)
		x += deeper(i);
	return x;
}
