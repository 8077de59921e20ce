#!/bin/sh
# The reference alone on every litmus file: the sets that people wrote down are confirmed by a judge
# that shares no code with the model.
cd "$(dirname "$0")/../.." || exit 2
set -- tests/litmus/*.litmus
exec "${PERDURE_BUILD:-build}/tests/ref/reflit" "$@"
