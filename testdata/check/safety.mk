# What strangers' files and users' SQL cannot do. Included by the Makefile.

.PHONY: check-escapes
check-escapes: all ## names that are hostile do nothing to terminals, pages, spreadsheets
	@python3 testdata/check/escapes.py $(B)/bin

.PHONY: check-jail
check-jail: all ## what decodes can read the dump and nothing else; temporary files are private
	@CC='$(CC)' sh testdata/check/jail.sh $(B)/bin
