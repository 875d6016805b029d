// tprof-mcp beside the protocol's own client: handshake, tools, each answer as its command prints it, pages,
// cancelling, limits, hostile messages and paths, and memory over a thousand calls. Called by run.sh in the
// repository's root.
import { setMaxListeners } from "node:events";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import zlib from "node:zlib";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const { BIN, TMP, SHORT, INSPECTOR } = process.env;
const env = { ...process.env, XDG_CACHE_HOME: `${TMP}/cache`, COLUMNS: "40" };
delete env.BIN;
let passed = 0, failed = 0;
const check = (what, good) => {
  if (good) passed++;
  else {
    failed++;
    console.log(`FAILED ${what}`);
  }
};
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const until = async (seconds, what) => {
  for (let i = 0; i < seconds * 50 && !what(); i++) await sleep(20);
  return what();
};

const dumps = fs.realpathSync("testdata");
const start = async (args = ["--source-path=testdata/programs", "testdata"]) => {
  const transport = new StdioClientTransport({ command: `${BIN}/tprof-mcp`, args, env });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  const call = async (name, args, options) => {
    const r = await client.callTool({ name, arguments: args }, undefined, options);
    const text = r.content[0].text;
    if (/[\0-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\ufeff]/.test(text)) check(`${name} ${JSON.stringify(args)} is printable`, false);
    return { error: r.isError, text };
  };
  return { client, call, pid: transport.pid };
};
// What a command prints, and its messages after that, as in an answer.
const command = (line) => {
  const { COLUMNS, ...plain } = env;
  const r = spawnSync(`${BIN}/${line[0]}`, line.slice(1), { cwd: dumps, env: plain, encoding: "utf8" });
  return r.stdout + r.stderr;
};
// Processes below the server, by name.
const below = (pid) => {
  const found = [];
  for (const p of fs.readdirSync("/proc").filter((n) => /^\d+$/.test(n)))
    try {
      const [, name, parent] = fs.readFileSync(`/proc/${p}/stat`, "utf8").match(/\((.*)\) \S (\d+)/);
      if (+parent === pid) found.push(name);
    } catch { /* it has ended */ }
  return found;
};

