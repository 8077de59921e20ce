#!/bin/sh
# Every bug of the corpus is found where it is, and its fixed twin is clean.
exec "$(dirname "$0")/run"
