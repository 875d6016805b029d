#include "tprof-tui/screen/screen.h"

#include <curses.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/buf.h"
#include "common/limit.h"
#include "common/progress.h"
#include "tprof-tui/keys.h"

static struct {
	SCREEN *screen;
	struct termios before;
	bool on; /* the terminal is set up */
	bool ascii, mouse;
	struct tp_buf text;  /* the text being drawn, escaped and shortened; reused */
	char give_back[256]; /* restores the terminal without ncurses */
	size_t give_back_size;
	bool cursor; /* show the cursor at this place */
	int cursor_row, cursor_col;
	volatile sig_atomic_t interrupted;
	volatile sig_atomic_t ended; /* the signal that asked the program to end, or 0 */
} term;

/* ---- restoring the terminal ---- */

static void add_sequence(const char *name)
{
	const char *s = tigetstr(name);
	size_t n = s && s != (char *)-1 ? strlen(s) : 0;

	if (!n || n > sizeof(term.give_back) - term.give_back_size)
		return;
	memcpy(term.give_back + term.give_back_size, s, n);
	term.give_back_size += n;
}

/* Prepares the sequences that restore the terminal after a crash. ncurses takes locks and allocates, so a
 * signal handler cannot use it. */
static void prepare_crash(void)
{
	static const char no_paste[] = "\033[?2004l";
	static const char no_mouse[] = "\033[?1006l\033[?1002l\033[?1000l";

	term.give_back_size = 0;
	memcpy(term.give_back, no_paste, sizeof(no_paste) - 1);
	term.give_back_size = sizeof(no_paste) - 1;
	if (term.mouse) {
		memcpy(term.give_back + term.give_back_size, no_mouse, sizeof(no_mouse) - 1);
		term.give_back_size += sizeof(no_mouse) - 1;
	}
	add_sequence("sgr0");
	add_sequence("rmkx");
	add_sequence("cnorm");
	add_sequence("rmcup");
}

static void give_back(void)
{
	ssize_t n = write(STDOUT_FILENO, term.give_back, term.give_back_size);

	(void)n;
	tcsetattr(STDIN_FILENO, TCSANOW, &term.before);
}

static void crash(int number)
{
	if (term.on)
		give_back();
	cmd_interrupt_remove();
	signal(number, SIG_DFL);
	raise(number);
}

static void interrupt(int number)
{
	(void)number;
	term.interrupted = 1;
}

#define GRACE_S		2     /* time for an orderly end */
#define ROOM_FOR_A_LINE 16384 /* bytes for an escaped line, followed by its shortened form */

/* Handles a signal that asks the program to end. The first one ends it in order; the second one, or the
 * alarm after GRACE_S, ends it at once. */
static void ask_to_end(int number)
{
	if (term.ended)
		crash(number);
	term.ended = number;
	alarm(GRACE_S);
}

static void too_late(int number)
{
	(void)number;
	crash(term.ended ? term.ended : SIGTERM);
}

/* Makes ncurses ask the terminal for its size, which may have changed while the program was stopped. */
static void go_on(int number)
{
	(void)number;
	raise(SIGWINCH);
}

static void catch_signals(void)
{
	static const int deadly[] = {SIGSEGV, SIGBUS,  SIGFPE,	SIGILL,
				     SIGABRT, SIGQUIT, SIGXCPU, SIGSYS};
	static char stack[32768];
	const stack_t other = {.ss_sp = stack, .ss_size = sizeof(stack)};
	struct sigaction sa = {.sa_handler = crash, .sa_flags = SA_ONSTACK | SA_NODEFER};

	sigaltstack(&other, NULL);
	sigemptyset(&sa.sa_mask);
	for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++)
		sigaction(deadly[i], &sa, NULL);
	sa.sa_handler = interrupt;
	sa.sa_flags = SA_RESTART;
	sigaction(SIGINT, &sa, NULL);
	/* These signals must interrupt the read that waits for a key, so SA_RESTART is not set. */
	sa.sa_flags = 0;
	sa.sa_handler = too_late;
	sigaction(SIGALRM, &sa, NULL);
	sa.sa_handler = ask_to_end;
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
	sa.sa_handler = go_on;
	sa.sa_flags = 0;
	sigaction(SIGCONT, &sa, NULL);
	if (!sigaction(SIGTSTP, NULL, &sa)) {
		sa.sa_flags &= ~SA_RESTART;
		sigaction(SIGTSTP, &sa, NULL);
	}
}

/* Makes the terminal mark pasted text (bracketed paste). Terminals without this feature ignore the
 * sequence. */
static void set_paste(bool on)
{
	tui_screen_raw(on ? "\033[?2004h" : "\033[?2004l", 8);
}

void tui_screen_end(void)
{
	if (term.on) {
		set_paste(false);
		endwin();
	}
	term.on = false;
	/* delscreen() is not called: it needs memory and dies if memory is out. */
	term.screen = NULL;
	tp_buf_release(&term.text);
}

/* ---- setting up ---- */

