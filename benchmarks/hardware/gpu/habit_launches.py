"""Launches and arguments of habit_cuda.py: grid, block, and for each argument a shape and a type, a number, or Ids."""

from __future__ import annotations

from benchmarks.hardware.gpu.launches import Ids, launch

F4, F8, I4, U1 = "float32", "float64", "int32", "uint8"

N3 = ((1048576, F8),) * 3
LAUNCHES = {
    "acoustic_r4": launch((12, 48), (32, 8), (384, 384, 384, F4), (384, 384, 384, F4), (384, 384, 384, F4)),
    "diffusion_by_coefficient": launch(
        (10, 80, 80), (32, 4, 4), (320, 320, 320, F8), (320, 320, 320, F8), (320, 320, 320, F8), 0.1
    ),
    "periodic_seven_points": launch((4, 64, 128), (64, 4, 2), (256, 256, 256, F4), (256, 256, 256, F4)),
    "curl": launch((8, 64, 256), (32, 4, 1), *((256, 256, 256, F4),) * 6, (F4,)),
    "upwind2d": launch((256, 512), (16, 8), *((4096, 4096, F8),) * 4, 0.5),
    "red_black": launch((64, 1024), (32, 4), (4096, 4096, F8), (4096, 4096, F8), 1),
    "five_points_in_shared": launch((256, 1024), (32, 8), (8192, 8192, F4), (8192, 8192, F4)),
    "product_tile16": launch((128, 128), (16, 16), *((2048, 2048, F4),) * 3),
    "product_of_four": launch((64, 64), (16, 16), *((2048, 2048, F4),) * 3),
    "batch_of_products": launch(20000, (16, 16), *((20000, 16, 16, F8),) * 3),
    "lower_of_square": launch((128, 128), (16, 16), (2048, 1024, F4), (2048, 2048, F4)),
    "transposed_times": launch((64, 256), (32, 8), (1024, 2048, F8), (1024, 2048, F8), (2048, 2048, F8), 1.5, 0.5),
    "transpose_f8": launch((192, 320), (32, 8), (10240, 6144, F8), (6144, 10240, F8)),
    "channels_last": launch(200704, 256, (16, 64, 224, 224, F4), (16, 224, 224, 64, F4)),
    "rotate_axes": launch((12, 96, 96), (32, 4, 4), (384, 384, 384, F4), (384, 384, 384, F4)),
    "flip_rows": launch((512, 512), (16, 16), (8192, 8192, 4, U1), (8192, 8192, 4, U1)),
    "softmax_by_warps": launch(16384, (32, 4), (65536, 1024, F4), (65536, 1024, F4)),
    "layer_norm_affine": launch(32768, 256, (32768, 2048, F4), (2048, F4), (2048, F4), (32768, 2048, F4), (F4,)),
    "group_norm": launch(
        100352, 512, (16, 64, 224, 224, F4), (16, 8, F4), (16, 8, F4), (64, F4), (64, F4), (16, 64, 224, 224, F4), 8
    ),
    "unit_rows": launch(4096, 256, (1048576, 64, F8), (1048576, 64, F8)),
    "log_softmax_online": launch(1024, 128, (131072, 128, F8), (131072, 128, F8)),
    "standardize_columns": launch((64, 2048), (32, 8), (16384, 2048, F8), (2048, F8), (2048, F8), (16384, 2048, F8)),
    "gravity_of_fours": launch(256, 128, (32768, 4, F4), (32768, 3, F4), (F4,)),
    "neighbour_forces": launch(
        4096,
        256,
        *((1048576, F8),) * 3,
        Ids((64, 1048576), near=4096),
        Ids((1048576,), value=32),
        *((1048576, F8),) * 3,
        6.25,
    ),
    "verlet": launch(32768, 256, (8388608, 3, F8), (8388608, 3, F8), (8388608, 3, F8), 1.0, 0.01),
    "boris": launch(65536, 128, *((8388608, F8),) * 9, 0.01),
    "deposit": launch(32768, 256, (8388608, F8), (8388608, F8), (65537, F8), 65535.0),
    "potential_on_plane": launch((128, 128), (16, 16), (2000, 4, F4), (2048, 2048, F4), (F4,)),
    "mish": launch(131072, 256, (33554432, F4), (33554432, F4)),
    "leaky_gradient": launch(2112, 256, (67108864, F4), (67108864, F4), (67108864, F4), (F4,)),
    "dropout": launch(65536, 1024, (67108864, F4), (67108864, F4), 12345, (F4,)),
    "hard_swish": launch((512, 512), (16, 16), (8192, 8192, F4), (8192, 8192, F4)),
    "matvec_in_shared": launch(256, 128, (32768, 8192, F4), (8192, F4), (32768, F4)),
    "symmetric_matvec": launch(64, 256, (16384, 16384, F8), (16384, F8), (16384, F8)),
    "matvec_by_warps": launch(528, 256, (32768, 4096, F8), (4096, F8), (32768, F8)),
    "banded_matvec": launch(16384, 256, (11, 4194304, F8), Ids((11,), spread=2048), (4194304, F8), (4194304, F8)),
    "rank_one_update": launch((256, 1024), (32, 8), (8192, 8192, F8), (8192, F8), (8192, F8), 0.5),
    "block_maximum": launch(1056, 256, (134217728, F4), (1056, F4), (1056, I4)),
    "resize_bilinear": launch((154, 307), (32, 16), (8192, 8192, F4), (4912, 4915, F4), (F4, 1.666), (F4, 1.666)),
    "yuv_planes": launch((256, 1024), (32, 8), (8192, 8192, 3, U1), (3, 8192, 8192, F4)),
    "count_above": launch(262144, 256, (67108864, F4), 0.999, (1, I4)),
    "filter_in_shared": launch(131072, 256, (33554432, F4), (9, F4), (33554432, F4)),
    "tridiagonal_systems": launch(4096, 128, *((64, 524288, F8),) * 6),
    "median_of_nine": launch((128, 512), (32, 8), (4096, 4096, F4), (4096, 4096, F4)),
    "row_prefix_sums": launch(128, 128, (4096, 16384, F8), (4096, 16384, F8)),
    "gather_rows": launch(262144, 256, (500000, 256, F4), Ids((262144,), below=500000), (262144, 256, F4)),
    "attention_scores": launch(
        (64, 64, 16), (16, 16, 1), (16, 1024, 64, F4), (16, 1024, 64, F4), (16, 1024, 1024, F4), (F4,)
    ),
}
