"""Many kernels at a glance: figures of each (`summary`), which are shown in what order (`selection`), and a table."""
