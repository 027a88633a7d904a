#ifndef SACCADE_BOXES_PARAMS
#define SACCADE_BOXES_PARAMS
#include "shaders/common/params.h"

SACCADE_PARAMS_BEGIN

struct DetectionsParams {
    View logits, boxes, y;
    uint columns;         // of logits
    uint classes;         // the first columns; the others are never a label
    float width, height;  // of the picture, in pixels
};

// boxes = sigmoid(deltas + logit(reference)), the logits read from a table or computed
struct RefineBoxesParams {
    View deltas, reference, from, boxes, copy;
    uint count;
};

// boxes = reference moved by deltas and, if they are picked, by a second list of deltas
struct ScaleBoxesParams {
    View deltas, reference, from, again, boxes, copy, y;
    uint count;
    uint numbers;  // of y, for each of a box's four
};

struct BestQueriesParams {
    View found, list;
    uint rows, count;
};

// Distributions over the edges of boxes: bins + 1 logits for each of the four.
struct EdgeBoxesParams {
    View corners, reference, boxes, copy, statistics;
    uint queries, bins;  // numbers of one edge
    uint best;           // how many of an edge's probabilities statistics have
    float scale;         // the length of a side in steps of the weights
};

// The detections that were selected among all scores of all queries.
struct PickedDetectionsParams {
    View values, picks, boxes, y;
    uint classes, count;
    float width, height;  // of the picture, in pixels
};

// y = (y + gauge[0]) * (elu(gauge[1]) + 1), for each row of y
struct GaugeParams {
    View y, gauge;
    uint columns;
};

struct MatchesParams {
    View logits, boxes, y;
    uint queries, classes;
    float width, height;
};

SACCADE_PARAMS_END

#endif