static int cannot(struct tp_err *err, const char *why)
{
	return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE, "%s", why);
}

/* Leaves only ^Z to the line discipline. With IXON, ^S would freeze the screen; with IEXTEN, ^O and ^V
 * would not arrive. */
static void take_keys(void)
{
	struct termios t;

	cbreak();
	noecho();
	nonl();
	if (tcgetattr(STDIN_FILENO, &t))
		return;
	t.c_iflag &= (tcflag_t)~IXON;
	t.c_lflag &= (tcflag_t)~IEXTEN;
	/* Receive ^C as a key, in order with the others. */
	t.c_cc[VINTR] = _POSIX_VDISABLE;
	tcsetattr(STDIN_FILENO, TCSADRAIN, &t);
	def_prog_mode();
}

/* Makes ncurses parse all sequences with parameters now. It would parse each at its first use, and die if
 * memory is out then. Returns false if memory is out. */
static bool read_sequences(void)
{
	static const char *const names[] = {
	    "cup",   "hpa",   "vpa",  "cuu",  "cud", "cub", "cuf",   "il",    "dl",
	    "ich",   "dch",   "ech",  "rep",  "ind", "ri",  "indn",  "rin",   "csr",
	    "setaf", "setab", "setf", "setb", "scp", "sgr", "initc", "initp",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *s = tigetstr(names[i]);

		if (s && s != (char *)-1 && !tparm(s, 1L, 1L, 1L, 1L, 1L, 1L, 1L, 1L, 1L))
			return false;
	}
	return true;
}

static void begin_modes(void)
{
	take_keys();
	keypad(stdscr, TRUE);
	intrflush(stdscr, FALSE);
	curs_set(0);
	define_key("\033[200~", TUI_PASTE_BEGIN);
	define_key("\033[201~", TUI_PASTE_END);
	if (term.mouse) {
		/* With interval 0, only a press and a release read together are one click. */
		mousemask(BUTTON1_PRESSED | BUTTON1_RELEASED | BUTTON1_CLICKED |
			      BUTTON1_DOUBLE_CLICKED | BUTTON1_TRIPLE_CLICKED | BUTTON4_PRESSED |
			      BUTTON5_PRESSED | BUTTON_SHIFT | BUTTON_CTRL,
			  NULL);
		mouseinterval(0);
	}
}

/* Restores the terminal after newterm() if memory is out. endwin() would need memory. */
static void turn_back(void)
{
	reset_shell_mode();
	prepare_crash();
	give_back();
}

int tui_screen_begin(const struct tui_screen_options *opt, struct tp_err *err)
{
	const char *name = getenv("TERM");

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return cannot(err,
			      "this needs a terminal; tprof-top and tprof-query write to files "
			      "and pipes");
	if (tcgetattr(STDIN_FILENO, &term.before))
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "cannot set the terminal up: %s",
				  strerror(errno));
	setlocale(LC_ALL, "");
	term.ascii = opt->ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
	term.mouse = opt->mouse;
	/* Esc is a key unless another byte follows within 25 ms. */
	setenv("ESCDELAY", "25", 0);
	/* ncurses calls exit() if memory is out. */
	atexit(tui_screen_end);
	errno = 0;
	term.screen = newterm(NULL, stdout, stdin);
	if (!term.screen && (errno == ENOMEM || errno == EMFILE || errno == ENFILE || errno == EIO))
		return tp_err_set(err, errno == ENOMEM ? TP_ENOMEM : TP_EIO, TP_OFFSET_NONE,
				  "cannot set the terminal up: %s", strerror(errno));
	if (!term.screen && (!name || !*name))
		return cannot(err, "TERM is not set; try TERM=xterm");
	if (!term.screen)
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "the terminal '%.40s' is not known here; try TERM=xterm", name);
	if (!tigetstr("cup") || tigetstr("cup") == (char *)-1) {
		/* Only the modes need to be reset: nothing has been written to this terminal. */
		reset_shell_mode();
		delscreen(term.screen);
		term.screen = NULL;
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "the terminal '%.40s' cannot move its cursor; try TERM=xterm",
				  name ? name : "");
	}
	/* Reserve room for a line, so that a message can be shown when memory has run out. */
	if (!read_sequences() || tp_buf_reserve(&term.text, ROOM_FOR_A_LINE)) {
		turn_back();
		term.screen = NULL;
		return tp_err_set(err, TP_ENOMEM, TP_OFFSET_NONE,
				  "cannot set the terminal up: out of memory");
	}
	term.on = true;
	begin_modes();
	set_paste(true);
	tui_style_init(opt->colour);
	prepare_crash();
	catch_signals();
	return 0;
}

void tui_screen_suspend(void)
{
	def_prog_mode();
	set_paste(false);
	endwin();
	raise(SIGTSTP);
	reset_prog_mode();
	set_paste(true);
	refresh();
}

