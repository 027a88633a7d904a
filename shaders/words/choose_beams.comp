#version 460
// A step of beam search. The candidates of a picture's beams are ranked by the sum of the beam's
// log-probabilities so far and their own, value - less; of equal ones the first wins, in the order
// of beams and of each one's candidates. Of the `ranked` best, those that do not end their sentence
// are the new beams, as many as there is room for. Sums are fp64, so that the order is the same as
// on a host that adds doubles. values f32, words u32 (beams, 1, candidates), less f32 (beams, 1,
// 1), stops u32 (n); ids before and after (beams, said (+ 1), 1) u32, parents (beams) u32, sums
// (beams) fp64, where `beams` are those of all pictures. One workgroup per picture. Where
// candidates run out, a beam is empty: its sum is far below all others, and its word is 0.
#extension GL_GOOGLE_include_directive : require
#include "shaders/words/params.h"
#include "shaders/common/types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint THREADS = 4;

layout(binding = 0) readonly buffer Values { float values[]; };
layout(binding = 1) readonly buffer Words { uint words[]; };
layout(binding = 2) readonly buffer Less { float less[]; };
layout(binding = 3) readonly buffer Stops { uint stops[]; };
layout(binding = 4) readonly buffer Before { uint before[]; };
layout(binding = 5) writeonly buffer After { uint after[]; };
layout(binding = 6) writeonly buffer Parents { uint parents[]; };
layout(binding = 7) buffer Sums { double sums[]; };
layout(push_constant) uniform Push { ChooseBeamsParams p; };

const double lowest = -1.0e300LF;
const float largest = 3.402823466e38;
const uint nothing = 0xffffffffu;

shared double total[most_candidates];
shared uint order[most_candidates];    // candidates, best first
shared uint goes_on[most_candidates];  // 1: it exists, and does not end its sentence
shared uint chosen[most_candidates];   // candidate that each beam follows, or nothing

uint beam_of(uint candidate) { return divide(candidate, p.candidates); }
uint word_of(uint candidate, uint beam) {
    return words[row_start(p.words, beam, 0) + candidate - beam_of(candidate) * p.candidates];
}

void main() {
    const uint me = gl_LocalInvocationID.x, first = gl_WorkGroupID.x * p.beams;
    const uint all = p.running * p.candidates;
    for (uint i = me; i < all; i += THREADS) {
        const uint beam = first + beam_of(i), word = word_of(i, beam);
        const float value =
            values[row_start(p.values, beam, 0) + i - beam_of(i) * p.candidates];
        const float of_row = less[row_start(p.less, beam, 0)];
        const bool there = word < p.vocabulary && abs(value) <= largest && abs(of_row) <= largest;
        bool ends = false;
        for (uint s = 0; s < p.stops; ++s) ends = ends || word == stops[s];
        const double so_far = p.first != 0 ? 0.0LF : sums[beam];
        total[i] = there ? so_far + (double(value) - double(of_row)) : lowest;
        goes_on[i] = there && !ends ? 1 : 0;
    }
    barrier();
    for (uint i = me; i < all; i += THREADS) {
        uint rank = 0;
        for (uint j = 0; j < all; ++j)
            if (total[j] > total[i] || (total[j] == total[i] && j < i)) ++rank;
        order[rank] = i;
    }
    barrier();
    if (me == 0) {
        uint count = 0;
        for (uint rank = 0; rank < min(p.ranked, all) && count < p.beams; ++rank)
            if (goes_on[order[rank]] != 0) chosen[count++] = order[rank];
        for (; count < p.beams; ++count) chosen[count] = nothing;
    }
    barrier();
    for (uint b = me; b < p.beams; b += THREADS) {
        const bool empty = chosen[b] == nothing;
        parents[first + b] = first + (empty ? 0 : beam_of(chosen[b]));
        sums[first + b] = empty ? lowest : total[chosen[b]];
    }
    for (uint i = me; i <= p.said; i += THREADS)
        for (uint b = 0; b < p.beams; ++b) {
            const bool empty = chosen[b] == nothing;
            const uint parent = first + (empty ? 0 : beam_of(chosen[b]));
            uint word = 0;
            if (i < p.said)
                word = before[row_start(p.before, parent, i)];
            else if (!empty)
                word = word_of(chosen[b], parent);
            after[row_start(p.after, first + b, i)] = word;
        }
}
