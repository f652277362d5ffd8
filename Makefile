# adassl: `make run` shows it, `make test` proves it. `make help` lists the rest.
BUILD ?= build
ASAN_BUILD ?= build-asan
FUZZ_SECONDS ?= 60
STUDY ?= studies/numerical-complex.toml
BUDGET ?= quick

.DEFAULT_GOAL := help
.PHONY: help setup build run video test-build test fuzz trust format lint bench bench-kernels golden results clean

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup:  ## install what is missing (Debian packages; sudo only when not root)
	@bash scripts/setup.sh

build: setup  ## build the program at build/adassl
	@cmake -Wno-dev --preset release -B $(BUILD) -DADASSL_TESTS=OFF >/dev/null
	cmake --build $(BUILD) --target adassl

run: build  ## reproduce the paper's Table 2 at a quick budget, and make a page of it
	$(BUILD)/adassl reproduce $(STUDY) --budget $(BUDGET)

VIDEO := runs/video-demo/quick
video: build  ## some minutes of video: train BYOL and AdaSSL-V on moving digits, imagine and retrieve futures
	@bash scripts/setup.sh video
	$(BUILD)/adassl data mnist --out data/mnist
	$(BUILD)/adassl reproduce studies/video-demo.toml --budget quick --rows byol,adassl-v
	$(BUILD)/adassl imagine $(VIDEO)/byol/seed-1 $(VIDEO)/adassl-v/seed-1 --out $(VIDEO)
	$(BUILD)/adassl retrieve $(VIDEO)/byol/seed-1 $(VIDEO)/adassl-v/seed-1 --out $(VIDEO)

test-build: setup
	@cmake -Wno-dev --preset release -B $(BUILD) -DADASSL_TESTS=ON >/dev/null
	cmake --build $(BUILD)

test: test-build  ## build and run all tests, the sanitized ones included
	@cmake -Wno-dev --preset asan -B $(ASAN_BUILD) >/dev/null
	cmake --build $(ASAN_BUILD)
	ctest --test-dir $(ASAN_BUILD) --output-on-failure -j 2 --progress
	ctest --test-dir $(BUILD) --output-on-failure -j 2 --progress

fuzz:  ## search for inputs that break a reader of files, FUZZ_SECONDS each (tests/fuzz/README.md)
	@bash scripts/setup.sh fuzz
	@bash scripts/fuzz.sh $(FUZZ_SECONDS)

trust: test-build  ## kill, starve and damage the program for an hour, and print what held (docs/TRUST.md)
	@bash scripts/setup.sh fuzz
	@bash scripts/trust.sh $(BUILD) $(FUZZ_SECONDS)

format: setup  ## format all sources
	@git ls-files '*.h' '*.cpp' | xargs clang-format -i

lint: build  ## formatting, layers, clang-tidy (a quarter of an hour)
	@bash scripts/lint.sh $(BUILD)

bench: build  ## how fast the pieces are, fused and reference
	$(BUILD)/adassl bench

bench-kernels: setup  ## each kernel over many sizes (bench/README.md)
	@cmake -Wno-dev --preset release -B $(BUILD) -DADASSL_BENCH=ON >/dev/null
	cmake --build $(BUILD) --target kernels_bench
	$(BUILD)/kernels_bench

golden:  ## write the reference tensors anew (needs Debian's python3-torch)
	/usr/bin/python3 tools/golden/write_all.py

results:  ## docs/RESULTS.md from the records under results/
	@bash scripts/results.sh $(BUILD)/adassl

clean:  ## remove what was built; runs stay
	rm -rf $(BUILD) $(ASAN_BUILD) build-fuzz
