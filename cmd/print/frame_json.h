/* cmd/print/frame_json.h - frames of heap profiles as prof-show prints them */
#ifndef CMD_PRINT_FRAME_JSON_H
#define CMD_PRINT_FRAME_JSON_H

#include "model/heap.h"

/*
 * Appends a frame of the heap as an object: function, location, or the address
 * of what was not symbolized.  With a demangler the function's name in clear
 * follows; NULL: names as stored.
 */
void heap_frame_json(struct buf *, const struct heap *, uint32_t frame,
    heap_name *);

#endif