async function testTools() {
  const { client, call } = await start();
  const { tools } = await client.listTools();
  check("the server names itself", client.getServerVersion().name === "tprof-mcp" && client.getInstructions().length > 100);
  check(`nine tools: ${tools.map((t) => t.name)}`,
    tools.map((t) => t.name).join() === "list,overview,top,diff,path,leaks,source,query,guide");
  check("they read only", tools.every((t) => t.annotations.readOnlyHint && !t.annotations.openWorldHint));
  check("their descriptions are short", JSON.stringify(tools).length < 14000);
  const sql = "-- by state\nSELECT state, count(*) FROM span GROUP BY state";
  const trace = "checkout.trace", pair = (side) => [1, 2, 3, 4].map((i) => `prices/${side}-${i}.heap`);
  for (const [tool, args, ...line] of [
    ["list", { path: "parts.store" }, "tprof-store", "list", "parts.store"],
    ["overview", { file: trace, budget: 50000 }, "tprof-top", trace, "overview"],
    ["overview", { file: "catalog.cpu" }, "tprof-top", "--rows=10", "catalog.cpu"],
    ["top", { files: [trace], report: "block", rows: 3 }, "tprof-top", "--rows=3", trace, "block"],
    ["top", { files: trace, from: "10%", to: "50ms", options: ["--goroutine=customer"] }, "tprof-top", "--from=10%", "--to=50ms", "--goroutine=customer", trace],
    ["top", { files: ["catalog.cpu"], peek: "tryDefer" }, "tprof-top", "--peek=tryDefer", "catalog.cpu"],
    ["top", { files: pair("old"), sample: "alloc_space", cum: true, rows: 4 }, "tprof-top", "--cum", "--sample-index=alloc_space", "--rows=4", ...pair("old")],
    ["diff", { base: pair("old"), new: pair("new"), sample: "alloc_space", options: ["--changed"] }, "tprof-diff", "--sample-index=alloc_space", "--changed", "--base", ...pair("old"), "--", ...pair("new")],
    ["path", { file: trace, task: 103, rows: 3 }, "tprof-path", "--task=103", "--rows=3", trace],
    ["path", { file: trace, report: "wakers" }, "tprof-path", trace, "wakers"],
    ["leaks", { files: ["inbox/inbox-1.d0", "inbox/inbox-2.d1", "inbox/inbox-3.d2"] }, "tprof-leaks", "inbox/inbox-1.d0", "inbox/inbox-2.d1", "inbox/inbox-3.d2"],
    ["source", { file: "catalog.cpu", function: "main\\.less" }, "tprof-top", `--source-path=${dumps}:${dumps}/programs`, "--list=main\\.less", "catalog.cpu"],
    ["query", { file: trace, sql }, "tprof-query", trace, ` ${sql}`],
    ["query", { file: trace, sql: ".schema span" }, "tprof-query", trace, ".schema span"],
    ["guide", {}, "tprof", "guide"],
    ["guide", { word: "heap" }, "tprof", "guide", "heap"],
  ]) {
    const { error, text } = await call(tool, args);
    check(`${tool} ${JSON.stringify(args)} is ${line.join(" ")}: ${text.slice(0, 300)}`, !error && text === command(line));
  }
  const list = (await call("list", { budget: 100000 })).text;
  check("list shows kinds and paths", /^go 1\.26 trace +178KiB  checkout\.trace$/m.test(list) && /^store .* parts\.store$/m.test(list) &&
    /^pprof profile .* prices\/old-1\.heap$/m.test(list) && !/^.* programs\/catalog\.go$/m.test(list));
  check("the source has lines", / less\(|func less/.test((await call("source", { file: "catalog.cpu", function: "main\\.less" })).text));
  for (const [args, want] of [
    [["top", {}], /"files" is missing/],
    [["top", { files: [] }], /1 to 64 paths/],
    [["top", { files: ["checkout.trace"], rows: -1 }], /integer from 0/],
    [["top", { files: ["checkout.trace"], rows: "many" }], /integer from 0/],
    [["top", { files: ["checkout.trace"], budget: 10 }], /integer from 500 to 100000/],
    [["top", { files: ["checkout.trace"], cum: 1 }], /true or false/],
    [["top", { files: ["checkout.trace"], colour: 1 }], /no argument "colour"; it takes files/],
    [["top", { files: ["nowhere.trace"] }], /the tool list shows/],
    [["top", { files: ["prices"] }], /names a folder/],
    [["top", { files: ["README.md"] }], /not a trace or profile/],
    [["top", { files: ["checkout.trace"], report: "blok" }], /blok/],
    [["top", { files: ["catalog.cpu"], focus: "(" }], /focus/],
    [["query", { file: "checkout.trace", sql: "SELECT nothing" }], /syntax error/],
    [["guide", { word: "nothing" }], /no guide/],
  ]) {
    const { error, text } = await call(...args);
    check(`${JSON.stringify(args)} says what to do: ${text}`, error && want.test(text));
  }
  await client.callTool({ name: "nothing" }).then(() => check("an unknown tool", false), (e) => check("an unknown tool", e.code === -32602));
  await client.close();
}

async function testPages() {
  const { client, call } = await start();
  for (const budget of [500, 777, 3000, 100000]) {
    const args = { file: "checkout.trace", sql: `SELECT id, name FROM goroutine UNION ALL SELECT 0, printf('%.*c', ${budget === 500 ? 1000 : 10}, 'ä')` };
    const whole = command(["tprof-query", "checkout.trace", args.sql]);
    let all = "", pages = 0, longest = 0, cursor;
    do {
      const { error, text } = await call("query", cursor ? { ...args, budget, cursor } : { ...args, budget });
      if (error) break;
      cursor = text.match(/\n\[lines \d+ to \d+ of \d+; .*"cursor": "(.*?)".*\]\n$/)?.[1];
      let page = cursor ? text.slice(0, text.lastIndexOf("\n[lines ") + 1) : text;
      // Only a line that is too long is broken.
      if (!whole.startsWith(all + page) && budget === 500) page = page.slice(0, -1);
      all += page;
      longest = Math.max(longest, Buffer.byteLength(text));
      pages++;
    } while (cursor && pages < 100);
    check(`pages of ${budget} bytes: ${pages}, the longest ${longest}`, all === whole && longest <= budget && (pages > 1) === (Buffer.byteLength(whole) > budget));
  }
  const first = await call("top", { files: ["checkout.trace"], report: "block", rows: 0, budget: 1000 });
  const cursor = first.text.match(/"cursor": "(.*?)"/)[1];
  for (const [args, what] of [[{ report: "sched", cursor }, "another call"], [{ report: "block", cursor: "1-1" }, "made up"],
    [{ report: "block", cursor: "99999999999999999999-00000000" }, "far"]]) {
    const { error, text } = await call("top", { files: ["checkout.trace"], rows: 0, ...args });
    check(`a cursor that is ${what}: ${text.slice(0, 80)}`, error && /call without a cursor/.test(text));
  }
  await client.close();
}

const FOREVER = { file: "catalog.cpu", sql: "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c" };

async function testCancel() {
  const { client, call, pid } = await start();
  const stop = new AbortController();
  const asked = call("query", FOREVER, { signal: stop.signal }).then(() => "answered", () => "cancelled");
  check("a long call runs", await until(10, () => below(pid).includes("tprof-query")));
  await client.ping();
  stop.abort();
  check("it is cancelled", (await asked) === "cancelled");
  check("and its command ends", await until(3, () => !below(pid).length));
  // More than may run, all of them cancelled, those that wait as well.
  const all = new AbortController();
  setMaxListeners(50, all.signal);
  const many = Array.from({ length: 12 }, () => call("query", FOREVER, { signal: all.signal }).catch(() => "cancelled"));
  check("four run at a time", (await until(10, () => below(pid).length === 4)) && (await sleep(200), below(pid).length === 4));
  all.abort();
  check("all are cancelled", (await Promise.all(many)).every((r) => r === "cancelled") && await until(3, () => !below(pid).length));
  const crowd = await Promise.all(Array.from({ length: 60 }, (_, i) => call("query", { file: "catalog.cpu", sql: `SELECT ${i}` })));
  const busy = crowd.filter((r) => /call again later/.test(r.text)).length;
  check(`60 calls at once, ${busy} too many`, busy <= 28 && crowd.every((r, i) => r.error || new RegExp(`^ *${i}$`, "m").test(r.text)));
  const left = call("query", FOREVER).catch(() => {});
  await until(10, () => below(pid).length === 1);
  process.kill(pid, "SIGTERM");
  check("a signal ends the server and its commands", await until(5, () => !fs.existsSync(`/proc/${pid}`)));
  await left;
  await client.close();
  const slow = await start(["--timeout=1", "testdata"]);
  const late = await slow.call("query", FOREVER);
  check(`a late call: ${late.text}`, late.error && /longer than 1 seconds/.test(late.text));
  await slow.client.close();
}

// Sends lines as they are, and returns the answers once the server has ended.
const INIT = { jsonrpc: "2.0", id: "init", method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } } };
const raw = (lines, init = INIT) => {
  const bytes = (l) => (Buffer.isBuffer(l) ? l : Buffer.from(typeof l === "string" ? l : JSON.stringify(l)));
  const input = Buffer.concat([init, ...lines].flatMap((l) => (l ? [bytes(l), Buffer.from("\n")] : [])));
  const r = spawnSync(`${BIN}/tprof-mcp`, ["testdata"], { input, env, maxBuffer: 1 << 28 });
  return { status: r.status, answers: r.stdout.toString().split("\n").filter(Boolean).map((l) => JSON.parse(l)) };
};

