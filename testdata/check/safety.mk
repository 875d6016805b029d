# What strangers' files and users' SQL cannot do. Included by the Makefile.

.PHONY: check-escapes
check-escapes: all ## names that are hostile do nothing to terminals, pages, spreadsheets
	@if command -v python3 >/dev/null; then python3 testdata/check/escapes.py $(B)/bin; \
	else echo 'escapes are not checked, as python3 is missing (Debian: apt-get install python3)'; [ "$${CI:-}" != true ]; fi

.PHONY: check-jail
check-jail: all ## what decodes can read the dump and nothing else; temporary files are private
	@CC='$(CC)' sh testdata/check/jail.sh $(B)/bin

.PHONY: check-patience
check-patience: all ## where an expression takes too long on a dump's names, every command that has one says so
	@CC='$(CC)' sh testdata/check/patience.sh $(B)/bin
