#include "store/block_model.h"

/* Go: internal/trace/order.go, the functions advance…: what each event does to the M it is on. */
const struct habit tp_block_habits[256] = {
    [TP_EV_PROC_START] = {.self_is_p = 1, .p_after = AFTER_SUBJECT},
    [TP_EV_PROC_STOP] = {.self_is_p = 1, .p_after = AFTER_NONE},
    [TP_EV_PROC_STEAL] = {.self_is_p = 1},
    [TP_EV_PROC_STATUS] = {.self_is_p = 1},
    [TP_EV_GO_CREATE] = {.guess = GUESS_NEW, .counts_g = 1, .wakes = 1},
    [TP_EV_GO_CREATE_SYSCALL] = {.guess = GUESS_NEW, .counts_g = 1, .g_after = AFTER_SUBJECT},
    [TP_EV_GO_START] = {.guess = GUESS_RUN_NEXT, .counts_g = 1, .g_after = AFTER_SUBJECT},
    [TP_EV_GO_DESTROY] = {.counts_g = 1, .g_after = AFTER_NONE},
    [TP_EV_GO_DESTROY_SYSCALL] = {.counts_g = 1, .g_after = AFTER_NONE},
    [TP_EV_GO_STOP] = {.counts_g = 1, .g_after = AFTER_NONE},
    [TP_EV_GO_BLOCK] = {.counts_g = 1, .g_after = AFTER_NONE},
    [TP_EV_GO_UNBLOCK] = {.guess = GUESS_PARTNER, .counts_g = 1, .wakes = 1},
    [TP_EV_GO_SYSCALL_BEGIN] = {.counts_g = 1},
    [TP_EV_GO_SYSCALL_END] = {.counts_g = 1},
    [TP_EV_GO_SYSCALL_BLOCKED] = {.counts_g = 1, .g_after = AFTER_NONE},
    [TP_EV_GO_STATUS] = {.counts_g = 1},
    [TP_EV_GO_STATUS_STACK] = {.counts_g = 1},
    [TP_EV_GO_CREATE_BLOCKED] = {.guess = GUESS_NEW, .counts_g = 1},
    [TP_EV_GO_SWITCH] = {.guess = GUESS_PARTNER, .counts_g = 1, .g_after = AFTER_SUBJECT},
    [TP_EV_GO_SWITCH_DESTROY] = {.guess = GUESS_PARTNER, .counts_g = 1, .g_after = AFTER_SUBJECT},
    [TP_EV_GC_SWEEP_ACTIVE] = {.self_is_p = 1},
    [TP_EV_GC_SWEEP_BEGIN] = {.self_is_p = 1},
    [TP_EV_GC_SWEEP_END] = {.self_is_p = 1},
};
