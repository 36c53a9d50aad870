import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Figure, JSON_PREFIX, machine, type Report, ratioText, verdict } from './support/report.ts';

/**
 * Runs every benchmark with small settings, one after the other, each in its own process. Writes `bench/results/latest.json`, the table of docs/reference/tables/figures.md
 * and the selected rows of README.md. `all <name>…` runs only the named scripts and replaces only their results in `latest.json`. Environment variables
 * override the settings here.
 */
const SCRIPTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  http: { BENCH_SECONDS: '1' },
  fronts: { BENCH_SECONDS: '1', BENCH_STREAMS: '500' },
  evaluation: {},
  prices: {},
  holds: {},
  frontend: { BENCH_SECONDS: '1' },
  bulk: {},
  change: { BENCH_SECONDS: '1' },
  writes: { BENCH_SECONDS: '1' },
  start: {},
  memory: {},
  offline: {},
  replicas: {},
  preview: {},
  history: { BENCH_EVENTS: '200000', BENCH_ROUNDS: '3' },
  search: { BENCH_ROUNDS: '3' },
  index: { BENCH_ROUNDS: '3' },
  metrics: { BENCH_SECONDS: '1' },
  streams: { BENCH_ROUNDS: '10' },
  relay: { BENCH_SECONDS: '1' },
  fairness: {},
  events: { BENCH_EVENTS: '200000', BENCH_ROUNDS: '3' },
  /** Needs Chromium. */
  console: {},
};
const SCRIPT_TIMEOUT_MS = 15 * 60_000;

const RESULTS = fileURLToPath(new URL('../../bench/results/latest.json', import.meta.url));
const FIGURES = fileURLToPath(new URL('../../docs/reference/tables/figures.md', import.meta.url));
const README = fileURLToPath(new URL('../../README.md', import.meta.url));
/** Rows of the table in README.md: label, script, pattern of the row's name, and what the floor or peer is. */
const HIGHLIGHTS: readonly (readonly [what: string, script: string, figure: RegExp, floor: string])[] = [
  [
    'client list of 500 flags, gzip, polls',
    'http',
    /^list, 500 flags, gzip .*rate$/,
    'a bare HTTP server with the same bytes',
  ],
  ['the same, unchanged (304)', 'http', /^list, 500 flags, 304 .*rate$/, 'the same'],
  ['one evaluation', 'evaluation', /^mixed flags: isOn/, 'unleash-client'],
  [
    'a change of one of 10,000 flags → its gzip list ready',
    'change',
    /^one of 10,000 flags changed/,
    'compressing it anew',
  ],
  ['durable writes, 64 writers over HTTP', 'writes', /^HTTP, 64 writers .*rate$/, 'the bare store in batches of 64'],
];

interface Results {
  readonly machine: string;
  readonly date: string;
  readonly reports: readonly (Report & { readonly script: string })[];
}

async function run(script: string): Promise<Report> {
  const file = fileURLToPath(new URL(`./${script}.bench.js`, import.meta.url));
  const child = spawn(process.execPath, [file], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...SCRIPTS[script], ...process.env, BENCH_JSON: '1' },
  });
  current = child;
  const deadline = setTimeout(() => child.kill('SIGTERM'), SCRIPT_TIMEOUT_MS);
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
  let text = '';
  for await (const chunk of child.stdout) text += String(chunk);
  const code = await exit;
  clearTimeout(deadline);
  const lines = text.split('\n');
  process.stdout.write(lines.filter((line) => !line.startsWith(JSON_PREFIX)).join('\n'));
  const json = lines.find((line) => line.startsWith(JSON_PREFIX));
  if (code !== 0 || json === undefined) throw new Error(`${script} ended with ${code} and ${json ? '' : 'no '}results`);
  return JSON.parse(json.slice(JSON_PREFIX.length)) as Report;
}

let current: ReturnType<typeof spawn> | undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    current?.kill('SIGTERM');
    process.exitCode = 1;
  });
}

function earlier(): Results['reports'] {
  return existsSync(RESULTS) ? (JSON.parse(readFileSync(RESULTS, 'utf8')) as Results).reports : [];
}

const cell = (text: string) => text.replaceAll('|', '\\|');

function row(figure: Figure): string {
  const { name, ours, floor, aim } = figure;
  return `| ${[name, ours, floor, ratioText(figure), aim, verdict(figure)].map(cell).join(' | ')} |`;
}

function table({ machine: name, date, reports }: Results): string {
  const lines = [
    `Measured on ${name}, ${date.slice(0, 10)}, where no other machine is named; medians of the rounds. \`npm run bench -- all\` writes this table.`,
    '',
  ];
  for (const { title, figures, notes } of reports) {
    const [, what = title, on = name] = /^(.*?) \((\d+ × .*)\)$/.exec(title) ?? [];
    lines.push(on === name ? `**${what}**` : `**${what}** (${on})`, '');
    lines.push('| what | Burgee | floor or peer, same run | ratio | aim | |', '|---|---|---|---|---|---|');
    lines.push(...figures.map(row), '', ...notes.flatMap((note) => [note, '']));
  }
  return lines.join('\n').trimEnd();
}

/** The table of README.md, from the same results. Rows that the run did not measure are left out. */
function highlights({ reports }: Results): string {
  const rows = HIGHLIGHTS.flatMap(([what, script, wanted, peer]) => {
    const figures = reports.find((report) => report.script === script)?.figures ?? [];
    const figure = figures.find(({ name }) => wanted.test(name));
    return figure ? [`| ${what} | ${figure.ours} | ${measuredOnly(figure.floor)}, ${peer} |`] : [];
  });
  return ['| what | Burgee | floor or peer |', '|---|---|---|', ...rows].join('\n');
}

/** Only the number and its unit, without the words after them. */
const measuredOnly = (text: string) => /^[\d,.]+(\/s| \S+)/.exec(text)?.[0] ?? text;

/** Replaces the text between the opening and the closing comment of the mark. */
function writeBetween(mark: string, file: string, lines: string): void {
  const text = readFileSync(file, 'utf8');
  const opening = `<!-- ${mark} -->`;
  const [start, end] = [text.indexOf(opening), text.indexOf(`<!-- /${mark} -->`)];
  if (start < 0 || end < start) return;
  const head = text.slice(0, start + opening.length);
  writeFileSync(file, `${head}\n${lines}\n${text.slice(end)}`);
}

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !Object.hasOwn(SCRIPTS, name));
if (unknown.length > 0) {
  process.stderr.write(`there is no ${unknown.join(', ')}; there are ${Object.keys(SCRIPTS).join(', ')}\n`);
  process.exit(1);
}
const failed: string[] = [];
const reports = new Map(earlier().map((report) => [report.script, report]));
for (const script of asked.length > 0 ? asked : Object.keys(SCRIPTS)) {
  if (process.exitCode === 1) break;
  try {
    reports.set(script, { script, ...(await run(script)) });
  } catch (error) {
    failed.push(error instanceof Error ? error.message : String(error));
    reports.delete(script);
  }
}
const ordered = Object.keys(SCRIPTS).flatMap((script) => reports.get(script) ?? []);
const results: Results = { machine: machine(), date: new Date().toISOString(), reports: ordered };
mkdirSync(fileURLToPath(new URL('../../bench/results', import.meta.url)), { recursive: true });
writeFileSync(RESULTS, `${JSON.stringify(results, null, 2)}\n`);
writeBetween('figures', FIGURES, table(results));
writeBetween('highlights', README, highlights(results));
for (const problem of failed) process.stderr.write(`FAILED: ${problem}\n`);
if (failed.length > 0) process.exitCode = 1;
