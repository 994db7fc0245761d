#include "behind.h"
#include "budget.h"

void budget_make(struct budget *budget, uint64_t limit) {
    pthread_mutex_init(&budget->lock, NULL);
    budget->limit = limit;
    budget->last = &budget->first;
}

void budget_take(struct budget *budget, uint64_t bytes) {
    pthread_mutex_lock(&budget->lock);
    budget->used += bytes;
    pthread_mutex_unlock(&budget->lock);
}

void budget_give(struct budget *budget, uint64_t bytes) {
    pthread_mutex_lock(&budget->lock);
    budget->used -= bytes;
    struct waiter *waiter = NULL;
    if (budget->used < budget->limit) {
        waiter = budget->first;
        budget->first = NULL;
        budget->last = &budget->first;
    }
    pthread_mutex_unlock(&budget->lock);
    while (waiter != NULL) {
        struct waiter *const next = waiter->next;
        waiter->then(waiter);
        waiter = next;
    }
}

void budget_wait(struct budget *budget, struct waiter *waiter) {
    pthread_mutex_lock(&budget->lock);
    const bool full = budget->used >= budget->limit;
    if (full) {
        waiter->next = NULL;
        *budget->last = waiter;
        budget->last = &waiter->next;
    }
    pthread_mutex_unlock(&budget->lock);
    if (!full) {
        waiter->then(waiter);
    }
}
