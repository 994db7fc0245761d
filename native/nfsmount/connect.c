#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <time.h>

#include "connection.h"

struct attempt {
    bool finished, connected;
};

double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void tried(struct rpc_context *rpc, int status, void *data, void *private_data) {
    struct attempt *const attempt = private_data;
    (void)rpc, (void)data;
    attempt->finished = true;
    attempt->connected = status == RPC_STATUS_SUCCESS;
}

void rpc_wait(struct rpc_context *rpc, const bool *finished, double seconds) {
    for (const double end = now() + seconds; !*finished && now() < end;) {
        struct pollfd socket = {.fd = rpc_get_fd(rpc), .events = (short)rpc_which_events(rpc)};
        if (poll(&socket, 1, 50) > 0 && rpc_service(rpc, socket.revents) != 0) {
            return;
        }
    }
}

struct rpc_context *rpc_connected(const char *host, int port, int program, int version, double seconds) {
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER; /* libnfs deals out local ports */
    struct attempt attempt = {0};
    struct rpc_context *const rpc = rpc_init_context();
    if (rpc == NULL) {
        return NULL;
    }
    pthread_mutex_lock(&one_at_a_time);
    const int queued = rpc_connect_port_async(rpc, host, port, program, version, tried, &attempt);
    pthread_mutex_unlock(&one_at_a_time);
    if (queued == 0) {
        rpc_wait(rpc, &attempt.finished, seconds);
    }
    if (!attempt.connected) {
        rpc_destroy_context(rpc);
        return NULL;
    }
    const int yes = 1; /* else a small request waits until a large one is acknowledged */
    setsockopt(rpc_get_fd(rpc), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return rpc;
}
