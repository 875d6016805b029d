/* Words for a shell: what a message tells to type can be copied. */
#ifndef CMD_QUOTE_H
#define CMD_QUOTE_H

struct tp_buf;

/* Adds the word, in quotes where the shell would not leave it as it is: 0 or TP_ENOMEM. */
int cmd_quote(struct tp_buf *b, const char *word);

#endif