function testMessages() {
  const request = (more) => ({ jsonrpc: "2.0", id: 1, method: "ping", ...more });
  const deep = (n) => `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${"[".repeat(n)}${"]".repeat(n)}}}`;
  for (const [what, line, code, id = 1] of [
    ["a ping", request(), 0],
    ["blanks around it", ` \t${JSON.stringify(request())} \r`, 0],
    ["a text as id", request({ id: "é\"\\\n" }), 0, "é\"\\\n"],
    ["id 0", request({ id: 0 }), 0, 0],
    ["a broken id", request({ id: {} }), -32600, null],
    ["no id but null", request({ id: null }), -32600, null],
    ["no JSON", "hello", -32700, null],
    ["half of it", '{"jsonrpc":"2.0","id":1,', -32700, null],
    ["two in a line", JSON.stringify(request()) + JSON.stringify(request()), -32700, null],
    ["a number", "12", -32600, null],
    ["null", "null", -32600, null],
    ["a NUL", JSON.stringify(request()) + "\0", -32700, null],
    ["no UTF-8", Buffer.from('{"jsonrpc":"2.0","id":1,"method":"\xff"}', "latin1"), -32700, null],
    ["60 deep", deep(60), 0],
    ["70 deep", deep(70), -32700, null],
    ["100,000 deep", deep(100000), -32700, null],
    ["2 MiB", request({ params: { x: "x".repeat(2 << 20) } }), -32600, null],
    ["half a MiB", request({ params: { x: "x".repeat(1 << 19) } }), 0],
    ["many members", request({ params: Object.fromEntries(Array.from({ length: 30000 }, (_, i) => [`k${i}`, i])) }), 0],
    ["another JSON-RPC", request({ jsonrpc: "1.0" }), -32600],
    ["no method", { jsonrpc: "2.0", id: 1 }, -32600],
    ["a number as method", request({ method: 1 }), -32600],
    ["a list as params", request({ params: [] }), -32602],
    ["an unknown method", request({ method: "resources/list" }), -32601],
    ["a second initialize", { ...INIT, id: 1 }, -32600],
    ["a batch", [request()], -32600, null],
    ["an empty batch", [], -32600, null],
    ["a call without a name", request({ method: "tools/call", params: {} }), -32602],
    ["a call without params", request({ method: "tools/call" }), -32602],
    ["a call with a list", request({ method: "tools/call", params: { name: "top", arguments: [] } }), -32602],
    ["a page of tools", request({ method: "tools/list", params: { cursor: "x" } }), -32602],
  ]) {
    const { status, answers } = raw([line, { jsonrpc: "2.0", id: "end", method: "ping" }]);
    const a = answers[1];
    check(`${what}: ${JSON.stringify(answers.slice(1))?.slice(0, 300)}`, status === 0 && answers.length === 3 && a.jsonrpc === "2.0" &&
      a.id === id && (code ? a.error?.code === code && a.error.message : a.result) && answers[2].id === "end");
  }
  for (const [what, line] of [
    ["initialized", { jsonrpc: "2.0", method: "notifications/initialized" }],
    ["an unknown notification", { jsonrpc: "2.0", method: "notifications/nothing", params: {} }],
    ["a method as notification", { jsonrpc: "2.0", method: "tools/list" }],
    ["cancelling nothing", { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 99 } }],
    ["cancelling without an id", { jsonrpc: "2.0", method: "notifications/cancelled", params: {} }],
    ["an answer", { jsonrpc: "2.0", id: 5, result: {} }],
    ["an empty line", " "],
  ])
    check(`${what} is not answered`, raw([line]).answers.length === 1);
  const early = raw([{ jsonrpc: "2.0", id: 1, method: "ping" }, { jsonrpc: "2.0", id: 2, method: "tools/list" }], null).answers;
  check("before initialize", early[0].result && early[1].error.code === -32600);
  for (const [asked, got] of [["2025-11-25"], ["2025-06-18"], ["2025-03-26"], ["2024-11-05"], ["2023-01-01", "2025-11-25"], ["", "2025-11-25"]]) {
    const { answers } = raw([], { ...INIT, params: { protocolVersion: asked } });
    check(`revision ${asked}`, answers[0].result.protocolVersion === (got ?? asked));
  }
  check("no revision", raw([], { ...INIT, params: {} }).answers[0].error.code === -32602);
  const batch = raw([[{ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "guide", arguments: { word: "cpu" } } }, request({ id: 2 }),
    { jsonrpc: "2.0", method: "notifications/initialized" }, 7], [{ jsonrpc: "2.0", method: "notifications/initialized" }]],
  { ...INIT, params: { protocolVersion: "2025-03-26" } }).answers;
  check(`a batch of 2025-03-26: ${JSON.stringify(batch[1])?.slice(0, 200)}`, batch.length === 2 && batch[1].length === 3 && batch[1].filter((a) => a.result).length === 2);
  const twice = raw([1, 2].map(() => ({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "guide" } }))).answers;
  check("one id twice", twice.filter((a) => a.error?.code === -32600).length === 1 && twice.filter((a) => a.result?.content).length === 1);
}

