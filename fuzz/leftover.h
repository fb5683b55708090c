/*
 * leftover.h - what a program that was left by way of exit(3) had not released
 *
 * A process that ends gives all back; a program that runs as a function has to
 * be cleaned up after.
 */
#ifndef FUZZ_LEFTOVER_H
#define FUZZ_LEFTOVER_H

/* From now on, notes what is allocated and opened. */
void leftover_begin(void);

/* The program has returned: it has released what it had to. */
void leftover_forget(void);

/*
 * The program was left: frees its memory and closes its descriptors.  Memory is
 * known with the address sanitizer only; what the C library allocated for
 * itself stays.
 */
void leftover_release(void);

#endif
