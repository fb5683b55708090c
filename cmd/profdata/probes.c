/*
 * llvm-profdata show --debug-info --show-format=yaml: what debug information
 * says of each function's counters (InstrProfCorrelator.cpp, dumpYaml, LLVM 16
 * to 22).
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "base/yaml_text.h"
#include "cmd/profdata/resolver.h"
#include "cmd/profdata/show.h"

/* Hex64 of LLVM's YAML: capital letters. */
static void
put_probe_hex(struct yaml_text *t, const char *key, uint64_t n)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIX64, n);
	yaml_line(t, 4);
	yaml_key(t, key);
	yaml_put(t, text);
}

static void
put_probe_number(struct yaml_text *t, const char *key, uint64_t n)
{
	yaml_line(t, 4);
	yaml_key(t, key);
	yaml_put_number(t, n);
}

static void
put_probe_string(struct yaml_text *t, const char *key, struct prof_span s)
{
	yaml_line(t, 4);
	yaml_key(t, key);
	yaml_put_string(t, s, false);
}

static enum prof_status
put_probe(void *arg, const struct correlate_probe *p, struct prof_error *err)
{
	struct yaml_text *t = arg;

	yaml_item(t, 4);
	yaml_key(t, "Function Name");
	yaml_put_string(t, p->name, false);
	if (p->linkage_name.size != 0)
		put_probe_string(t, "Linkage Name", p->linkage_name);
	put_probe_hex(t, "CFG Hash", p->hash);
	put_probe_hex(t, "Counter Offset", p->counters);
	put_probe_number(t, "Num Counters", p->num_counters);
	if (p->file.size != 0)
		put_probe_string(t, "File", p->file);
	if (p->line > 0)
		put_probe_number(t, "Line", (uint64_t)p->line);
	return t->out.failed ? err_memory(err) : PROF_OK;
}

int
profdata_show_probes(struct profdata *p)
{
	struct binary *b = profdata_open_binary(p, p->options.debug_info);
	struct profdata_limited_warnings limited = {
	    .max = p->options.correlation_warnings };
	struct yaml_text t = { .first = false };
	struct correlate_visitor v = { .visit = put_probe, .arg = &t,
	    .warn = profdata_limited_warn, .warn_arg = &limited };
	struct prof_error err = { 0 };
	struct profdata_out *out;
	size_t empty;

	profdata_require_section(b, "__llvm_prf_cnts");
	yaml_put(&t, "---\nProbes:");
	empty = t.out.size;
	if (correlate_visit_probes(b, &v, &err) != PROF_OK &&
	    err.code != PROF_E_UNSUPPORTED)
		profdata_fail(binary_path(b), "unable to correlate profile: "
		    "%s", err.reason);
	profdata_limited_end(&limited);
	if (t.out.size == empty)
		profdata_fail(binary_path(b), "unable to correlate profile: "
		    "could not find any profile data metadata in debug info");
	yaml_put(&t, "\n...\n");
	out = profdata_out_open(p);
	profdata_put(out, buf_span(&t.out));
	profdata_out_close(out);
	buf_free(&t.out);
	binary_close(b);
	return 0;
}
