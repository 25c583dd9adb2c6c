"""What a model judge is asked, what its answer means, and how judges agree; no network here."""
