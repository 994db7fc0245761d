/* What only those who send the bytes do with their budget. */
#ifndef ACIC_NFSMOUNT_BUDGET_H
#define ACIC_NFSMOUNT_BUDGET_H

#include "behind.h"

void budget_take(struct budget *budget, uint64_t bytes);
void budget_give(struct budget *budget, uint64_t bytes);

#endif
