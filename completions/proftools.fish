# Completion for fish of all programs of proftools: options are those that the
# program itself tells of.  It is installed under the name of each program.

function __proftools_values --argument-names program option
    switch $option
        case to
            switch $program
                case prof-cover
                    printf '%s\n' text markdown html lcov cobertura llvm-json ndjson
                case prof-export
                    printf '%s\n' folded pprof
                case prof-index
                    printf '%s\n' indexed:
                case prof-order
                    printf '%s\n' names symbols llvm
                case '*'
                    printf '%s\n' stream indexed text yaml lprf
            end
        case for
            printf '%s\n' clang-3.(seq 5 9) clang-(seq 4 22)
        case fail-on
            printf '%s\n' overflow mismatch overflow,mismatch
        case instances
            printf '%s\n' together apart
        case sort
            switch $program
                case prof-cover
                    printf '%s\n' name covered missed
                case '*'
                    printf '%s\n' bytes count lifetime accesses share name size
            end
        case by
            printf '%s\n' bytes count lifetime accesses
    end
end

function __proftools_option --argument-names program short long what text
    set -l options -c $program -l $long
    test -z "$short"; or set -a options -s $short
    test -z "$text"; or set -a options -d $text
    set -l values (__proftools_values $program $long)
    switch $what
        case ''
        case FILE LIST BUNDLE '*=FILE' '*,FILE'
            set -a options -r -F
        case DIR
            set -a options -x -a '(__fish_complete_directories)'
        case '*'
            # A word in small letters is the only value.
            string match -qr '^[a-z]' -- $what; and set values $what
            set -a options -x
            test -z "$values"; or set -a options -a "$values"
    end
    complete $options
end

function __proftools_load --argument-names program
    for line in ($program --help 2>/dev/null)
        set -l command (string match -r '^(?:usage:|      ) [a-z-]+ ([a-z]+) ' -- $line)
        test -z "$command[2]"; or complete -c $program -n __fish_use_subcommand -a $command[2]
        set -l rest $line
        while string match -qr '^ +(?:-(?<short>[a-zA-Z0-9]), )?--(?<long>[a-z-]+)(?: (?<what>[A-Z][^ ]*|[a-z][^ ]*(?=  )))?(?<rest>.*)$' -- $rest
            set -l text (string replace -r '^(\[[^]]*\])? *' '' -- $rest)
            string match -qr '^--' -- $text; and set text
            __proftools_option $program "$short" $long (string trim -r -c , -- "$what") "$text"
            # Several options of one line.
            string match -qr ',$' -- "$what"; or break
        end
    end
end

# The replacements of LLVM: commands, then the options that the command tells of.
function __proftools_load_llvm --argument-names program
    for line in ($program --help 2>/dev/null)
        set -l command (string match -r '^  ([a-z]+)(?: +-|:) ' -- $line)[2]
        test -n "$command"; or continue
        complete -c $program -n __fish_use_subcommand -f -a $command
        for text in ($program $command --help 2>/dev/null)
            set -l option (string match -r '^  --?([a-z][a-z-]+)[ =]' -- $text)[2]
            test -n "$option"; and complete -c $program -n "__fish_seen_subcommand_from $command" -l $option
        end
    end
end

set -l program (string replace -r '.*/' '' -- (status filename) | string replace -r '\.fish$' '')
if string match -q 'llvm-*' -- $program
    __proftools_load_llvm $program
    exit
end

__proftools_load $program
