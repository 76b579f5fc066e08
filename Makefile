.DEFAULT_GOAL := help
.PHONY: help build test test-rubies test-source bench-search honesty lint demo clean

GO := scripts/go
BUDGET ?= 50
BENCH ?= -write docs/search.md
NULLS ?= 40
EFFECTS ?= 10

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build ./gctune; installs a C compiler and Go where they are missing
	@scripts/setup.sh build
	$(GO) build -o gctune ./cmd/gctune

test: ## run all tests with the race detector; installs what they need
	@scripts/setup.sh test
	$(GO) test -race -timeout 20m ./...
	$(GO) test ./bench/problems ./tuner/sampler # what is passed over while racing

test-rubies: ## test on Debian's Rubies of other releases, each in a folder (as root)
	@scripts/setup.sh test
	@scripts/rubies.sh

test-source: ## test on the source of this machine's own Ruby, which is built: five to ten minutes
	@scripts/setup.sh test
	@scripts/source.sh

bench-search: ## measure the samplers and write docs/search.md; with BENCH="-seeds 4" print a table
	@scripts/setup.sh build
	@scripts/setup.sh bench || echo "bench-search: goes on without Optuna" >&2
	$(GO) run ./bench $(BENCH)

honesty: build ## replay examples/rails against itself and with known effects: hours (NULLS=40 EFFECTS=10)
	@scripts/setup.sh demo
	@scripts/honesty.sh $(NULLS) $(EFFECTS)

lint: ## gofmt, go vet and staticcheck
	@scripts/setup.sh build
	@scripts/gofmt.sh
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

demo: build ## tune examples/rails and export the result (BUDGET=50 trials)
	@scripts/setup.sh demo
	@scripts/demo.sh $(BUDGET)

clean: ## remove what build and demo have made
	rm -rf gctune demo examples/rails/tmp
