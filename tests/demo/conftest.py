import sys
from pathlib import Path

from hypothesis import settings

# Helpers of these tests are found by name.
sys.path.insert(0, str(Path(__file__).parent))

# A busy machine must not fail a test.
settings.register_profile("demo", deadline=None)
settings.load_profile("demo")
