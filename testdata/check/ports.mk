# Other machines, another C library, another compiler. Included by the Makefile.

.PHONY: tests ports port-arm64 port-i386 port-s390x port-musl port-clang ports-sample
tests: $(TESTS)
ports: ## the five below
	+@MAKE='$(AGAIN)' sh testdata/ports/all.sh
port-arm64: all ## under qemu: tests of modules, the recorder, a third of the commands', stores of the corpus
	+@$(if $(QUICK),,sh testdata/check/whole.sh port-arm64) env MAKE='$(AGAIN)' sh testdata/ports/machine.sh arm64
port-i386: all ## 32 bits: all tests of modules and commands, and stores of the corpus, beside those of here
	+@$(if $(QUICK),,sh testdata/check/whole.sh port-i386) env MAKE='$(AGAIN)' sh testdata/ports/machine.sh i386
port-s390x: all ## big-endian, under qemu: tests of modules, a third of the commands', stores of the corpus
	+@$(if $(QUICK),,sh testdata/check/whole.sh port-s390x) env MAKE='$(AGAIN)' sh testdata/ports/machine.sh s390x
ports-sample: all ## of port-arm64, port-i386 and port-s390x what takes a few minutes
	+@MAKE='$(AGAIN)' QUICK=1 sh testdata/ports/all.sh arm64 i386 s390x
port-musl: ## the decoders and their tests with musl-gcc
	+@MAKE='$(AGAIN)' sh testdata/ports/musl.sh
port-clang: ## everything with clang, without a warning; all tests of modules
	+@sh testdata/check/whole.sh port-clang env MAKE='$(AGAIN)' sh testdata/ports/clang.sh
