/* cover/stream.h - words of coverage in prof-stream(5), inside lib/cover */
#ifndef COVER_STREAM_H
#define COVER_STREAM_H

/* Words of enum cover_state, and one for struct cover_stale. */
enum { STREAM_STALE = 3, STREAM_STATES };
extern const char *const cover_stream_states[];

/* Numbers of the longest list: a region. */
enum { ROW_MAX = 8 };

/* What a condition was on a way: false, true and COVER_NOT_EVALUATED. */
#define COVER_OUTCOMES	"FT-"

#endif
