# The two commands of the README, and what developers use.
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= python3
CONSTRAINTS := constraints.txt
# Python compiles a module when it is first imported; compiling all of PyTorch takes minutes.
export PYTHONDONTWRITEBYTECODE :=
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --constraint $(CONSTRAINTS)

.PHONY: judge test kernels check lint style spelling graph types docs outputs pictures dist tag hooks versions clean

judge: $(VENV)/judge
	@echo "Judging 27 sample questions 100 times each with the tiny judge that comes with the package."
	$(BIN)/inspect eval tasks/bbh_judge.py --epochs 100
	@echo
	@log=$$(ls -t logs/*.eval | head -n 1) && $(BIN)/inspect-reliability report "$$log" && printf '%s\n' "" \
	  "Every judgment, with its seed, is in $$log. Next:" \
	  "  . $(BIN)/activate" \
	  "  inspect view                                  # browse the judgments" \
	  "  inspect-reliability report $$log --html report.html" \
	  "  inspect eval tasks/bbh_judge.py -T exact=true # the distribution of each verdict, instead of 100 draws" \
	  "  inspect eval tasks/bbh_judge.py --epochs 100 --model hf_seeded/<hub name or folder>"

test: $(VENV)/test
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadscope --no-loadscope-reorder -m "not network and not site"
	@echo
	@echo "All tests passed. Next: 'make judge' runs the main job, CONTRIBUTING.md says how to change something."

# The numeric tests with the arithmetic of an older processor. OpenBLAS takes a kernel of its own choice
# where it does not know the name, as on ARM.
KERNELS = OMP_NUM_THREADS=1 OPENBLAS_CORETYPE=Nehalem ATEN_CPU_CAPABILITY=default MKL_CBWR=COMPATIBLE
NUMERIC = stats answers/test_cautions.py answers/test_gate.py study/test_codes.py study/test_floor.py \
	study/test_procedure.py study/test_published_study.py answers/test_rows.py hf_seeded test_documentation.py
kernels: $(VENV)/test
	@$(KERNELS) $(BIN)/python -c 'import numpy, threadpoolctl as t, torch; print("Kernels:", \
		*(one.get("architecture", "") for one in t.threadpool_info()), torch.backends.cpu.get_cpu_capability())'
	$(KERNELS) $(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadscope $(addprefix tests/,$(NUMERIC)) \
		-k "test_procedure or test_published or test_outputs or not slow"

# Before every commit: what finds most mistakes in under a minute.
check: lint
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadscope --no-loadscope-reorder -m "not slow"

# Side by side: none needs another.
lint: $(VENV)/test
	@$(MAKE) --no-print-directory --jobs style spelling graph types

style:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

spelling:
	$(BIN)/codespell

graph:
	$(BIN)/lint-imports --no-logo

types:
	$(BIN)/mypy

# The site, in build/docs, and its tests. `make docs` makes no request once it is set up.
docs: $(VENV)/docs $(VENV)/test
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet
	$(BIN)/python -m pytest -m site tests/test_site.py
	@echo "Open build/docs/index.html."

# What pages take from the code: what commands print, tables, sentences.
outputs: $(VENV)/test
	$(BIN)/python -m docs.site.outputs
	$(BIN)/python -m docs.site.messages

# What pages show of programs: the figure of the README, inspect's viewer.
pictures: outputs
	$(BIN)/python docs/images/answer.py
	$(BIN)/python docs/images/gallery.py
	rm -rf build/pictures && mkdir -p build/pictures && cp logs/example/*.eval build/pictures
	$(BIN)/inspect eval tasks/bbh_judge.py -T replications=100 --log-dir build/pictures --display none
	$(BIN)/python docs/images/viewer.py build/pictures

# Both archives, their metadata, and the wheel in an empty environment of each Python that is here.
PYTHONS := python3.11 python3.12 python3.13
dist: $(VENV)/test
	rm -rf dist
	$(BIN)/python -m build --outdir dist .
	$(BIN)/twine check --strict dist/*
	.ci/try-wheel dist/*.whl $(PYTHONS)

# The tag of a release: not while the repository's owner is unknown, or files name another version.
VERSION = $(shell sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)
tag:
	@! grep -n 'owner = "OWNER"' pyproject.toml || \
		{ echo "Nobody can find the project so: write who publishes it in this line."; exit 1; }
	@grep -q '^version: $(VERSION)$$' CITATION.cff || \
		{ echo "pyproject.toml says $(VERSION), CITATION.cff another version: correct one."; exit 1; }
	@grep -Eq '^## \[?$(VERSION)\b' CHANGELOG.md || \
		{ echo "CHANGELOG.md has no section $(VERSION): rename 'Unreleased'."; exit 1; }
	git tag --annotate v$(VERSION) --message $(VERSION)

hooks: $(VENV)/test
	$(BIN)/pre-commit install

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, this is " + sys.version.split()[0] + ". Try: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/judge: $(BIN)/python pyproject.toml $(CONSTRAINTS)
	@echo "Setting up $(VENV) (a minute or two the first time: PyTorch is large)."
	$(INSTALL) --editable '.[local]'
	@touch $@

$(VENV)/test: $(VENV)/judge
	@echo "Adding what the tests need to $(VENV)."
	$(INSTALL) --editable '.[dev]'
	$(INSTALL) --no-deps irrCAC==0.4.4
	@touch $@

$(VENV)/docs: $(BIN)/python pyproject.toml $(CONSTRAINTS)
	@echo "Adding what the documentation needs to $(VENV)."
	$(INSTALL) --editable '.[docs]'
	@touch $@

# The ends of what pyproject.toml claims: the oldest inspect-ai on the oldest Python, and whatever is
# newest, without constraints, on the newest Python.
OLDEST := python3.11
NEWEST := python3.13
versions: $(VENV)/test
	$(BIN)/python -m pytest -m network
	mkdir -p .versions
	sed "s/^inspect_ai==.*/inspect_ai==$$(sed -n 's/.*"inspect-ai>=\([0-9.]*\).*/\1/p' pyproject.toml)/" constraints.txt > .versions/oldest.txt
	touch .versions/newest.txt
	$(MAKE) test VENV=.versions/oldest PYTHON=$(OLDEST) CONSTRAINTS=.versions/oldest.txt
	$(MAKE) test VENV=.versions/newest PYTHON=$(NEWEST) CONSTRAINTS=.versions/newest.txt

clean:
	rm -rf $(VENV) .versions build dist *.egg-info
