# One line each; .ci/run calls the same ones.
.PHONY: demo demo-llm test test-postgres check setup bench mutants lock clean
# Many processes are started here; each needs seconds less when compiled modules are kept.
export PYTHONDONTWRITEBYTECODE =
# Tests run in as many processes as there are cores; threads of the linear algebra would only get in their way.
test test-postgres: export OPENBLAS_NUM_THREADS = 1
# One process more than cores: some tests wait for a server, a worker or a browser.
PROCESSES ?= $(shell echo $$(($$(nproc 2>/dev/null || echo 2) + 1)))

demo: ## set up and serve the site with demo data on http://127.0.0.1:8000
	@bin/demo

demo-llm: ## evaluate a real small language model on the demo bank through a worker (compiles it first)
	@bin/demo_llm

test: ## set up and run the whole suite
	@bin/setup && .venv/bin/pytest -n $(PROCESSES) $(ARGS)

test-postgres: ## the same on a scratch PostgreSQL and a real Valkey
	@bin/setup && bin/with-services .venv/bin/pytest -n $(PROCESSES) $(ARGS)

check: ## style, types, arrows, migrations, deployment settings
	@bin/setup && bin/check

setup: ## .venv, node_modules, assets
	@bin/setup

bench: ## measure the hot paths, as ratios to a bare baseline of the same run
	@bin/setup && .venv/bin/python bin/bench.py

mutants: ## mutation testing of the scoring package (half an hour on two cores, not in CI)
	@bin/setup && bin/mutants

lock: ## pin what requirements*.in ask for
	@bin/setup && bin/lock

clean: ## remove everything that set-up and demo made
	rm -rf .venv node_modules assets var
