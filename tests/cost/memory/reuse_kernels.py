"""Nests whose traffic is simulated: name -> text, and the sizes to try."""

from __future__ import annotations

NESTS: dict[str, tuple[str, list[dict[str, int]]]] = {
    "stream": ("a[n] b[n] c[n]\nfor i 0 n\n  a[i] b[i] c[i]=", [{"n": 1000}, {"n": 403}]),
    "two sweeps": ("x[n] y[n]\nfor i 0 n\n  x[i] y[i]=\nfor j 0 n\n  y[j] x[j]=", [{"n": 512}, {"n": 403}]),
    "there and back": ("x[n]\nfor i 1 n\n  x[i-1] x[i]+=\nfor j n-2 -1 -1\n  x[j+1] x[j]+=", [{"n": 640}]),
    "strided": ("x[n]\nfor i 0 n 5\n  x[i]\nfor j 0 n 5\n  x[j]=", [{"n": 1500}]),
    "reversed": ("x[n] y[n]\nfor i 0 n\n  x[n-1-i] y[i]=", [{"n": 801}]),
    "lag": ("x[n] y[n]\nfor i 0 n-100\n  x[i] x[i+100] y[i]=", [{"n": 1000}, {"n": 777}]),
    "records": ("p[n,6]\nfor i 0 n\n  p[i,0] p[i,3]+=", [{"n": 200}, {"n": 151}]),
    "star 2-D": (
        "u[n,m] v[n,m]\nfor i 1 n-1\n  for j 1 m-1\n    u[i,j] u[i,j-1] u[i,j+1] u[i-1,j] u[i+1,j] v[i,j]=",
        [{"n": 32, "m": 64}, {"n": 29, "m": 53}],
    ),
    "star 2-D by columns": (
        "u[n,m] v[n,m]\nfor j 1 m-1\n  for i 1 n-1\n    u[i,j] u[i-1,j] u[i+1,j] u[i,j-1] u[i,j+1] v[i,j]=",
        [{"n": 40, "m": 32}, {"n": 37, "m": 29}],
    ),
    "star 3-D": (
        "u[n,n,n] v[n,n,n]\nfor i 1 n-1\n  for j 1 n-1\n    for k 1 n-1\n"
        "      u[i,j,k] u[i-1,j,k] u[i+1,j,k] u[i,j-1,k] u[i,j+1,k] u[i,j,k-1] u[i,j,k+1] v[i,j,k]=",
        [{"n": 14}],
    ),
    "time loop": (
        "u[n,m] v[n,m]\nfor t 0 s\n  for i 1 n-1\n"
        "    for j 1 m-1\n      u[i-1,j] u[i+1,j] u[i,j-1] u[i,j+1] v[i,j]=\n"
        "  for k 1 n-1\n    for l 1 m-1\n      v[k,l] u[k,l]=",
        [{"n": 24, "m": 32, "s": 3}, {"n": 21, "m": 27, "s": 2}],
    ),
    "Gauss-Seidel": (
        "u[n,n] f[n,n]\nfor t 0 s\n  for i 1 n-1\n    for j 1 n-1\n"
        "      u[i-1,j] u[i+1,j] u[i,j-1] u[i,j+1] f[i,j] u[i,j]=",
        [{"n": 32, "s": 2}, {"n": 27, "s": 3}],
    ),
    "gemm ijk": (
        "A[n,p] B[p,m] C[n,m]\nfor i 0 n\n  for j 0 m\n    for k 0 p\n      A[i,k] B[k,j]\n    C[i,j]=",
        [{"n": 16, "m": 24, "p": 32}, {"n": 19, "m": 21, "p": 23}],
    ),
    "gemm ikj": (
        "A[n,p] B[p,m] C[n,m]\nfor i 0 n\n  for k 0 p\n    A[i,k]\n    for j 0 m\n      C[i,j] B[k,j] C[i,j]=",
        [{"n": 16, "m": 24, "p": 32}, {"n": 19, "m": 21, "p": 23}],
    ),
    "gemm jki": (
        "A[n,p] B[p,m] C[n,m]\nfor j 0 m\n  for k 0 p\n    for i 0 n\n      C[i,j] A[i,k] B[k,j] C[i,j]=",
        [{"n": 16, "m": 24, "p": 24}],
    ),
    "gemm tiled": (
        "A[n,n] B[n,n] C[n,n]\nfor I 0 n t\n  for K 0 n t\n    for J 0 n t\n      for i I min(I+t,n)\n"
        "        for k K min(K+t,n)\n          for j J min(J+t,n)\n            C[i,j] A[i,k] B[k,j] C[i,j]=",
        [{"n": 24, "t": 8}, {"n": 23, "t": 8}],
    ),
    "transpose": (
        "A[n,m] B[m,n]\nfor i 0 n\n  for j 0 m\n    A[i,j] B[j,i]=",
        [{"n": 48, "m": 56}, {"n": 45, "m": 51}],
    ),
    "transpose tiled": (
        "A[n,n] B[n,n]\nfor I 0 n t\n  for J 0 n t\n    for i I min(I+t,n)\n      for j J min(J+t,n)\n"
        "        A[i,j] B[j,i]=",
        [{"n": 48, "t": 8}, {"n": 45, "t": 16}],
    ),
    "matrix by vector": ("A[n,m] x[m] y[n]\nfor i 0 n\n  for j 0 m\n    A[i,j] x[j]\n  y[i]=", [{"n": 40, "m": 64}]),
    "matrix by vector, columns": (
        "A[n,m] x[m] y[n]\nfor j 0 m\n  for i 0 n\n    y[i] A[i,j] x[j] y[i]=",
        [{"n": 64, "m": 40}, {"n": 61, "m": 43}],
    ),
    "Fortran order": (
        "A[n,m]F y[n]\nfor i 0 n\n  for j 0 m\n    A[i,j]\n  y[i]=",
        [{"n": 64, "m": 40}, {"n": 61, "m": 43}],
    ),
    "single precision": (
        "u[n,m]:f4 v[n,m]:f4\nfor i 1 n-1\n  for j 1 m-1\n    u[i-1,j] u[i+1,j] u[i,j-1] u[i,j+1] v[i,j]=",
        [{"n": 40, "m": 64}],
    ),
    "triangular solve": (
        "L[n,n] b[n] x[n]\nfor i 0 n\n  b[i]\n  for j 0 i\n    L[i,j] x[j]\n  L[i,i] x[i]=",
        [{"n": 72}, {"n": 61}],
    ),
    "back substitution": (
        "U[n,n] b[n] x[n]\nfor i n-1 -1 -1\n  b[i]\n  for j i+1 n\n    U[i,j] x[j]\n  U[i,i] x[i]=",
        [{"n": 72}, {"n": 61}],
    ),
    "cholesky": (
        "A[n,n]\nfor j 0 n\n  A[j,j]\n  for k 0 j\n    A[j,k] A[j,k]\n  A[j,j]=\n  for i j+1 n\n    A[i,j]\n"
        "    for l 0 j\n      A[i,l] A[j,l]\n    A[i,j]=",
        [{"n": 32}, {"n": 29}],
    ),
    "LU": (
        "A[n,n]\nfor k 0 n\n  for i k+1 n\n    A[i,k] A[k,k] A[i,k]=\n"
        "    for j k+1 n\n      A[i,j] A[i,k] A[k,j] A[i,j]=",
        [{"n": 32}, {"n": 29}],
    ),
    "rank update": (
        "A[n,m] C[n,n]\nfor i 0 n\n  for j 0 i+1\n    for k 0 m\n      C[i,j] A[i,k] A[j,k] C[i,j]=",
        [{"n": 32, "m": 16}, {"n": 29, "m": 21}],
    ),
    "all pairs": (
        "D[n,n]\nfor k 0 n\n  for i 0 n\n    for j 0 n\n      D[i,j] D[i,k] D[k,j] D[i,j]=",
        [{"n": 26}],
    ),
    "convolution": (
        "x[n+k,m+k] w[k,k] y[n,m]\nfor i 0 n\n  for j 0 m\n"
        "    for r 0 k\n      for c 0 k\n        x[i+r,j+c] w[r,c]\n    y[i,j]=",
        [{"n": 14, "m": 20, "k": 4}, {"n": 16, "m": 24, "k": 3}],
    ),
    "flat rows": (
        "x[n*m] y[m*n]\nfor i 0 n\n  for j 0 m\n    x[i*m+j] y[j*n+i]=",
        [{"n": 48, "m": 40}, {"n": 45, "m": 37}],
    ),
    "fresh rows": (
        "A[n,m] t[m]@i B[n,m]\nfor i 0 n\n  for j 0 m\n    A[i,j] t[j]=\n  for k 0 m\n    t[k] B[i,k]=",
        [{"n": 24, "m": 40}],
    ),
    "first column apart": (
        "x[n,m] y[n,m]\nfor i 0 n\n  for j 0 m\n    x[i,j]\n    when j-1 >= 0\n      y[i,j-1]\n    y[i,j]=",
        [{"n": 24, "m": 40}],
    ),
    "halving spans": (
        "x[n]:c16\nfor t 0 ilog2(n//2)+1\n  for s 0 n 2*(n//2//pow2(t))\n    for k 0 n//2//pow2(t)\n"
        "      x[s+k] x[s+k+n//2//pow2(t)] x[s+k]= x[s+k+n//2//pow2(t)]=",
        [{"n": 256}],
    ),
    "doubling steps": (
        "x[n] y[n]\nfor i 1 n\n  for t 0 ilog2((n-1)//i)+1\n    x[i*pow2(t)]\n  y[i]=",
        [{"n": 400}],
    ),
    "ring": ("r[m] x[n]\nfor i 0 n\n  x[i] r[i-m*(i//m)]=", [{"n": 600, "m": 72}]),
    "planes that share lines": (
        "q[9,n,m] p[9,n,m]\nfor i 0 n\n  for j 0 m\n    for k 0 9\n      q[k,i,j]\n    for l 0 9\n      p[l,i,j]=",
        [{"n": 19, "m": 23}, {"n": 20, "m": 24}],
    ),
    "blocks of short rows": (
        "A[n,n] B[m,m] C[n*m,n*m]\nfor i 0 n\n  for j 0 n\n    for k 0 m\n      for l 0 m\n"
        "        A[i,j] B[k,l] C[i*m+k,j*m+l]=",
        [{"n": 8, "m": 6}, {"n": 7, "m": 7}],
    ),
    "table of neighbours": (
        "T[n,m]\nfor i 1 n\n  for j 1 m\n    T[i-1,j] T[i,j-1] T[i-1,j-1] T[i,j]=",
        [{"n": 61, "m": 73}, {"n": 53, "m": 83}],
    ),
    "powers in rows": (
        "x[n] V[n,m]\nfor i 0 n\n  V[i,0]=\n  for k 1 m\n    V[i,k-1] x[i] V[i,k]=",
        [{"n": 101, "m": 17}],
    ),
    "even rows beside all": (
        "A[n,m] B[n,m]\nfor i 0 n 2\n  for j 0 m\n    A[i,j] B[i,j]=\nfor k 1 n-1\n  for l 0 m\n    A[k,l] B[k,l]",
        [{"n": 30, "m": 21}],
    ),
    "triangle of a table": (
        "T[n,n]\nfor i n-1 -1 -1\n  for j i+1 n\n    for k i+1 j\n      T[i,j] T[i,k] T[k,j] T[i,j]=",
        [{"n": 24}],
    ),
    "buffers that swap, an odd number of times": (
        "u[n] v[n]\nfor t 0 s 2\n  for i 1 n-1\n    u[i-1] u[i+1] v[i]=\n"
        "  when s-t-2 >= 0\n    for k 1 n-1\n      v[k-1] v[k+1] u[k]=",
        [{"n": 403, "s": 5}, {"n": 400, "s": 4}],
    ),
    "banded": ("A[n,9] x[n] y[n]\nfor i 4 n-4\n  for j i-4 i+5\n    A[i,j-i+4] x[j]\n  y[i]=", [{"n": 150}]),
}
