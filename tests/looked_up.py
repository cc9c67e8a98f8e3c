"""What inspect looks up in its first eval and then keeps: children of a process have it already."""

import gc
import importlib.metadata

from inspect_ai.model import get_model_info

importlib.metadata.packages_distributions()  # kept by `installed`
get_model_info("mockllm/model")  # reads its table of all models

# Nor do they look through what is imported, which is never garbage.
gc.collect()
gc.freeze()
