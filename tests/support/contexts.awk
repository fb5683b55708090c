# A C++ program of `contexts` allocation contexts that meet in one function:
# each is kept from the beginning to the end of a run and never touched, and
# every second one also makes short-lived objects, 100 times argv[1] of them.
BEGIN {
	print "#include <stdlib.h>\n#include <string.h>"
	print "volatile char *sink;"
	print "__attribute__((noinline)) char *get(int n)"
	print "{\n\treturn new char[n];\n}"
	for (i = 0; i < contexts; i++) {
		printf "__attribute__((noinline)) char *f%d(int n)\n{\n", i
		printf "\tchar *p = get(n + %d);\n", i
		print "\tsink = p;\n\treturn p;\n}"
	}
	print "int main(int argc, char **argv)\n{"
	printf "\tchar *kept[%d];\n", contexts
	print "\tint n = argc > 1 ? atoi(argv[1]) : 1;"
	for (i = 0; i < contexts; i++)
		printf "\tkept[%d] = f%d(64);\n", i, i
	print "\tfor (int k = 0; k < n * 100; k++) {"
	for (i = 0; i < contexts; i += 2) {
		printf "\t\tchar *p%d = f%d(32);\n", i, i
		printf "\t\tmemset(p%d, k, 32);\n\t\tdelete[] p%d;\n", i, i
	}
	printf "\t}\n\tfor (int i = 0; i < %d; i++)\n", contexts
	print "\t\tdelete[] kept[i];\n}"
}
