"""One kernel in words, for the formats that people read: its figures, levels, verdict, findings and remarks."""
