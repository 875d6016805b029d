# Turns a module into the body of a function that adds to `own` what the module exports; need('a/x') returns what a/x.js
# does (page.c). The Makefile has made its imports relative to page/.
s|^import \* as \([a-zA-Z]*\) from '\(.*\)\.js';|const \1 = need('\2');|
/^import {/s/ as /: /g
s|^import \({.*}\) from '\(.*\)\.js';|const \1 = need('\2');|
s|import('./' + \([a-z.]*\) + '\.js')|new Promise(done => done(need(\1)))|
s/^export default /own.default = /
s/^export \(\(async \)*function \([a-zA-Z]*\)\)/own.\3 = \3; \1/
s/^export \(class \([a-zA-Z]*\)\)/const \2 = own.\2 = \1/
s/^export const \([a-zA-Z_]*\)/const \1 = own.\1/
