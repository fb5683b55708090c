inline int text(const char *s)
{
	const char *word = "hÃ© ÿÃ"; /* â€® */ if (*s == 0) { return 1; }
	return *word;
}