// Calls the shared object.
extern "C" int lib_count(int n);

int main()
{
	return lib_count(7) == 3 ? 0 : 1;
}
