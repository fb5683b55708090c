inline int half(int x) { return x > 1 ? x / 2 : 0; }
