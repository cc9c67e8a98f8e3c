# The two commands of the README, and what developers use.
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= python3

.PHONY: judge test lint clean

judge: $(VENV)/installed
	@echo "Judging 27 sample questions 100 times each with the tiny judge that comes with the package."
	$(BIN)/inspect eval tasks/bbh_judge.py --epochs 100
	@echo
	@echo "Every judgment, with its seed, is in the newest log in logs/. Next:"
	@echo "  . $(BIN)/activate"
	@echo "  inspect view                                  # browse the judgments"
	@echo "  inspect-reliability report logs               # all coefficients, beside those of logs/example"
	@echo "  inspect eval tasks/bbh_judge.py --epochs 100 --model hf_seeded/<hub name or folder>"

test: $(VENV)/installed
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2
	@echo
	@echo "All tests passed. Next: 'make judge' runs the main job, CONTRIBUTING.md says how to change something."

lint: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

$(VENV)/installed: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, this is " + sys.version.split()[0] + ". Try: make PYTHON=python3.12 ...")'
	@echo "Setting up $(VENV) (some minutes the first time: PyTorch is large)."
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps irrCAC==0.4.4
	@touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info
