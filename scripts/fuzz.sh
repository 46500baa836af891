#!/bin/sh
# Random files for the loaders of schedules and of MSCCL programs, for FUZZ_SECONDS (600): by
# libFuzzer where there is a clang that can (clang-16 and libclang-rt-16-dev on Debian 12), else by
# the driver that the tests use. What libFuzzer finds of interest goes to build/fuzz/found; an input
# that fails lies in build/fuzz.
set -eu
cd "$(dirname "$0")/.."
seconds=${FUZZ_SECONDS:-600}
corpus=$PWD/tests/fuzz/corpus
for clang in clang++-19 clang++-18 clang++-17 clang++-16 clang++; do
  command -v $clang >/dev/null || continue
  probe=$(mktemp -d)
  echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' \
    >"$probe/probe.cpp"
  if $clang -std=c++20 -fsanitize=fuzzer,address "$probe/probe.cpp" -o "$probe/probe" 2>/dev/null; then
    rm -r "$probe"
    echo "== building with $clang (build/fuzz)"
    CXX=$clang CC=$(echo $clang | sed 's/++//') cmake --preset fuzz >build/fuzz.log 2>&1 ||
      { cat build/fuzz.log; exit 1; }
    ninja -C build/fuzz fuzz_loaders
    mkdir -p build/fuzz/found
    cd build/fuzz
    # What is read stays as long as the program: every job is short, and bounded in memory.
    exec tests/fuzz/fuzz_loaders -fork=2 -max_total_time="$seconds" -timeout=10 -max_len=16384 \
      -rss_limit_mb=4096 -dict="$corpus/../loaders.dict" found "$corpus"
  fi
  rm -r "$probe"
done
echo "== no clang with libFuzzer: mutations (build/asan)"
cmake --preset asan >build/asan.log 2>&1 || { cat build/asan.log; exit 1; }
ninja -C build/asan fuzz_loaders
cd build/asan && exec tests/fuzz/fuzz_loaders "$corpus" "$seconds" "$(date +%s)"
