/* Saccade as a library: vision transformers on Vulkan.

   An engine is a Vulkan device with its memory; a model is opened on an engine, by a folder, the
   name of a bundled model, or the name of a model of the Hugging Face Hub that is on this machine.
   A model runs on pictures in memory and gives one result for each of them.

   Errors: every function that can fail returns a status. saccade_error() has one line about the
   last failure of the calling thread: what went wrong and what to do. No call prints, ends the
   process, installs a signal handler or lets an exception out.

   Threads: any thread may call any function. Calls on one engine and its models run one after
   another; open one engine for each thread that should not wait. A result or a map belongs to one
   thread at a time.

   Lifetimes: an engine closes when it and all of its models have been closed, in any order. Results
   and maps are plain memory of the host: they outlive their model, and strings that they return
   live as long as they do. Attention and features are computed on demand, so they need the model,
   and that it has not run since.

   ABI: structures that the caller fills in begin with their size, so that a program that was
   compiled with an older header keeps working; functions and fields are only added.

   Numbers are those of `saccade detect --json` and of its siblings, bit for bit, for pictures that
   are run one at a time. */

#ifndef SACCADE_H
#define SACCADE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SACCADE_API __attribute__((visibility("default")))

typedef enum saccade_status {
    SACCADE_OK = 0,
    SACCADE_FAILED = 1,    /* it cannot be done; trying again does not help */
    SACCADE_MISUSE = 2,    /* an argument is wrong */
    SACCADE_TEMPORARY = 75 /* short of memory, or the device was lost: it may work again */
} saccade_status;

/* "0.1.0", of the library that is loaded. */
SACCADE_API const char* saccade_version(void);
/* The last failure of this thread, in one line; valid until its next failure. */
SACCADE_API const char* saccade_error(void);

/* ---- engines ----------------------------------------------------------------------------------
 */

typedef struct saccade_engine saccade_engine;

typedef enum saccade_precision {
    SACCADE_AUTO = 0, /* fp16 on a GPU, fp32 on software Vulkan */
    SACCADE_FP16 = 1,
    SACCADE_FP32 = 2
} saccade_precision;

typedef struct saccade_engine_options {
    size_t size;        /* sizeof(saccade_engine_options) */
    const char* device; /* a number or a part of a name; null: the best */
    saccade_precision precision;
    int require_gpu; /* software Vulkan is an error */
} saccade_engine_options;

/* Opens a device. `options` may be null. Compiled kernels are kept in the user's cache folder. */
SACCADE_API saccade_status saccade_engine_open(const saccade_engine_options* options,
                                               saccade_engine** engine);
SACCADE_API void saccade_engine_close(saccade_engine* engine);               /* null is allowed */
SACCADE_API const char* saccade_engine_device(const saccade_engine* engine); /* its name */
SACCADE_API int saccade_engine_is_gpu(const saccade_engine* engine);

/* ---- models -----------------------------------------------------------------------------------
 */

typedef struct saccade_model saccade_model;

typedef enum saccade_task {
    SACCADE_CLASSIFY = 0,
    SACCADE_DETECT = 1,
    SACCADE_CAPTION = 2 /* or answer */
} saccade_task;

SACCADE_API saccade_status saccade_model_open(saccade_engine* engine, const char* name,
                                              saccade_model** model);
SACCADE_API void saccade_model_close(saccade_model* model); /* null is allowed */

SACCADE_API saccade_task saccade_model_task(const saccade_model* model);
/* The model's classes; of a captioner none. A label lives until the model is closed or told anew.
 */
SACCADE_API size_t saccade_model_labels(const saccade_model* model);
SACCADE_API const char* saccade_model_label(const saccade_model* model, size_t id);
/* Layers whose attention can be shown: of the encoder, and of the decoder where there is one. */
SACCADE_API uint32_t saccade_model_encoder_layers(const saccade_model* model);
SACCADE_API uint32_t saccade_model_decoder_layers(const saccade_model* model);

/* What an open-vocabulary detector looks for, or what a zero-shot classifier chooses from. */
SACCADE_API saccade_status saccade_model_tell(saccade_model* model, const char* const* phrases,
                                              size_t count);
/* The question for a model that answers, for all following pictures. */
SACCADE_API saccade_status saccade_model_ask(saccade_model* model, const char* question);

/* ---- pictures ---------------------------------------------------------------------------------
 */

typedef enum saccade_format {
    SACCADE_RGB = 0,
    SACCADE_BGR = 1,
    SACCADE_RGBA = 2, /* alpha is ignored */
    SACCADE_NV12 = 3, /* planes Y, UV */
    SACCADE_I420 = 4  /* planes Y, U, V */
} saccade_format;

typedef enum saccade_matrix {
    SACCADE_BT601 = 0,
    SACCADE_BT709 = 1,
    SACCADE_BT2020 = 2
} saccade_matrix;

