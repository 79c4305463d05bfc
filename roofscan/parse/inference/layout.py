"""Layouts of elements that suffice where the rank of an array does not matter.

``x * np.tanh(x)`` asks only for ``x.size``. Where nothing tells the rank of an array and a function treats all its
elements alike, one extent stands for all dimensions; a reduction along the first or last axis leaves two.
"""

from __future__ import annotations

from enum import Enum, auto


class Layout(Enum):
    """Into which extents the elements of an array of any rank are grouped."""

    ELEMENTS = auto()  # all elements in one extent
    FIRST_AXIS = auto()  # the first axis, and the rest
    LAST_AXIS = auto()  # the last axis, and the rest
    SLICES = auto()  # as FIRST_AXIS, told by slices alone: the rest may be a single element


def extents(path: str, layout: Layout) -> tuple[tuple[str, str], ...]:
    """The symbols that stand for the extents of an array of any rank, and what they mean in Python."""
    name = path.replace(".", "_")
    if layout is Layout.ELEMENTS:
        return ((f"{name}_size", f"{path}.size"),)
    if layout is Layout.LAST_AXIS:
        return (f"{name}_rows", f"{path}.size//{path}.shape[-1]"), (f"{name}_row_size", f"{path}.shape[-1]")
    return (f"{name}_shape_0", f"{path}.shape[0]"), (f"{name}_row_size", f"{path}.size//{path}.shape[0]")
