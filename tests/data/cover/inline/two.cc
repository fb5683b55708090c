struct other { int x; };
#include "more.h"
#include "half.h"
int main() { more n = 0; while (n < 3) n = next(n); return half((int)n) - 1; }