async function testPaths() {
  const inside = `${TMP}/inside`;
  fs.mkdirSync(`${inside}/sub`, { recursive: true });
  fs.mkdirSync(`${TMP}/inside2`);
  for (const place of [`${inside}/a.cpu`, `${inside}/--output=x`, `${inside}/overview`, `${TMP}/inside2/b.cpu`, `${TMP}/outside.cpu`])
    fs.copyFileSync("testdata/catalog.cpu", place);
  fs.symlinkSync("/etc/passwd", `${inside}/out`);
  fs.symlinkSync(`${TMP}`, `${inside}/up`);
  fs.symlinkSync("a.cpu", `${inside}/within`);
  execFileSync("mkfifo", [`${inside}/pipe`]);
  const odd = "a\u001b]0;x\u0007\u202e\n.cpu";
  fs.copyFileSync("testdata/catalog.cpu", `${inside}/${odd}`);
  // A profile that names a file elsewhere as the source of its functions, by a path as long as "catalog.go".
  const secret = `/tmp/${String(process.pid % 100000).padStart(5, "s")}`;
  fs.writeFileSync(secret, "SECRET\n".repeat(1000), { flag: "wx" });
  process.on("exit", () => fs.rmSync(secret));
  const bytes = zlib.gunzipSync(fs.readFileSync("testdata/catalog.cpu"));
  fs.writeFileSync(`${inside}/evil.cpu`, Buffer.from(bytes.toString("latin1").replaceAll("catalog.go", secret), "latin1"));
  const { client, call } = await start([inside]);
  for (const path of ["a.cpu", "./a.cpu", "sub/.//../a.cpu".replace("sub/.//../", ""), `${fs.realpathSync(inside)}/a.cpu`, "within", "--output=x", "overview", odd]) {
    const { error, text } = await call("top", { files: [path] });
    check(`${path} is read: ${text.slice(0, 100)}`, !error && /Type: cpu/.test(text));
  }
  for (const path of ["/etc/passwd", "../outside.cpu", "sub/../../outside.cpu", "sub/../a.cpu", `${TMP}/outside.cpu`, `${fs.realpathSync(inside)}2/b.cpu`, "out",
    "up/outside.cpu", "up/inside2/b.cpu", "/", "..", "/proc/self/environ", `${fs.realpathSync(inside)}/../outside.cpu`])
    for (const [tool, args] of [["top", { files: [path] }], ["query", { file: path, sql: "SELECT 1" }], ["list", { path }], ["diff", { base: ["a.cpu"], new: [path] }]]) {
      const { error, text } = await call(tool, args);
      check(`${tool} ${path} is refused: ${text.slice(0, 100)}`, error && /outside of the folder/.test(text));
    }
  for (const path of ["pipe", "clickhouse://localhost/x", "-", "@a.cpu", "a.cpu\0x", "", "x".repeat(5000), "a.cpu/", "*.cpu", "\u001b[2J\u202e"]) {
    const { error, text } = await call("top", { files: [path] });
    check(`the path '${path.slice(0, 30)}' is refused: ${text.slice(0, 100)}`, error);
  }
  for (const option of ["--output=x", "--output", "-o", "x", "--binary=/bin/ls", "--symbol-path=/", "--source-path=/", "--base=a.cpu", "--disasm=x", "--format=json",
    "--json-head", "--help", "--", "-", "--cum=1", "--rows=1", "--peek=x", "/etc/passwd", "@", "--trim\0", 7, null, ["--tree"]]) {
    const { error, text } = await call("top", { files: ["a.cpu"], options: [option] });
    check(`the option ${option} is refused: ${text.slice(0, 100)}`, error && /"options" takes/.test(text));
  }
  for (const sql of ["DELETE FROM run", "ATTACH '/etc/passwd' AS x", "SELECT load_extension('x')", "PRAGMA journal_mode=OFF", "SELECT readfile('/etc/passwd')", ".read /etc/passwd",
    "VACUUM INTO 'x'", "CREATE TABLE x(y)"])
    check(`SQL that does more than read: ${sql}`, (await call("query", { file: "a.cpu", sql })).error);
  for (const word of ["--help", "../x", "", "heap\0", "-"])
    check(`the guide '${word}'`, (await call("guide", { word })).error);
  const found = spawnSync(`${BIN}/tprof-top`, ["--list=main", "evil.cpu"], { cwd: inside, env, encoding: "utf8" }).stdout;
  check("by itself --list opens what a profile names", found.includes("SECRET"));
  for (const [tool, args] of [["source", { file: "evil.cpu", function: "main" }], ["top", { files: ["evil.cpu"], options: ["--list=main"] }]]) {
    const { error, text } = await call(tool, args);
    check(`${tool} does not: ${text.slice(0, 200)}`, !error && /ROUTINE/.test(text) && !text.includes("SECRET"));
  }
  check("nothing was written", fs.readdirSync(inside).filter((n) => n !== odd).sort().join() === "--output=x,a.cpu,evil.cpu,out,overview,pipe,sub,up,within");
  const list = (await call("list", {})).text;
  check(`links are not followed by list: ${list}`, !/outside|inside2|within|passwd/.test(list) && /a\.cpu/.test(list) && /a\\x1b/.test(list));
  await client.close();
}

