#!/bin/bash -eu
# Builds all fuzz targets as OSS-Fuzz wants them: with $CC, $CXX, $CFLAGS and
# $LIB_FUZZING_ENGINE, into $OUT, each with its seeds as a zip file and with its
# dictionary.  Shared libraries go along, as targets run elsewhere.
# Lies in the sources, or as a copy beside them in $SRC.
cd "$SRC/proftools"
source=$PWD
[ -x configure ] || autoreconf -i
build=${WORK:-$SRC}/proftools-build
mkdir -p "$build" "$OUT"
cd "$build"

"$source/configure" --quiet --enable-fuzzers FUZZ_LD="${CXX:-$CC}" \
    LDFLAGS="${LDFLAGS-} -Wl,--disable-new-dtags,-rpath,'\$\$ORIGIN/lib'"
make -j"$(nproc)" all
"$source/fuzz/seeds" "$source" cmd fuzz/seed-corpus

for target in fuzz/fuzz_*; do
	case $target in *.o) continue ;; esac
	name=${target#fuzz/fuzz_}
	cp "$target" "$OUT/"
	(cd "fuzz/seed-corpus/$name" &&
	    zip -qr - .) >"$OUT/fuzz_${name}_seed_corpus.zip"
	if [ -f "fuzz/seed-corpus/$name.dict" ]; then
		cp "fuzz/seed-corpus/$name.dict" "$OUT/fuzz_$name.dict"
	fi
done

# Libraries of the C library and of the compiler are where targets run.  The
# archive library is loaded by its name (lib/io/libarchive.c).
rm -rf "$OUT/lib"	# targets of an earlier build are linked with these
mkdir -p "$OUT/lib"
archive=$($CC -print-file-name=libarchive.so)
cp -L "$archive" "$OUT/lib/$(readelf -d "$archive" |
    sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')"
ldd "$OUT"/fuzz_profdata "$archive" | awk '$2 == "=>" { print $3 }' |
    grep -vE '/(ld-|lib(c|m|dl|rt|pthread|resolv|gcc_s|stdc\+\+)\.so)' |
    sort -u | while read -r library; do
	cp -L "$library" "$OUT/lib/"
done
