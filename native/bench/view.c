#include "view.h"

#include <limits.h>
#include <stdlib.h>

static int64_t elements(const int64_t size[DIMENSIONS]) {
    return size[0] * size[1] * size[2];
}

/* The place of an element in the array, counted in elements. */
static int64_t place(const struct view *view, int64_t i, int64_t j, int64_t k) {
    return (i * view->whole[1] + j) * view->whole[2] + k;
}

static int64_t first_of(const struct view *view, const struct box *box) {
    return place(view, box->start[0], box->start[1], box->start[2]);
}

static int64_t last_of(const struct view *view, const struct box *box) {
    return place(view, box->start[0] + box->size[0] - 1, box->start[1] + box->size[1] - 1,
                 box->start[2] + box->size[2] - 1);
}

const char *view_mistake(const struct view *view) {
    if (view->base < 0 || view->element < 1 || view->element > INT_MAX || view->count < 1) {
        return "a view needs a base, an element's bytes and a box";
    }
    for (int d = 0; d < DIMENSIONS; d++) {
        if (view->whole[d] < 1 || view->whole[d] > INT_MAX) {
            return "an array has at least one element in each dimension";
        }
    }
    const int64_t most = (INT64_MAX - view->base) / view->element;
    if (view->whole[0] > most / view->whole[1] / view->whole[2]) {
        return "an array ends where no file can";
    }
    for (int64_t i = 0; i < view->count; i++) {
        const struct box *const box = &view->boxes[i];
        for (int d = 0; d < DIMENSIONS; d++) {
            if (box->start[d] < 0 || box->size[d] < 1 || box->size[d] > view->whole[d] - box->start[d]) {
                return "a box must lie in the array";
            }
        }
        if (i > 0 && first_of(view, box) <= last_of(view, &view->boxes[i - 1])) {
            return "each box must begin behind the end of the one before it";
        }
    }
    return NULL;
}

int64_t view_bytes(const struct view *view) {
    int64_t all = 0;
    for (int64_t i = 0; i < view->count; i++) {
        all += elements(view->boxes[i].size) * view->element;
    }
    return all;
}

static int subarray(const struct view *view, const struct box *box, MPI_Datatype *type) {
    enum { BYTES = DIMENSIONS, ALL };
    int whole[ALL] = {[BYTES] = (int)view->element};
    int size[ALL] = {[BYTES] = (int)view->element};
    int start[ALL] = {0};
    for (int d = 0; d < DIMENSIONS; d++) {
        whole[d] = (int)view->whole[d];
        size[d] = (int)box->size[d];
        start[d] = (int)box->start[d];
    }
    return MPI_Type_create_subarray(ALL, whole, size, start, MPI_ORDER_C, MPI_BYTE, type);
}

/* All boxes as one type; each has the extent of the whole array, and so has this. */
static int combined(const struct view *view, MPI_Datatype *type) {
    const size_t count = (size_t)view->count;
    MPI_Datatype *const types = malloc(count * sizeof *types);
    int *const lengths = malloc(count * sizeof *lengths);
    MPI_Aint *const places = calloc(count, sizeof *places);
    int code = types == NULL || lengths == NULL || places == NULL ? MPI_ERR_NO_MEM : MPI_SUCCESS;
    int made = 0;
    while (code == MPI_SUCCESS && made < (int)view->count) {
        lengths[made] = 1;
        code = subarray(view, &view->boxes[made], &types[made]);
        made += code == MPI_SUCCESS;
    }
    if (code == MPI_SUCCESS) {
        code = MPI_Type_create_struct(made, lengths, places, types, type);
    }
    for (int i = 0; i < made; i++) {
        MPI_Type_free(&types[i]);
    }
    free(types);
    free(lengths);
    free(places);
    return code;
}

int view_set(const struct view *view, MPI_File file) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    int code = combined(view, &type);
    code = code != MPI_SUCCESS ? code : MPI_Type_commit(&type);
    /* without a type, too: the other ranks wait */
    const int set = MPI_File_set_view(file, (MPI_Offset)view->base, MPI_BYTE, code == MPI_SUCCESS ? type : MPI_BYTE,
                                      "native", MPI_INFO_NULL);
    if (type != MPI_DATATYPE_NULL) {
        MPI_Type_free(&type);
    }
    return code != MPI_SUCCESS ? code : set;
}

void view_pieces(const struct view *view, int64_t offset, int64_t length, view_piece *piece, void *context) {
    if (view == NULL) {
        piece(context, 0, offset, length);
        return;
    }
    const int64_t array = elements(view->whole) * view->element;
    const int64_t first = offset / view_bytes(view);
    int64_t done = 0;
    for (int64_t turn = first; done < length; turn++) {
        for (int64_t b = 0; b < view->count; b++) {
            const struct box *const box = &view->boxes[b];
            const int64_t row = box->size[2] * view->element;
            for (int64_t i = 0; i < box->size[0]; i++) {
                for (int64_t j = 0; j < box->size[1]; j++) {
                    const int64_t at = place(view, box->start[0] + i, box->start[1] + j, box->start[2]);
                    piece(context, done, view->base + turn * array + at * view->element, row);
                    done += row;
                }
            }
        }
    }
}
