# Objects of other systems: prof-cover finds in them what llvm-cov does.

load ../support/helper

setup() {
	cd "$BATS_TEST_TMPDIR"
	cp "$(data cover)"/code.* .
}

# counts_alike RELEASE FILE [ARCH]: the lines of the tracefiles are the same; of
# no function, there would be none.
counts_alike() {
	echo "llvm-cov-$1 $2 ${3-}"
	"llvm-cov-$1" export -format=lcov -instr-profile=code.profdata \
	    ${3:+-arch="$3"} "$2" | sort >theirs
	prof-cover --to lcov ${3:+--arch "$3"} code.proftext "$2" | sort >ours
	same theirs ours
	grep -q DA:14,20 ours
}

# compile RELEASE TARGET: code.o
compile() {
	"clang-$1" --target="$2" -c -fprofile-instr-generate \
	    -fcoverage-mapping -o code.o code.c
}

@test 'objects of every class, byte order and format' {
	need clang-22 llvm-cov-22 llvm-profdata-22
	local target

	llvm-profdata-22 merge -o code.profdata code.proftext
	for target in i386-linux-gnu powerpc-linux-gnu powerpc64le-linux-gnu \
	    s390x-linux-gnu aarch64-linux-gnu armv7-linux-gnueabi \
	    x86_64-apple-macosx arm64-apple-ios armv7-apple-ios \
	    x86_64-pc-windows-msvc i386-pc-windows-msvc; do
		compile 22 "$target"
		counts_alike 22 code.o
	done
}

@test 'objects of older compilers' {
	need llvm-cov-22 llvm-profdata-22
	local release target

	# Before LLVM 15, hashes had 64 bits.
	sed 's/^391584562558722393$/10767878104020345177/' code.proftext >old
	for release in 13 16 19; do
		need "clang-$release"
		if ((release < 15)); then
			cp old code.proftext
		else
			cp "$(data cover)/code.proftext" .
		fi
		llvm-profdata-22 merge -o code.profdata code.proftext
		for target in i386-linux-gnu s390x-linux-gnu arm64-apple-ios \
		    x86_64-pc-windows-msvc; do
			compile "$release" "$target"
			counts_alike 22 code.o
		done
	done
}

@test 'objects that were joined, packed or put into archives' {
	need clang-22 llvm-cov-22 llvm-profdata-22 llvm-ar-22 llvm-lipo-22 ld
	local format

	llvm-profdata-22 merge -o code.profdata code.proftext
	echo 'int other(int a) { return a ? 1 : 2; }' >other.c
	clang-22 --target=x86_64-linux-gnu -c -fprofile-instr-generate \
	    -fcoverage-mapping other.c
	compile 22 x86_64-linux-gnu
	ld -m elf_x86_64 -r -o joined.o code.o other.o
	counts_alike 22 joined.o
	cp code.o a-name-of-more-than-fifteen-bytes.o
	for format in gnu bsd darwin; do
		llvm-ar-22 --format="$format" rcs "$format.a" \
		    a-name-of-more-than-fifteen-bytes.o other.o
		counts_alike 22 "$format.a"
	done
	llvm-ar-22 --thin rcs thin.a code.o other.o
	counts_alike 22 thin.a
	compile 22 arm64-apple-ios
	mv code.o arm64.o
	compile 22 x86_64-apple-macosx
	llvm-lipo-22 -create -output both code.o arm64.o
	counts_alike 22 both arm64
	counts_alike 22 both x86_64
	llvm-lipo-22 -create -fat64 -output both code.o arm64.o
	counts_alike 22 both arm64
}

@test 'paths of Windows have slashes, and are absolute' {
	need clang-22
	printf 'int f(int x)\n{\n\treturn x;\n}\n' >'src\w.c'
	clang-22 -target x86_64-pc-windows-msvc -fprofile-instr-generate \
	    -fcoverage-mapping '-fcoverage-compilation-dir=C:\build' -c \
	    'src\w.c' -o w.o
	printf ':fe\ng\n24\n1\n1\n' >none.proftext
	prof-cover --to lcov w.o none.proftext | grep -qx 'SF:C:/build/src/w\.c'
	printf -- '--- a/src/w.c\n+++ b/src/w.c\n@@ -2 +2 @@\n-(\n+{\n' >d.diff
	prof-cover --path-map C:/build= --include 'src/*' --diff d.diff w.o \
	    none.proftext | grep -qx 'src/w\.c:2'
}
