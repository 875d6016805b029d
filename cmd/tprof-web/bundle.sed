# Turns a module into the body of a function that adds to `own` what the module exports; need('x') returns what x.js does
# (page.c). A module's name is unique, whatever its folder.
s|^import \* as \([a-zA-Z]*\) from '.*/\([a-z]*\)\.js';|const \1 = need('\2');|
/^import {/s/ as /: /g
s|^import \({.*}\) from '.*/\([a-z]*\)\.js';|const \1 = need('\2');|
s|import('./' + \([a-z.]*\) + '\.js')|new Promise(done => done(need(\1)))|
s/^export default /own.default = /
s/^export \(\(async \)*function \([a-zA-Z]*\)\)/own.\3 = \3; \1/
s/^export \(class \([a-zA-Z]*\)\)/const \2 = own.\2 = \1/
s/^export const \([a-zA-Z_]*\)/const \1 = own.\1/
