"""What is installed does not change while tests run: it is looked up once, not in each eval."""

import importlib.metadata
from functools import cache

importlib.metadata.packages_distributions = cache(importlib.metadata.packages_distributions)