async function testGrowth() {
  const { client, call, pid } = await start();
  const calls = SHORT ? 200 : 1000;
  const size = () => +fs.readFileSync(`/proc/${pid}/status`, "utf8").match(/VmRSS:\s+(\d+)/)[1];
  const open = () => fs.readdirSync(`/proc/${pid}/fd`).length;
  const kinds = [["guide", { word: "heap" }], ["top", { files: ["catalog.cpu"] }], ["guide", { cursor: "1-1" }], ["list", { path: "inbox" }], ["query", { file: "catalog.cpu", sql: "SELECT 1" }],
    ["top", { files: ["/etc/passwd"] }], ["leaks", { files: ["inbox/inbox-3.d2"] }]];
  let before, fds, wrong = 0;
  for (let i = 0; i < calls; i++) {
    if (i === 100) [before, fds] = [size(), open()];
    const [name, args] = kinds[i % kinds.length];
    const { error } = await call(name, args);
    wrong += error !== (i % kinds.length === 2 || i % kinds.length === 5);
  }
  const after = size();
  console.log(`mcp: ${calls} calls, ${before} KiB resident after 100, ${after} KiB at the end`);
  check(`${calls} calls are answered, ${wrong} wrongly`, wrong === 0);
  check(`memory does not grow: ${before} KiB, then ${after} KiB`, after - before < 256);
  check("no file is left open", open() === fds);
  await client.close();
  check("the server ends", await until(5, () => !fs.existsSync(`/proc/${pid}`)));
}

function testInspector() {
  if (!INSPECTOR) return;
  const out = execFileSync(INSPECTOR, ["--cli", `${BIN}/tprof-mcp`, "testdata", "--method", "tools/list"], { env, encoding: "utf8" });
  check("the inspector lists nine tools", JSON.parse(out).tools.length === 9);
  const called = execFileSync(INSPECTOR, ["--cli", `${BIN}/tprof-mcp`, "testdata", "--method", "tools/call", "--tool-name", "guide", "--tool-arg", "word=cpu"], { env, encoding: "utf8" });
  check("the inspector calls one", JSON.parse(called).content[0].text === command(["tprof", "guide", "cpu"]));
}

for (const test of [testTools, testPages, testCancel, testMessages, testPaths, testGrowth, testInspector]) await test();
console.log(`mcp: ${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
