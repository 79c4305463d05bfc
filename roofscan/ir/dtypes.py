"""Element types by their NumPy codes, and what roofscan needs to know of each."""

from __future__ import annotations

from roofscan.frozen import dataclass
from roofscan.ir.kinds import DTypeKind, PrecisionName


@dataclass(frozen=True)
class DType:
    """An element type: its NumPy code, size in bytes, kind, and the precision that its arithmetic runs in."""

    code: str
    size: int
    kind: DTypeKind
    precision: PrecisionName | None  # "fp64" …; None where its arithmetic is not counted

    @property
    def counts(self) -> bool:
        """Whether arithmetic on it is floating-point work."""
        return self.kind in ("float", "complex")

    @property
    def is_unsigned(self) -> bool:
        return self.code[:1] == "u"

    @property
    def name(self) -> str:
        """NumPy's long name: ``float64``."""
        return {"bf2": "bfloat16", "b1": "bool"}.get(self.code) or f"{_STEMS[self.code[0]]}{8 * self.size}"


_STEMS = {"f": "float", "c": "complex", "i": "int", "u": "uint"}
_TABLE = [
    DType("f8", 8, "float", "fp64"), DType("f4", 4, "float", "fp32"), DType("f2", 2, "float", "fp16"),
    DType("bf2", 2, "float", "bf16"), DType("c16", 16, "complex", "fp64"), DType("c8", 8, "complex", "fp32"),
    *(DType(f"{sign}{size}", size, "int", None) for sign in "iu" for size in (1, 2, 4, 8)),
    DType("b1", 1, "bool", None),
]  # fmt: skip
BY_CODE = {t.code: t for t in _TABLE}

NUMBERS = frozenset(("bool", "int", "float", "complex"))  # kinds

F8, F4, C16, C8, I8, B1 = (BY_CODE[c] for c in ("f8", "f4", "c16", "c8", "i8", "b1"))

_NAMES = {
    "float64": "f8", "double": "f8", "float_": "f8", "float": "f8", "float32": "f4", "single": "f4",
    "float16": "f2", "half": "f2", "bfloat16": "bf2", "complex128": "c16", "complex": "c16", "cdouble": "c16",
    "complex_": "c16", "complex64": "c8", "csingle": "c8", "int": "i8", "int_": "i8", "intp": "i8",
    "int64": "i8", "int32": "i4", "intc": "i4", "int16": "i2", "int8": "i1", "uint": "u8", "uintp": "u8",
    "uint64": "u8", "uint32": "u4", "uintc": "u4", "uint16": "u2", "uint8": "u1", "byte": "u1", "bool": "b1",
    "bool_": "b1", "boolean": "b1", "b1": "b1", "?": "b1", "d": "f8", "f": "f4", "i": "i4", "l": "i8",

}  # fmt: skip


def lookup(name: str) -> DType | None:
    """The type of a NumPy or Numba name or code (``float32``, ``f4``, ``<f4``), or None."""
    name = name.lstrip("<>=|")
    return BY_CODE.get(name) or BY_CODE.get(_NAMES.get(name, ""))


def promote(a: DType, b: DType) -> DType:
    """NumPy's common type of two arrays' element types."""
    if a == b:
        return a
    if "complex" in (a.kind, b.kind):
        return C16 if "fp64" in (_float_of(a).precision, _float_of(b).precision) else C8
    if "float" in (a.kind, b.kind):
        return max(_float_of(a), _float_of(b), key=lambda t: t.size)
    if "bool" in (a.kind, b.kind):
        return a if b.kind == "bool" else b
    big = max(a, b, key=lambda t: t.size)
    if a.code[0] == b.code[0]:
        return big
    signed, unsigned = (a, b) if a.code[0] == "i" else (b, a)
    if signed.size > unsigned.size:
        return signed
    return BY_CODE[f"i{2 * unsigned.size}"] if unsigned.size < 8 else F8


def _float_of(t: DType) -> DType:
    """The float type that an operand brings into a mix with floats."""
    if t.kind in ("float", "complex"):
        return t
    return BY_CODE["f2"] if t.size == 1 else F4 if t.size == 2 else F8


def weak_type(weak: DType, strong: DType) -> DType:
    """NEP 50: the type of a Python number with an array's element or a NumPy scalar."""
    if weak.kind == "complex" and strong.kind != "complex":
        return C8 if strong.kind == "float" and strong.size <= 4 else C16
    if strong.counts or weak.kind in ("int", "bool"):
        return strong if strong.kind != "bool" else weak
    return F8
