// Deformable attention: each head of a query takes the mean of a few points of every map, weighted.
//
// value (pictures, cells, heads, channels) in bfloat16, the maps one after the other, square;
// at (pictures, queries, heads, levels, points, 2), x and y in 0..1, outside of which all is zero;
// weight (pictures, queries, heads, levels, points) -> out (pictures, queries, heads, channels)
//
// Two threads a head of a query, each for half of the channels: 16 bytes of every corner.
constexpr int heads = 8, channels = 16, levels = 3, points = 4, part = 8;

struct alignas(16) Packed { unsigned int pair[part / 2]; };

__device__ void unpack(const unsigned short* from, float* value) {
    const Packed packed = *reinterpret_cast<const Packed*>(from);
    for (int i = 0; i < part / 2; i++) {
        value[2 * i] = __uint_as_float(packed.pair[i] << 16);
        value[2 * i + 1] = __uint_as_float(packed.pair[i] & 0xffff0000u);
    }
}

__device__ unsigned int rounded(float value) {      // to bfloat16, ties to even
    const unsigned int bits = __float_as_uint(value);
    return (bits + 0x7fffu + ((bits >> 16) & 1)) >> 16;
}

__device__ void add(float* to, const float* value) {
#if __CUDA_ARCH__ >= 900
    for (int i = 0; i < part; i += 4)       // four at once
        asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to + i), "f"(value[i]),
                     "f"(value[i + 1]), "f"(value[i + 2]), "f"(value[i + 3]) : "memory");
#else
    for (int i = 0; i < part; i++) atomicAdd(to + i, value[i]);
#endif
}

// The four cells around a point: where each begins in `value`, -1 outside of the map, and its share.
struct Corners {
    long long begin[4];
    float share[4], right, down;

    __device__ Corners(const float* at, int side, long long map, int offset) {
        const float x = at[0] * side - 0.5f, y = at[1] * side - 0.5f;
        const float left = floorf(x), top = floorf(y);
        right = x - left, down = y - top;
        for (int i = 0; i < 4; i++) {
            const float column = left + i % 2, row = top + i / 2;
            const bool inside = column >= 0 && column < side && row >= 0 && row < side;
            begin[i] = inside ? (map + (int)row * side + (int)column) * heads * channels + offset : -1;
            share[i] = (i % 2 ? right : 1 - right) * (i / 2 ? down : 1 - down);
        }
    }
};

extern "C" __global__ void sample(const unsigned short* value, const float* at, const float* weight,
                                  unsigned short* out, int items, int queries, int cells, int side0,
                                  int side1, int side2) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x, item = thread / 2;
    if (item >= items) return;
    const int offset = item % heads * channels + thread % 2 * part, sides[] = {side0, side1, side2};
    long long map = (long long)(item / heads / queries) * cells;
    at += (long long)item * levels * points * 2;
    weight += (long long)item * levels * points;
    float sum[part] = {};
    for (int level = 0; level < levels; level++) {
        for (int point = level * points; point < (level + 1) * points; point++) {
            const Corners corners(at + 2 * point, sides[level], map, offset);
            for (int i = 0; i < 4; i++) {
                if (corners.begin[i] < 0) continue;
                float cell[part];
                unpack(value + corners.begin[i], cell);
                const float share = weight[point] * corners.share[i];
                for (int k = 0; k < part; k++) sum[k] += share * cell[k];
            }
        }
        map += sides[level] * sides[level];
    }
    Packed packed;
    for (int i = 0; i < part / 2; i++)
        packed.pair[i] = rounded(sum[2 * i]) | rounded(sum[2 * i + 1]) << 16;
    *reinterpret_cast<Packed*>(out + (long long)item * channels + thread % 2 * part) = packed;
}

// What changes the loss by `slope` of out: of_value, in float and zero before, of_at, of_weight.
extern "C" __global__ void sample_back(const unsigned short* slope, const unsigned short* value,
                                       const float* at, const float* weight, float* of_value,
                                       float* of_at, float* of_weight, int items, int queries,
                                       int cells, int side0, int side1, int side2) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x, item = thread / 2;
    if (item >= items) return;
    const int offset = item % heads * channels + thread % 2 * part, sides[] = {side0, side1, side2};
    const unsigned int both = 3u << (threadIdx.x % 32 & ~1);
    long long map = (long long)(item / heads / queries) * cells;
    const long long first = (long long)item * levels * points;
    float of_out[part];
    unpack(slope + (long long)item * channels + thread % 2 * part, of_out);
    for (int level = 0; level < levels; level++) {
        const int side = sides[level];
        for (int point = level * points; point < (level + 1) * points; point++) {
            const Corners corners(at + 2 * (first + point), side, map, offset);
            const float share = weight[first + point];
            float along[4] = {};            // of_out times each corner's cell
            for (int i = 0; i < 4; i++) {
                if (corners.begin[i] < 0) continue;
                float cell[part], change[part];
                unpack(value + corners.begin[i], cell);
                for (int k = 0; k < part; k++) {
                    along[i] += of_out[k] * cell[k];
                    change[k] = share * corners.share[i] * of_out[k];
                }
                add(of_value + corners.begin[i], change);
            }
            for (int i = 0; i < 4; i++) along[i] += __shfl_xor_sync(both, along[i], 1);
            if (thread % 2) continue;
            float sum = 0;
            for (int i = 0; i < 4; i++) sum += corners.share[i] * along[i];
            of_weight[first + point] = sum;
            const float right = corners.right, down = corners.down;
            of_at[2 * (first + point)] = share * side * ((1 - down) * (along[1] - along[0])
                                                         + down * (along[3] - along[2]));
            of_at[2 * (first + point) + 1] = share * side * ((1 - right) * (along[2] - along[0])
                                                             + right * (along[3] - along[1]));
        }
        map += side * side;
    }
}
