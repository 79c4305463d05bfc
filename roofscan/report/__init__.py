"""Rendering only: what the other rooms found, as text, JSON, Markdown, HTML, SARIF and charts."""
