# adassl: `make run` shows it, `make test` proves it. `make help` lists the rest.
BUILD ?= build
ASAN_BUILD ?= build-asan
FUZZ_SECONDS ?= 60
STUDY ?= studies/numerical-complex.toml
BUDGET ?= quick

.DEFAULT_GOAL := help
.PHONY: help setup build run video emoji teapots test-build test fuzz trust format lint bench bench-kernels golden results clean

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup:  ## install missing Debian packages (with sudo unless run as root)
	@bash scripts/setup.sh

build: setup  ## build the program at build/adassl
	@cmake -Wno-dev --preset release -B $(BUILD) -DADASSL_TESTS=OFF >/dev/null
	cmake --build $(BUILD) --target adassl

run: build  ## reproduce the paper's Table 2 at a quick budget, and make a page of it
	$(BUILD)/adassl reproduce $(STUDY) --budget $(BUDGET)

VIDEO := runs/video-demo/quick
video: build  ## train BYOL and AdaSSL-V on moving digits for some minutes, imagine and retrieve futures
	@bash scripts/setup.sh video
	$(BUILD)/adassl data mnist --out data/mnist
	$(BUILD)/adassl reproduce studies/video-demo.toml --budget quick --rows byol,adassl-v
	$(BUILD)/adassl imagine $(VIDEO)/byol/seed-1 $(VIDEO)/adassl-v/seed-1 --out $(VIDEO)
	$(BUILD)/adassl retrieve $(VIDEO)/byol/seed-1 $(VIDEO)/adassl-v/seed-1 --out $(VIDEO)

EMOJI := runs/emoji-demo
emoji: build  ## your own pairs, on real data: the same emoji by six artists, about a quarter of an hour (docs/DATA.md)
	@bash scripts/setup.sh emoji
	node scripts/fetch_emoji.mjs --out data/emoji
	[ -e $(EMOJI)/config.toml ] || $(BUILD)/adassl train data/emoji --run $(EMOJI) samples.table=data/emoji.csv \
	  pairing.kind=group pairing.by=folder data.split_by=base
	$(BUILD)/adassl resume $(EMOJI)
	$(BUILD)/adassl neighbours $(EMOJI) data/emoji
	$(BUILD)/adassl probe $(EMOJI) data/emoji --column style --by folder samples.table=data/emoji.csv
	$(BUILD)/adassl explain $(EMOJI) 1f600/noto.png 1f600/twemoji.png
	$(BUILD)/adassl imagine $(EMOJI) --gallery data/emoji

TEAPOTS := runs/teapots/demo
teapots: build  ## pictures with known factors: render, train, and change one factor at a time by r, about a quarter of an hour (docs/TEAPOTS.md)
	@bash scripts/setup.sh teapots
	$(BUILD)/adassl data render teapots --count 20000 --test-count 2000 --size 64 --seed 1 --out data/teapots-small
	$(BUILD)/adassl reproduce studies/teapots.toml --budget demo --rows infonce,adassl-v-additive
	$(BUILD)/adassl imagine $(TEAPOTS)/adassl-v-additive/seed-1 --gallery data/teapots-small/test/images \
	  --groups --rows 3 --samples 5 --out $(TEAPOTS)

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

trust: test-build  ## test the program under faults for two hours, and print which promises held (docs/TRUST.md)
	@bash scripts/setup.sh fuzz
	@bash scripts/trust.sh $(BUILD) $(FUZZ_SECONDS)

format: setup  ## format all sources
	@git ls-files '*.h' '*.cpp' | xargs clang-format -i

lint: build  ## check formatting, layers and clang-tidy (a quarter of an hour)
	@bash scripts/lint.sh $(BUILD)

bench: build  ## measure the parts of a training step, fused and reference
	$(BUILD)/adassl bench

bench-kernels: setup  ## measure each kernel at many sizes (bench/README.md)
	@cmake -Wno-dev --preset release -B $(BUILD) -DADASSL_BENCH=ON >/dev/null
	cmake --build $(BUILD) --target kernels_bench
	$(BUILD)/kernels_bench

golden:  ## rewrite the reference tensors (needs Debian's python3-torch and python3-sklearn)
	/usr/bin/python3 tools/golden/write_all.py

results:  ## write docs/RESULTS.md from the records under results/
	@bash scripts/results.sh $(BUILD)/adassl

clean:  ## remove the builds; runs are kept
	rm -rf $(BUILD) $(ASAN_BUILD) build-fuzz
