# installed.sed - the README as it is installed: without what is about the sources.
/^Installed as a package?/c\
[First bug in five minutes](docs/guide/first-bug.md) is the place to begin. `perdure doctor` shows what your machine or container allows, and what perdure does about the rest ([machine.md](docs/machine.md)).
/^    make /d
/^Both install what is missing/d
/^\* If you want to know what it costs/d
/^\* If you want to know whether it can be trusted/d
s#, then `tests/litmus`##
s#build/perdure#perdure#g
s#src/cli/cmake/PerdureConfig.cmake#share/cmake/Perdure/PerdureConfig.cmake#
