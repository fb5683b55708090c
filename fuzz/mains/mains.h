/* mains.h - the main functions of the programs, for one process */
#ifndef FUZZ_MAINS_H
#define FUZZ_MAINS_H

typedef int program_main(int argc, char **argv);

program_main llvm_profdata_main, prof_bundle_main, prof_check_main,
    prof_diff_main, prof_export_main, prof_filter_main, prof_index_main,
    prof_merge_main, prof_order_main, prof_report_main, prof_show_main,
    prof_symbolize_main, profraw_cat_main;

#endif
