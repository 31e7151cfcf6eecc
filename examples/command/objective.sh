#!/bin/sh
# An objective for esenas in POSIX shell and awk: a template for wrapping a program of your own.
#
# The engine starts this script once per worker and keeps it. For each candidate it writes one
# line of JSON to our standard input and waits for one line of JSON on our standard output:
#
#     {"id":17,"model":{"centre":0.5,"shape":"sphere"},"theta":[0.1,0.2],"seed":4011}
#     {"id":17,"value":-0.25}
#
# The line has no blanks between its parts, and the keys of the model are sorted, so that cutting
# it up by hand, as below, is safe for a model that you know. For anything richer, use jq.

export LC_ALL=C # numbers have points, not commas

# after TEXT MARK: what follows the first MARK in TEXT
after() { printf '%s' "${1#*"$2"}"; }

while IFS= read -r line; do # ends when the engine has no more to ask
    id=$(after "$line" '"id":')
    id=${id%%,*}
    centre=$(after "$line" '"centre":')
    centre=${centre%%[,\}]*}
    shape=$(after "$line" '"shape":"')
    shape=${shape%%\"*}

    # One number per line: from the file of little-endian doubles, if theta is long (od reads the
    # byte order of this machine), and out of the line, if it is short.
    case $line in
    *'"theta_file":'*)
        file=$(after "$line" '"theta_file":"')
        numbers=$(od -A n -v -t fD "${file%%\"*}" | tr -s ' ' '\n')
        ;;
    *)
        numbers=$(after "$line" '"theta":[')
        numbers=$(printf '%s' "${numbers%%]*}" | tr ',' '\n')
        ;;
    esac

    # Replace this with your own f(m, theta); the engine maximizes what it prints. A candidate that
    # cannot be evaluated is answered with an error: the engine records it, and goes on.
    # Randomness, if any, must come from "seed" in the line, or runs cannot be repeated.
    printf '%s\n' "$numbers" | awk -v id="$id" -v centre="$centre" -v shape="$shape" '
        NF { x = $1 - centre; sphere += x * x; cone += x < 0 ? -x : x }
        END {
            if (shape == "sphere") printf "{\"id\":%d,\"value\":%.17g}\n", id, -sphere
            else if (shape == "cone") printf "{\"id\":%d,\"value\":%.17g}\n", id, -cone
            else printf "{\"id\":%d,\"error\":\"unknown shape %s\"}\n", id, shape
        }'
    # awk has ended, so its output is flushed. Send whatever else you print to standard error: >&2
done
