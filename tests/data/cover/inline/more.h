inline unsigned next(unsigned x) { return x + 1; }
typedef unsigned more;