bool tui_screen_run(char *const argv[])
{
	int status = -1;
	pid_t pid;

	def_prog_mode();
	set_paste(false);
	endwin();
	pid = fork();
	if (!pid) {
		signal(SIGINT, SIG_DFL);
		cmd_limit_lift();
		execvp(argv[0], argv);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	reset_prog_mode();
	set_paste(true);
	clearok(stdscr, TRUE);
	refresh();
	return pid > 0 && WIFEXITED(status) && !WEXITSTATUS(status);
}

bool tui_screen_interrupted(void)
{
	bool was = term.interrupted;

	term.interrupted = 0;
	return was;
}

int tui_screen_ended(void)
{
	return term.ended;
}

bool tui_screen_gone(void)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};

	return poll(&in, 1, 0) > 0 && in.revents & (POLLHUP | POLLERR | POLLNVAL);
}

bool tui_screen_ascii(void)
{
	return term.ascii;
}

void tui_screen_size(int *rows, int *cols)
{
	*rows = LINES;
	*cols = COLS;
}

void tui_screen_raw(const char *data, size_t size)
{
	while (size) {
		ssize_t n = write(STDOUT_FILENO, data, size);

		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return;
		if (n > 0) {
			data += n;
			size -= (size_t)n;
		}
	}
}

/* ---- drawing ---- */

/* Replaces each non-ASCII character by '?'. The text is escaped, so it is valid UTF-8. */
static void to_ascii(struct tp_buf *b, size_t from)
{
	size_t to = from;

	for (size_t i = from; i < b->size; i++) {
		if (b->data[i] < 0x80)
			b->data[to++] = b->data[i];
		else if (b->data[i] >= 0xc0)
			b->data[to++] = '?';
	}
	b->size = to;
}

/* Escapes and shortens a text into term.text, from *from on. Returns false if memory is out. */
static bool prepare(const char *text, size_t size, int cols, enum rep_shorten how, size_t *from)
{
	struct tp_buf *b = &term.text;

	b->size = 0;
	/* Bytes beyond this would be cut anyway. */
	if (how == REP_SHORTEN_RIGHT && size > (size_t)cols * 8 + 64)
		size = (size_t)cols * 8 + 64;
	if (rep_escape(b, text, size, REP_ESCAPE_SHOWN))
		return false;
	if (term.ascii)
		to_ascii(b, 0);
	*from = b->size;
	if (tp_buf_reserve(b, b->size * 2 + 64))
		return false;
	return !rep_shorten(b, (const char *)b->data, *from, (size_t)cols, how, term.ascii);
}

int tui_put(int row, int col, int cols, enum tui_style style, enum rep_shorten how,
	    const char *text, size_t size)
{
	size_t from;

	if (cols <= 0 || row < 0 || row >= LINES || col < 0 || col >= COLS)
		return 0;
	if (cols > COLS - col)
		cols = COLS - col;
	if (!prepare(text, size, cols, how, &from))
		return 0;
	tui_style_set(style);
	mvaddnstr(row, col, (const char *)term.text.data + from, (int)(term.text.size - from));
	return (int)rep_text_width((const char *)term.text.data + from, term.text.size - from);
}

int tui_say(int row, int col, int cols, enum tui_style style, const char *text)
{
	return tui_put(row, col, cols, style, REP_SHORTEN_RIGHT, text, strlen(text));
}

int tui_sayf(int row, int col, int cols, enum tui_style style, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return tui_say(row, col, cols, style, text);
}

void tui_put_right(int row, int col, int cols, enum tui_style style, const char *text, size_t size)
{
	size_t from;
	int width;

	if (cols <= 0 || row < 0 || row >= LINES || col < 0 || col >= COLS)
		return;
	if (!prepare(text, size, cols, REP_SHORTEN_RIGHT, &from))
		return;
	width = (int)rep_text_width((const char *)term.text.data + from, term.text.size - from);
	tui_style_set(style);
	mvaddnstr(row, col + cols - width, (const char *)term.text.data + from,
		  (int)(term.text.size - from));
}

void tui_fill(int row, int col, int cols, enum tui_style style)
{
	if (row < 0 || row >= LINES || col < 0 || col >= COLS)
		return;
	tui_style_set(style);
	mvhline(row, col, ' ', cols < COLS - col ? cols : COLS - col);
}

void tui_screen_cursor(void)
{
	getyx(stdscr, term.cursor_row, term.cursor_col);
	term.cursor = true;
}

void tui_screen_begin_drawing(void)
{
	term.cursor = false;
	tui_style_set(TUI_STYLE_NORMAL);
	erase();
}

void tui_screen_show(void)
{
	if (term.cursor)
		move(term.cursor_row, term.cursor_col);
	curs_set(term.cursor);
	refresh();
}

void tui_glyph(int row, int col, enum tui_style style, const char *glyph, char ascii)
{
	if (row < 0 || row >= LINES || col < 0 || col >= COLS)
		return;
	tui_style_set(style);
	if (term.ascii)
		mvaddch(row, col, (chtype)(unsigned char)ascii);
	else
		mvaddstr(row, col, glyph);
}