/* A picture of 8 bits a channel in the caller's memory, which is read during the call. */
typedef struct saccade_picture {
    size_t size; /* sizeof(saccade_picture) */
    saccade_format format;
    uint32_t width, height;
    const uint8_t* planes[3]; /* packed formats have one */
    uint32_t row_bytes[3];    /* 0: rows follow each other */
    saccade_matrix matrix;    /* of NV12 and I420 */
    int full_range;           /* of NV12 and I420: Y from 0 to 255 instead of 16 to 235 */
} saccade_picture;

/* ---- running ----------------------------------------------------------------------------------
 */

typedef struct saccade_result saccade_result;

typedef struct saccade_run_options {
    size_t size;        /* sizeof(saccade_run_options) */
    float threshold;    /* detections score above it; negative: the model's own */
    uint32_t most;      /* at most this many detections or classes; 0: 100 and 5 */
    uint32_t max_words; /* at most this many tokens of a caption; 0: as the model says */
    uint32_t beams;     /* of a caption; 0: as the model says */
} saccade_run_options;

/* Runs the model on pictures, which may differ in size; several of the same size and format go
   through the device together. On success every results[i] is a result to be freed; on failure none
   is. `options` may be null. */
SACCADE_API saccade_status saccade_model_run(saccade_model* model, const saccade_picture* pictures,
                                             size_t count, const saccade_run_options* options,
                                             saccade_result** results);
SACCADE_API void saccade_result_free(saccade_result* result); /* null is allowed */

SACCADE_API uint32_t saccade_result_width(const saccade_result* result);
SACCADE_API uint32_t saccade_result_height(const saccade_result* result);

typedef struct saccade_detection {
    const char* label;
    uint32_t id; /* of the class */
    float score;
    float box[4];   /* left, top, right, bottom in pixels; may reach beyond the picture */
    uint32_t query; /* for saccade_look */
    int has_mask;
} saccade_detection;

/* The best first. */
SACCADE_API size_t saccade_result_detections(const saccade_result* result);
SACCADE_API saccade_status saccade_result_detection(const saccade_result* result, size_t index,
                                                    saccade_detection* detection);
/* A mask of width * height bytes, 1 inside and 0 outside, row by row. */
SACCADE_API saccade_status saccade_result_mask(const saccade_result* result, size_t index,
                                               uint8_t* mask);

typedef struct saccade_class {
    const char* label;
    uint32_t id;
    float score;
} saccade_class;

/* The likeliest first. */
SACCADE_API size_t saccade_result_classes(const saccade_result* result);
SACCADE_API saccade_status saccade_result_class(const saccade_result* result, size_t index,
                                                saccade_class* one);

/* The caption or answer; null if the model writes none. */
SACCADE_API const char* saccade_result_caption(const saccade_result* result);

typedef struct saccade_word {
    const char* text;
    double p; /* probability */
} saccade_word;
SACCADE_API size_t saccade_result_words(const saccade_result* result);
SACCADE_API saccade_status saccade_result_word(const saccade_result* result, size_t index,
                                               saccade_word* word);

/* ---- looking inside ---------------------------------------------------------------------------
 */

typedef enum saccade_looker {
    SACCADE_LOOK_FROM_POINT = 0, /* the patch at (x, y): self-attention in the encoder */
    SACCADE_LOOK_FROM_QUERY = 1, /* an object query of a detector: attention to the picture */
    SACCADE_LOOK_FROM_CLASS = 2, /* the class token of a classifier */
    SACCADE_LOOK_FROM_WORD = 3   /* a word of the caption */
} saccade_looker;

typedef struct saccade_look {
    size_t size; /* sizeof(saccade_look) */
    saccade_looker from;
    int32_t layer;  /* counted from 0; negative: the last */
    int32_t head;   /* counted from 0; negative: the mean of all */
    float x, y;     /* of a point, in pixels of the picture */
    uint32_t index; /* of a query or a word */
} saccade_look;

/* A table of numbers, row by row. Of attention: a cell for each patch of the picture; the first one
   begins at pixel (left, top) of the picture. Of features: a row for each token. */
typedef struct saccade_map {
    uint32_t rows, columns;
    float left, top, cell_width, cell_height;
    const float* values;
} saccade_map;

/* Attention in the model's last run. */
SACCADE_API saccade_status saccade_model_attention(saccade_model* model,
                                                   const saccade_result* result,
                                                   const saccade_look* look, saccade_map** map);
/* The encoder's hidden states after `layer` layers, as `saccade dump` has them; negative: the
   last. */
SACCADE_API saccade_status saccade_model_features(saccade_model* model,
                                                  const saccade_result* result, int32_t layer,
                                                  saccade_map** map);
SACCADE_API void saccade_map_free(saccade_map* map); /* null is allowed */

#ifdef __cplusplus
}
#endif

#endif
