"""Where trajectories come from: files, formats and layouts."""
