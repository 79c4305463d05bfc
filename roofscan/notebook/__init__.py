"""Live functions, source texts and files as reports; IPython's magics."""
