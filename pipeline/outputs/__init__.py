"""What a run leaves behind: tables, manifest, reports, and how they are committed."""
