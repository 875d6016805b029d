// Fills a pantry with labelled jars and sorts them: for profiles of Node.
const crypto = require('crypto');
class Pantry {
  constructor() { this.jars = []; }
  fill(n) { for (let i = 0; i < n; i++) this.jars.push(label(i)); }
  sort() { this.jars.sort((a, b) => compare(a, b)); }
}
function label(i) { return crypto.createHash('md5').update(String(i)).digest('hex'); }
function compare(a, b) { return a.slice(3) < b.slice(3) ? -1 : 1; }
const p = new Pantry();
p.fill(60000);
p.sort();
