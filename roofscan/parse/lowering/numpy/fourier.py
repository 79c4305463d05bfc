"""Fast Fourier transforms: 5 N log2 N operations for N points (the FFTW convention), half of that for real input."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from typing import Literal

from roofscan.parse.lowering.calls.arguments import argument, axes_of, axis_of
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.numpy.allocation import shape_of, written
from roofscan.parse.lowering.numpy.array_operations import as_operand, library_work, stream_read, total
from roofscan.parse.lowering.numpy.rule import NumpyRule, ResultType, result_type, rows
from roofscan.parse.lowering.values import Keywords, Value, View
from roofscan.symbolic.expr import ONE, apply


@dataclass(frozen=True)
class Transform(NumpyRule):
    """A transform along one axis, the last two axes, or all that ``axes=`` names."""

    axes: Literal["one", "two", "all"]
    dtype: ResultType = "complex"
    _: KW_ONLY
    is_real: bool = False  # of real input, or to real output
    inverse_of_real: bool = False
    takes_array: bool = True
    constrains_ranks: bool = True

    def lower(self, cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
        operands = [v for v in (as_operand(cx, a, line) for a in args[:2]) if isinstance(v, View) and v.ndim]
        return self._lower(cx, name, operands[0], args, keywords, line) if operands else None

    def _lower(self, cx: Context, name: str, view: View, args: list[Value], keywords: Keywords, line: int) -> Value:
        axes: list[int] | None
        if self.axes == "two":
            axes = list(range(view.ndim))[-2:]
        elif self.axes == "all":
            axes = axes_of(keywords.get("axes"), view.ndim)
        else:
            place = axis_of(argument(args, keywords, 2, "axis"), view.ndim, -1)
            axes = None if place is None else [place]
        size = argument(args, keywords, 1, "n") if self.axes == "one" else keywords.get("s")
        lengths = None if size is None else shape_of(cx, size, line)
        if axes is None or (lengths is not None and len(lengths) != len(axes)):
            return cx.unknown(line, f"the axes of {name} are unknown")
        shape = list(view.shape)
        for axis, length in zip(axes, lengths or ()):
            shape[axis] = length
        last = axes[-1]
        if self.inverse_of_real and lengths is None:
            shape[last] = (shape[last] - 1) * 2
        dtype = result_type(self.dtype, view.dtype)
        points = total([shape[a] for a in axes])
        logarithm = apply("log2", [points]) if points.constant != 0 else ONE
        work = total(shape) * logarithm * Fraction(5, 2 if self.is_real else 1)
        figure = "5*n*log2(n)/2" if self.is_real else "5*n*log2(n)"
        cx.builder.reason(line, f"{name} is counted by its library figure {figure}", "lower")
        for kind in ("mul", "add"):
            library_work(cx, kind, result_type("real", dtype), line, work / 2)
        stream_read(cx, view, line)
        if self.is_real and not self.inverse_of_real:
            shape[last] = shape[last] // 2 + 1
        return written(cx, shape, dtype, line)


FOURIER: dict[str, NumpyRule] = {
    **rows("fft ifft", Transform("one")),
    **rows("fft2 ifft2", Transform("two")),
    **rows("fftn ifftn", Transform("all")),
    **rows("rfft hfft ihfft", Transform("one", is_real=True)),
    **rows("rfft2", Transform("two", is_real=True)),
    **rows("rfftn", Transform("all", is_real=True)),
    **rows("irfft", Transform("one", "real", is_real=True, inverse_of_real=True)),
    **rows("irfft2", Transform("two", "real", is_real=True, inverse_of_real=True)),
    **rows("irfftn", Transform("all", "real", is_real=True, inverse_of_real=True)),
}
