/* detect MODEL PICTURE.ppm: what a detector finds in a picture. */
#include <saccade.h>
#include <stdio.h>
#include <stdlib.h>

static int fail(const char* what) {
    fprintf(stderr, "detect: %s\n", what);
    return 1;
}

int main(int count, char** words) {
    if (count != 3) return fail("write: detect MODEL PICTURE.ppm");
    unsigned width = 0, height = 0;
    FILE* file = fopen(words[2], "rb");
    if (!file || fscanf(file, "P6 %u %u 255", &width, &height) != 2 || fgetc(file) == EOF)
        return fail("this is not a binary PPM");
    uint8_t* pixels = malloc((size_t)3 * width * height);
    if (!pixels || fread(pixels, (size_t)3 * width, height, file) != height)
        return fail("the picture is incomplete");
    fclose(file);

    saccade_engine* engine = NULL;
    saccade_model* model = NULL;
    saccade_result* result = NULL;
    saccade_picture picture = {.size = sizeof picture, .format = SACCADE_RGB, .width = width,
                               .height = height, .planes = {pixels}};
    if (saccade_engine_open(NULL, &engine) || saccade_model_open(engine, words[1], &model) ||
        saccade_model_run(model, &picture, 1, NULL, &result))
        return fail(saccade_error());
    for (size_t i = 0; i < saccade_result_detections(result); ++i) {
        saccade_detection found;
        if (saccade_result_detection(result, i, &found)) return fail(saccade_error());
        printf("%s %.9g [%.9g, %.9g, %.9g, %.9g]\n", found.label, found.score, found.box[0],
               found.box[1], found.box[2], found.box[3]);
    }
    saccade_result_free(result);
    saccade_model_close(model);
    saccade_engine_close(engine);
    free(pixels);
    return 0;
}
