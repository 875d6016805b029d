#include "store/block_model.h"

const struct habit tp_block_habits[256] = {
#define TP_X(name, ...) [TP_EV_##name] = {__VA_ARGS__},
    BLOCK_HABITS(TP_X)
#undef TP_X
};
