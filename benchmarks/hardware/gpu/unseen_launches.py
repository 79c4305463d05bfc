"""Launches and arguments of unseen_cuda.py."""

from __future__ import annotations

from benchmarks.hardware.gpu.launches import launch

F4, F8, C8 = "float32", "float64", "complex64"

LAUNCHES = {
    "heat_with_source": launch((12, 48, 192), (32, 8, 2), *((384, 384, 384, F8),) * 3, 0.1, 0.01, 4.0),
    "gradient_magnitude": launch((64, 64, 8), (8, 8, 8), (512, 512, 64, F4), (512, 512, 64, F4)),
    "smooth_along_depth": launch((16, 128), (64, 8), (128, 1024, 1024, F4), (128, 1024, 1024, F4)),
    "divergence_of_rows": launch((8, 64, 64), (32, 4, 4), (256, 256, 256, 3, F4), (256, 256, 256, F4), (F4, 0.5)),
    "mirrored_blur": launch((256, 1024), (32, 8), (8192, 8192, F4), (8192, 8192, F4)),
    "product_f8_tile16": launch((96, 96), (16, 16), *((1536, 1536, F8),) * 3),
    "product_with_bias": launch((32, 512), (32, 8), (4096, 784, F4), (784, 1024, F4), (1024, F4), (4096, 1024, F4)),
    "gram": launch((16, 16), (16, 16), (100000, 256, F8), (256, 256, F8)),
    "batched_matvec": launch(8192, 128, (8192, 128, 128, F4), (8192, 128, F4), (8192, 128, F4)),
    "transpose_complex": launch((256, 1024), (32, 8), (8192, 8192, C8), (8192, 8192, C8)),
    "transpose_tile16": launch((640, 512), (16, 16), (8192, 10240, F4), (10240, 8192, F4)),
    "batched_transpose": launch((4, 16, 1024), (32, 8, 1), (1024, 128, 128, F8), (1024, 128, 128, F8)),
    "interleave": launch(131072, 256, (33554432, F4), (33554432, F4), (67108864, F4)),
    "scale_rows_to_maximum": launch(65536, 128, (65536, 1024, F4), (65536, 1024, F4)),
    "rms_norm_by_warps": launch(8192, (32, 8), (65536, 768, F8), (768, F8), (65536, 768, F8), 1e-6),
    "channel_statistics": launch(8, 64, (32, 3136, 512, F4), (512, F8), (512, F8)),
    "springs": launch(65536, 256, (3, 16777216, F8), (3, 16777216, F8), 2.5, 0.01),
    "pair_potential": launch(256, 128, (32768, F4), (32768, F4), (32768, F4), (32768, F4), (F4, 10.0)),
    "drag_and_gravity": launch(32768, 256, (8388608, 6, F8), (8388608, F8), 9.81, 0.01, 0.001),
    "gather_field": launch(65536, 256, (16777216, F8), (16777216, F8), (2048, 2048, F8), (16777216, F8)),
    "selu": launch(131072, 512, (67108864, F4), (67108864, F4), 67108864),
    "gated_linear": launch((64, 4096), (32, 8), (32768, 4096, F4), (32768, 2048, F4)),
    "softsign_by_stride": launch(1056, 512, (67108864, F8), (67108864, F8)),
    "swish_gradient": launch(131072, 256, (33554432, F8), (33554432, F8), (33554432, F8), 1.5),
    "matvec_f4_blocks": launch(16384, 128, (16384, 8192, F4), (8192, F4), (16384, F4)),
    "vecmat": launch(128, 128, (16384, F4), (16384, 16384, F4), (16384, F4)),
    "matvec_pair": launch(256, 128, (32768, 2048, F8), (32768, 2048, F8), (2048, F8), (32768, F8)),
    "toeplitz_matvec": launch(128, 256, (65535, F8), (32768, F8), (32768, F8)),
    "rows_summed": launch(4096, 256, (1048576, 64, F8), (1048576, F8)),
    "rows_doubled": launch(4096, 256, (1048576, 64, F8), (1048576, 64, F8)),
    "rows_filled": launch(4096, 256, (1048576, 64, F8), 1.5),
    "rows_scaled_f4": launch(2048, 256, (524288, 128, F4), (524288, 128, F4), (F4, 1.5)),
}
