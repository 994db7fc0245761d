/* Files that are open: which there are, and what becomes of a name of ours when the last one goes. */
#include <stdlib.h>
#include <string.h>

#include "../inode.h"
#include "check.h"

enum { FILES = 3 };

/* In place of server.c: nothing is written here. */
void server_submit(struct server *server, struct call *call, bool carries_data) {
    (void)server, (void)call, (void)carries_data;
    abort();
}

struct place {
    struct inodes inodes;
    struct inode *file[FILES];
};

static void begin(struct place *place) {
    const struct handle root = {.size = 1, .bytes = "r"};
    CHECK(inodes_make(&place->inodes, &root) == 0);
    for (int i = 0; i < FILES; i++) {
        const char handle = (char)('a' + i);
        place->file[i] = inode_get(&place->inodes, &handle, 1);
        inode_opened(&place->inodes, place->file[i]);
    }
}

/* A close, by which the file is to be removed under that name; NULL: it is not. */
static void closes(struct place *place, int which, const char *removed) {
    struct inode *directory = NULL;
    char *name = NULL;
    CHECK(inode_closed(&place->inodes, place->file[which], &directory, &name) == (removed != NULL));
    if (removed != NULL) {
        CHECK(directory == place->inodes.root && strcmp(name, removed) == 0);
        inode_release(&place->inodes, directory, 1);
    }
    free(name);
}

static void end(struct place *place) {
    CHECK(place->inodes.open == NULL);
    for (int i = 0; i < FILES; i++) {
        inode_release(&place->inodes, place->file[i], 1);
    }
    CHECK(place->inodes.root->references == 1);
    inodes_free(&place->inodes);
}

static void the_last_hidden_name_is_removed_with_the_last_close(void) {
    struct place place;
    begin(&place);
    struct inode *const root = place.inodes.root;
    inode_named(&place.inodes, place.file[0], root, "name");
    CHECK(inode_hidden(&place.inodes, place.file[0], root, "ours-1"));
    inode_named(&place.inodes, place.file[0], root, "ours-1"); /* found by somebody */
    CHECK(inode_hidden(&place.inodes, place.file[0], root, "ours-2")); /* who removed it */
    inode_named(&place.inodes, place.file[0], root, "link");
    closes(&place, 0, "ours-2");
    closes(&place, 1, NULL);
    CHECK(!inode_hidden(&place.inodes, place.file[1], root, "ours-3")); /* too late: whoever hid it removes it */
    closes(&place, 2, NULL);
    end(&place);
}

static void of_two_files_of_one_name_the_last_one_counts(void) {
    struct place place;
    begin(&place);
    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < 2; i++) { /* each in the other's place */
            inode_named(&place.inodes, place.file[i ^ turn], place.inodes.root, "name");
            struct inode *const found = inode_open_as(&place.inodes, place.inodes.root, "name");
            CHECK(found == place.file[i ^ turn]);
            inode_release(&place.inodes, found, 1);
        }
    }
    for (int i = 0; i < FILES; i++) {
        closes(&place, i, NULL);
    }
    end(&place);
}

static void a_path_is_told_from_its_end(void) {
    struct place place;
    begin(&place);
    char path[16];
    inode_named(&place.inodes, place.file[0], place.inodes.root, "folder");
    inode_named(&place.inodes, place.file[1], place.file[0], "file");
    inode_path(&place.inodes, place.file[1], path, sizeof path);
    CHECK(strcmp(path, "/folder/file") == 0);
    inode_path(&place.inodes, place.file[1], path, 8);
    CHECK(strcmp(path, "/file") == 0);
    for (int i = 0; i < FILES; i++) {
        closes(&place, i, NULL);
    }
    end(&place);
}

/* Whether they are met, from the first to the end, when one of them is closed behind the first. */
static void walk(int closed) {
    struct place place;
    begin(&place);
    int met[FILES] = {0};
    struct inode *inode = NULL;
    for (int step = 0; (inode = inode_open_after(&place.inodes, inode)) != NULL; step++) {
        for (int i = 0; i < FILES; i++) {
            met[i] += inode == place.file[i];
        }
        if (step == 0 && closed >= 0) {
            closes(&place, closed, NULL);
        }
    }
    for (int i = 0; i < FILES; i++) {
        CHECK(met[i] > 0 || i == closed);
        CHECK(met[i] <= 2);
        if (i != closed) {
            closes(&place, i, NULL);
        }
    }
    end(&place);
}

int main(void) {
    the_last_hidden_name_is_removed_with_the_last_close();
    of_two_files_of_one_name_the_last_one_counts();
    a_path_is_told_from_its_end();
    for (int closed = -1; closed < FILES; closed++) {
        walk(closed);
    }
    return 0;
}
