#!/bin/sh
# Runs the loaders of schedules and MSCCL programs, and the parsers of machines, hosts, choices, tuning
# files, models and configurations, with random inputs for FUZZ_SECONDS (600) in total. Uses libFuzzer
# if a clang has it (Debian 12: clang-16 and libclang-rt-16-dev), otherwise the driver of the tests.
# libFuzzer writes inputs that reach new code to build/fuzz/found-*, and failing inputs to build/fuzz.
set -eu
cd "$(dirname "$0")/.."
seconds=$((${FUZZ_SECONDS:-600} / 2))
inputs=$PWD/tests/fuzz
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
    ninja -C build/fuzz fuzz_loaders fuzz_parsers
    cd build/fuzz
    # Loaded algorithms stay in memory until the program ends, so every job is short and its memory limited.
    for each in loaders:corpus parsers:parsers; do
      mkdir -p found-${each%:*}
      tests/fuzz/fuzz_${each%:*} -fork=2 -max_total_time="$seconds" -timeout=10 -max_len=16384 \
        -rss_limit_mb=4096 -dict="$inputs/loaders.dict" found-${each%:*} "$inputs/${each#*:}"
    done
    exit
  fi
  rm -r "$probe"
done
echo "== no clang with libFuzzer: mutations (build/asan)"
cmake --preset asan >build/asan.log 2>&1 || { cat build/asan.log; exit 1; }
ninja -C build/asan fuzz_loaders fuzz_parsers
cd build/asan
tests/fuzz/fuzz_loaders "$inputs/corpus" "$seconds" "$(date +%s)"
tests/fuzz/fuzz_parsers "$inputs/parsers" "$seconds" "$(date +%s)"
