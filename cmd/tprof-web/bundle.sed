# Turns a module into the body of a function that adds to `own` what the module exports; need('a/x') returns what a/x.js
# does (page.c). The Makefile has made its imports relative to page/.
s|^import \* as \([A-Za-z0-9_$]*\) from '\(.*\)\.js';|const \1 = need('\2');|
/^import {/s/ as /: /g
s|^import \({.*}\) from '\(.*\)\.js';|const \1 = need('\2');|
s|import('./' + \([A-Za-z0-9_$.]*\) + '\.js')|new Promise(done => done(need(\1)))|
s/^export default /own.default = /
s/^export \(\(async \)*function \([A-Za-z0-9_$]*\)\)/own.\3 = \3; \1/
s/^export \(class \([A-Za-z0-9_$]*\)\)/const \2 = own.\2 = \1/
s/^export const \([A-Za-z0-9_$]*\)/const \1 = own.\1/
