# What strangers' files and users' SQL cannot do. Included by the Makefile.

.PHONY: check-escapes
check-escapes: all ## names that are hostile do nothing to terminals, pages, spreadsheets
	@python3 testdata/check/escapes.py $(B)/bin
