import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** From the inside out, as in the table of ARCHITECTURE.md: a file imports from its own ring and from rings before it. */
const RINGS = ringsOf(readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8'));

function ringsOf(text: string): string[] {
  const [, table = ''] = /\| ring \|.*\n.*\n((?:\|.*\n)+)/.exec(text) ?? [];
  const named = [...table.matchAll(/^\| `([^`]+)`/gm)].map(([, name = '']) => ringOf(`src/${name}`));
  return [...new Set(named.reverse())];
}

/** Rings with deterministic code: no clock, no random numbers, no I/O. */
const PURE_RINGS = ['model', 'evaluation', 'state', 'access'];

/** The files that Piscina runs in its threads: it calls the default exports. */
const WORKERS = [
  'src/features/events/event-text-worker.ts',
  'src/features/bulk/bulk-worker.ts',
  'src/features/addons/delivery/signature-worker.ts',
  'src/features/sign-on/saml/saml-worker.ts',
  'src/features/mcp/mcp-worker.ts',
  'src/features/telemetry/telemetry-worker.ts',
];

/** The only file that passes data to uWebSockets.js. */
const WIRE = 'src/http/front/fast/fast-response.ts';

const FILE_LINES_MAX = 400;
const FUNCTION_LINES_MAX = 70;

interface SourceFile {
  /** From the repository's root, with forward slashes. */
  readonly path: string;
  readonly ring: string;
  readonly text: string;
  /** The text without comments. */
  readonly code: string;
}

function filesIn(folder: string): SourceFile[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.includes('node_modules'))
    .sort()
    .map((name) => {
      const path = `${folder}/${name}`;
      const text = readFileSync(join(ROOT, path), 'utf8');
      return { path, ring: ringOf(path), text, code: withoutComments(text) };
    });
}

/** Each folder of `src` is a ring, and so is each of its two files: `config.ts` is the next ring after `model`, whose limits are options. */
function ringOf(path: string): string {
  return (path.split('/')[1] ?? '').replace(/\.ts$/, '');
}

/** The folder below `src/features` that a file is in. */
function featureOf(path: string): string | undefined {
  return /^src\/features\/([^/]+)\/./.exec(path)?.[1];
}

/** Whether a file of a feature defines commands or guards: they are decided again after a conflict, with the same result on every replica. */
function statesRules(file: SourceFile): boolean {
  return (
    file.ring === 'features' &&
    ownImportsOf(file).some((path) => /^src\/engine\/(command|guard)\.ts$/.test(path)) &&
    !/routes\.ts$/.test(file.path)
  );
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');
}

function importsOf({ code }: SourceFile): string[] {
  return [...code.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/g)].map(([, target = '']) => target);
}

/** Paths of the files of this source that a file imports. */
function ownImportsOf(file: SourceFile): string[] {
  return importsOf(file)
    .filter((target) => target.startsWith('.'))
    .map((target) => normalize(join(dirname(file.path), target)));
}

/** What a file belongs to: a feature, a folder of the console, a screen. */
type UnitOf = (path: string) => string | undefined;

function importsBetween(files: readonly SourceFile[], unitOf: UnitOf): (readonly [path: string, target: string])[] {
  const imports = files.flatMap((file) => ownImportsOf(file).map((target) => [file.path, target] as const));
  return imports.filter(([path, target]) => {
    const [unit, other] = [unitOf(path), unitOf(target)];
    return unit !== undefined && other !== undefined && unit !== other;
  });
}

/** The imports between units that are part of a circle: the unit of the target needs the unit of the file, directly or through others. */
function importsInCircles(files: readonly SourceFile[], unitOf: UnitOf): (readonly [path: string, target: string])[] {
  const between = importsBetween(files, unitOf);
  const needs = new Map<string, Set<string>>();
  for (const [path, target] of between) {
    const [unit = '', other = ''] = [unitOf(path), unitOf(target)];
    needs.set(unit, (needs.get(unit) ?? new Set()).add(other));
  }
  const allNeeds = (unit: string, known = new Set<string>()): ReadonlySet<string> => {
    for (const other of needs.get(unit) ?? []) if (!known.has(other)) allNeeds(other, known.add(other));
    return known;
  };
  return between.filter(([path, target]) => allNeeds(unitOf(target) ?? '').has(unitOf(path) ?? ''));
}

interface FunctionLines {
  readonly line: number;
  readonly lines: number;
}

/**
 * Functions with a body of their own lines. Relies on the formatter: a body opens at the end of a line and closes with the next line that
 * begins with a brace at the same depth; a signature of several lines ends at the depth it began at.
 */
function functionsIn(text: string): FunctionLines[] {
  const lines = text.split('\n');
  const depthOf = (line: string) => line.length - line.trimStart().length;
  const functions: FunctionLines[] = [];
  for (const [index, line] of lines.entries()) {
    const opens = /(=>|\)|\): [^;]+) \{$/.test(line);
    if (!opens || /^\s*(\} )?(if|else|for|while|switch|catch|do|try)\b/.test(line)) continue;
    const depth = depthOf(line);
    const end = lines.findIndex(
      (other, at) => at > index && depthOf(other) === depth && other.trimStart().startsWith('}'),
    );
    let start = index;
    while (/^\s*[)\]}]/.test(lines[start] ?? '') && start > 0) {
      start--;
      while (start > 0 && (lines[start]?.trim() === '' || depthOf(lines[start] ?? '') > depth)) start--;
    }
    functions.push({ line: start + 1, lines: end - start + 1 });
  }
  return functions;
}

/** The console is a package of its own, whose modules are components, too. Its types of the API are generated. */
function filesOfConsole(): SourceFile[] {
  return readdirSync(join(ROOT, 'console/src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.d.ts'))
    .sort()
    .map((name) => {
      const text = readFileSync(join(ROOT, 'console/src', name), 'utf8');
      return { path: `console/src/${name}`, ring: 'console', text, code: withoutComments(text) };
    });
}

const consoleFolderOf: UnitOf = (path) => /^console\/src\/([^/]+)\/./.exec(path)?.[1];
const screenOf: UnitOf = (path) => /^console\/src\/screens\/([^/]+)\/./.exec(path)?.[1];

/** What one screen shows of another. The list only shrinks: what several screens use is no screen, and has a folder beside them. */
const BETWEEN_SCREENS: Readonly<Record<string, string>> = {
  'projects → signals': 'the action sets of a project are a section of its settings',
};

const source = filesIn('src');
const everything = [...source, ...filesIn('bench'), ...filesIn('test')];

/** Fails with all offenders. */
function expectNone(offenders: readonly string[]): void {
  expect(offenders).toEqual([]);
}

describe('the source', () => {
  it('imports inward only', () => {
    const offenders = source.flatMap((file) =>
      ownImportsOf(file)
        .filter((target) => RINGS.indexOf(ringOf(target)) > RINGS.indexOf(file.ring))
        .map((target) => `${file.path} imports ${target}`),
    );
    expectNone(offenders);
  });

  it('imports from another feature only the files that this feature exports', async () => {
    const { FEATURES } = await import('../../src/features/modules.ts');
    const exported = new Set(
      FEATURES.flatMap(({ name, exports = [] }) =>
        ['module.ts', ...exports].map((file) => `src/features/${name}/${file}`),
      ),
    );
    const imported = source.flatMap((file) =>
      ownImportsOf(file)
        .filter((target) => {
          const [feature, other] = [featureOf(file.path), featureOf(target)];
          return feature !== undefined && other !== undefined && feature !== other && other !== 'shared';
        })
        .map((target) => ({ path: file.path, target })),
    );
    expectNone(
      imported.filter(({ target }) => !exported.has(target)).map(({ path, target }) => `${path} imports ${target}`),
    );
    const used = new Set(imported.map(({ target }) => target));
    expectNone([...exported].filter((path) => !path.endsWith('/module.ts') && !used.has(path)));
  });

  it('has no circle of features', () => {
    expectNone(importsInCircles(source, featureOf).map(([path, target]) => `${path} imports ${target}`));
  });

  it('exports no value and no type that nothing else imports', () => {
    const files = new Map<string, number>();
    for (const { code } of everything)
      for (const word of new Set(code.match(/\w+/g))) files.set(word, (files.get(word) ?? 0) + 1);
    const exported = /^export (?:abstract )?(?:async )?(function\*?|const|let|class|interface|type) (\w+)/gm;
    const offenders = source.flatMap(({ path, code }) =>
      [...code.matchAll(exported)]
        .filter(([, , name = '']) => files.get(name) === 1)
        .map(([line]) => `${path}: ${line}`),
    );
    expectNone(offenders);
  });

  it('has no circular imports, types included', () => {
    const targets = new Map(source.map((file) => [file.path, ownImportsOf(file)]));
    const circles: string[] = [];
    const isDone = new Map<string, boolean>();
    const visit = (path: string, from: readonly string[]) => {
      if (isDone.get(path) === false) circles.push([...from.slice(from.indexOf(path)), path].join(' → '));
      if (isDone.has(path)) return;
      isDone.set(path, false);
      for (const target of targets.get(path) ?? []) visit(target, [...from, path]);
      isDone.set(path, true);
    };
    for (const { path } of source) visit(path, []);
    expectNone(circles);
  });

  it('loads no admin API, and no package for threads or stores, in the relay and in offline mode', () => {
    const files = new Map(source.map((file) => [file.path, file]));
    const loaded = new Set<string>();
    const load = (path: string) => {
      if (loaded.has(path)) return;
      loaded.add(path);
      const atOnce = [...(files.get(path)?.code ?? '').matchAll(/^(?:import|export) (?!type )[^;]*? from '([^']+)'/gm)];
      for (const [, target = ''] of atOnce)
        load(target.startsWith('.') ? normalize(join(dirname(path), target)) : target);
    };
    for (const start of ['src/main.ts', 'src/products/relay/serve.ts', 'src/products/offline/serve.ts']) load(start);
    expect(loaded).toContain('src/products/server/service.ts');
    expectNone([...loaded].filter((path) => /^src\/features\/registry|^piscina$|^lmdb$|^ioredis$/.test(path)));
  });

  it('has exactly the rings of ARCHITECTURE.md', () => {
    const found = new Set(source.map(({ ring }) => ring));
    expect([...RINGS].sort()).toEqual([...found].sort());
  });

  it('imports its own files with their extension, and others by package or node: name', () => {
    const offenders = everything.flatMap((file) =>
      importsOf(file)
        .filter((target) =>
          target.startsWith('.')
            ? !/\.(ts|mjs|json)$/.test(target)
            : /^(fs|path|os|net|http|crypto|url|util|events|zlib)$/.test(target),
        )
        .map((target) => `${file.path} imports ${target}`),
    );
    expectNone(offenders);
  });

  it('knows each HTTP server in one folder only', () => {
    const usersOf = (name: string) => source.filter((file) => importsOf(file).includes(name));
    expectNone(
      usersOf('uWebSockets.js')
        .map(({ path }) => path)
        .filter((path) => !path.startsWith('src/http/front/fast/')),
    );
    // The package is loaded where its binary may be missing: everybody else imports its types.
    expectNone(
      usersOf('uWebSockets.js')
        .filter(({ code }) => !/import type [^;]* from 'uWebSockets\.js'/.test(code))
        .map(({ path }) => path),
    );
    const servers = source.filter(({ code }) => /\bcreateServer\b[^;]* from 'node:https?'/s.test(code));
    expect(servers.map(({ path }) => path)).toEqual(['src/http/front/node/node-front.ts']);
  });

  it('sends through uWebSockets.js only in one file, and only bytes', () => {
    const sends = /\.(writeStatus|writeHeader|tryEnd|endWithoutBody)\b/;
    expectNone(
      source
        .filter(({ code }) => sends.test(code))
        .map(({ path }) => path)
        .filter((path) => path !== WIRE),
    );
    const wire = source.find(({ path }) => path === WIRE)?.code ?? '';
    const sent = [
      ...wire.matchAll(/(?:#raw|writeStatus)\.(?:writeStatus|writeHeader|tryEnd|write|end|call)\(([^)]*)/g),
    ];
    expect(sent.length).toBeGreaterThan(5);
    for (const [, text = ''] of sent) expect(text).not.toMatch(/['"`]|\b(body|part)\b/);
  });

  it('reads no clock and draws no random numbers in the pure rings', () => {
    const impure =
      /\bDate\.now\b|\bnew Date\(\)|\bDate\(\)|\bMath\.random\b|\bperformance\b|\brandomUUID\b|\brandomBytes\b|\bsetTimeout\b|\bsetInterval\b|\bprocess\.|\bhrtime\b/;
    const offenders = source
      .filter((file) => PURE_RINGS.includes(file.ring) || statesRules(file))
      .flatMap(({ path, code }) =>
        code
          .split('\n')
          .filter((line) => impure.test(line))
          .map((line) => `${path}: ${line.trim()}`),
      );
    expectNone(offenders);
  });

  it('says at each place where it works for the service why it does not work for a request', () => {
    const rings = source.filter(({ ring }) => ['features', 'http', 'access'].includes(ring));
    expect(rings.flatMap(({ text }) => text.match(REASON) ?? []).length).toBeGreaterThan(10);
    expectNone(rings.flatMap(({ path, text }) => placesWithoutReason(text).map((line) => `${path}: ${line}`)));
    // So no route does such work itself: a part that keeps the result does.
    expectNone(
      rings
        .filter(({ path, code }) => /routes\.ts$/.test(path) && WORKS_FOR_SERVICE.test(code))
        .map(({ path }) => path),
    );
  });

  it('loads the sign-on library only for a sign-on, and the XML library only in a separate thread', () => {
    const users = (library: string) =>
      source.filter((file) => importsOf(file).includes(library)).map(({ path }) => path);
    expect(users('@node-saml/node-saml')).toEqual(['src/features/sign-on/saml/saml-worker.ts']);
    expect(source.flatMap(ownImportsOf)).not.toContain('src/features/sign-on/saml/saml-worker.ts');
    expect(users('openid-client')).toEqual(['src/features/sign-on/oidc/client.ts']);
    const { code = '' } = source.find(({ path }) => path === 'src/features/sign-on/oidc/client.ts') ?? {};
    expect(code).not.toMatch(/^import (?!type )[^;]*'openid-client'/m);
  });

  it('loads the SDK of MCP only in its thread, and in burgee mcp', () => {
    const users = source.filter((file) =>
      importsOf(file).some((target) => target.startsWith('@modelcontextprotocol/')),
    );
    const folder = 'src/features/mcp';
    const own = ['mcp-worker', 'one-message', 'protocol-server'].map((name) => `${folder}/${name}.ts`);
    expect(users.map(({ path }) => path)).toEqual([...own, 'src/products/program/mcp/run-mcp.ts']);
    const loading = new RegExp(
      `^import (?!type )[^;]*'[^']*(${[...own, 'run-mcp.ts'].map((path) => path.split('/').at(-1)).join('|')})'`,
      'm',
    );
    expect(source.filter(({ code }) => loading.test(code)).map(({ path }) => path)).toEqual([
      `${folder}/mcp-worker.ts`,
      'src/products/program/mcp/run-mcp.ts',
    ]);
  });

  it('loads the SDK of OpenTelemetry only in its thread', () => {
    const users = source.filter((file) => importsOf(file).some((target) => target.startsWith('@opentelemetry/')));
    expect(users.map(({ path }) => path)).toEqual(['src/features/telemetry/telemetry-worker.ts']);
    expect(source.flatMap(ownImportsOf)).not.toContain('src/features/telemetry/telemetry-worker.ts');
  });

  it('starts threads only with Piscina', () => {
    expectNone(
      source.filter((file) => importsOf(file).some((target) => /worker_threads$/.test(target))).map(({ path }) => path),
    );
  });

  it('reads environment variables only in config.ts and main.ts, and for a setting of uWS', () => {
    const offenders = source.filter(({ code }) => /\bprocess\.env\b/.test(code)).map(({ path }) => path);
    expectNone(offenders.filter((path) => !/^src\/(config|main|http\/front\/fast\/header-limit)\.ts$/.test(path)));
  });

  it('adds the items of a list with pushAll: as arguments, many items overflow the stack', () => {
    const passed = (code: string) => /\.push\(\s*\.\.\./.test(code);
    expect(passed('list.push(...items)')).toBe(true);
    expect(passed('list.push({ ...item })')).toBe(false);
    expect(source.filter(({ code }) => passed(code)).map(({ path }) => path)).toEqual([]);
  });

  it('has no barrels, no default exports and no interfaces named IThis', () => {
    const offenders = source.filter(
      ({ path, code }) =>
        /(^|\/)index\.ts$/.test(path) ||
        /^export (type )?(\*|\{[^}]*\}) from/m.test(code) ||
        (/^export default/m.test(code) && !WORKERS.includes(path)) ||
        /\binterface I[A-Z]/.test(code),
    );
    expectNone(offenders.map(({ path }) => path));
  });

  it('spreads no literal, which only hides a line from the formatter', () => {
    const offenders = [...everything, ...filesOfConsole()].filter(({ text }) =>
      /\.\.\.\{ ?\w|\.\.\.\[[^[\]]*\],?$/m.test(text),
    );
    expectNone(offenders.map(({ path }) => path));
  });

  it(`has no file of ${FILE_LINES_MAX} lines or more`, () => {
    const offenders = [...source, ...filesOfConsole()].map(({ path, text }) => ({
      path,
      lines: text.split('\n').length,
    }));
    expectNone(
      offenders.filter(({ lines }) => lines >= FILE_LINES_MAX).map(({ path, lines }) => `${path}: ${lines} lines`),
    );
  });

  it(`has no function above ${FUNCTION_LINES_MAX} lines`, () => {
    const offenders = [...source, ...filesOfConsole()].flatMap(({ path, text }) =>
      functionsIn(text)
        .filter(({ lines }) => lines > FUNCTION_LINES_MAX)
        .map(({ line, lines }) => `${path}:${line}: ${lines} lines`),
    );
    expectNone(offenders);
  });
});

/** Where work has no request that it ends with, and the comment that says why. A default value of a parameter would say it for every caller. */
const WORKS_FOR_SERVICE = /\bSERVICE\b/;
const REASON = /\/\/ Work of the service: .+/;
/** Lines above a place in which its reason is. */
const REASON_LINES = 3;

function placesWithoutReason(text: string): string[] {
  const lines = text.split('\n');
  return lines.filter(
    (line, at) =>
      WORKS_FOR_SERVICE.test(line) &&
      !/^(import|\s*\/?\*)/.test(line) &&
      !lines.slice(Math.max(0, at - REASON_LINES), at).some((before) => REASON.test(before)),
  );
}

/** What measures time: processor time, or how long something holds the event loop. */
const MEASURES =
  /\b(cpuUsage|threadCpuUsage|resourceUsage|hrtime|monitorEventLoopDelay|eventLoopUtilization|LoopProbe)\b|\bperformance\.(mark|measure|timerify)\b/;
/** A time that has passed. A deadline (`performance.now() > deadlineMs`) and a time of day (`Date.now() - 3 * DAY_MS`) are none. */
const PASSED =
  /\bperformance\.now\(\) -|- (performance|Date)\.now\(\)|\bDate\.now\(\) - (Date\b|[a-z]\w*(?![\w(]| \*))/;

const measuresTime = (line: string) => MEASURES.test(line) || PASSED.test(line);

describe('tests', () => {
  it('measure no time, except those that run long: they say the same on a busy machine', () => {
    // A work counter waits until the event loop is idle: it compares no time.
    const files = filesIn('test').filter(
      ({ path }) => !/(\.torture|-peer|\/soak\/soak|\/work-counter)\.ts$/.test(path),
    );
    expect(files.filter(({ path }) => /\.(test|browser)\.ts$/.test(path)).length).toBeGreaterThan(400);
    const offenders = files.flatMap(({ path, code }) =>
      code
        .split('\n')
        .filter(measuresTime)
        .map((line) => `${path}: ${line.trim()}`),
    );
    // This file has the words themselves.
    expectNone(offenders.filter((line) => !line.startsWith('test/repository/architecture.test.ts')));
  });
});

describe('the console', () => {
  const files = filesOfConsole();

  it('has no folders that need each other in a circle', () => {
    expect(importsBetween(files, consoleFolderOf).length).toBeGreaterThan(1_000);
    expectNone(importsInCircles(files, consoleFolderOf).map(([path, target]) => `${path} imports ${target}`));
  });

  it('has no screen that imports from another, but for those that are listed with their reason', () => {
    const found = importsBetween(files, screenOf).map(([path, target]) => `${screenOf(path)} → ${screenOf(target)}`);
    expect([...new Set(found)].sort()).toEqual(Object.keys(BETWEEN_SCREENS).sort());
  });
});

describe('source, tests and benchmarks', () => {
  it('have kebab-case names', () => {
    expectNone(
      everything
        .map(({ path }) => path)
        .filter((path) => !/^([a-z0-9-]+\/)+[a-z0-9-]+(\.(test|torture|bench|browser))?\.ts$/.test(path)),
    );
  });

  it('skip no test and focus no test', () => {
    const tests = everything.filter(({ path }) => /\.(test|torture|browser)\.ts$/.test(path));
    expect(tests.length).toBeGreaterThan(400);
    expectNone(
      tests
        .filter(({ code }) => /\b(it|describe|test)\.(skip|only|todo|skipIf|runIf)\b/.test(code))
        .map(({ path }) => path),
    );
  });
});

describe('these rules', () => {
  it('check a minimum of files and imports', () => {
    expect(source.length).toBeGreaterThan(100);
    expect(source.flatMap(importsOf).length).toBeGreaterThan(300);
  });

  it('find functions of every shape and count their lines', () => {
    const body = (depth: number, lines: number) =>
      Array(lines)
        .fill(`${' '.repeat(depth)}work();`)
        .join('\n');
    const text = [
      `function plain(a: number): void {\n${body(2, 8)}\n}`,
      `export async function broken(\n  a: number,\n  b: string,\n): Promise<void> {\n${body(2, 5)}\n}`,
      `class Thing {\n  method(): Map<string, number> {\n    if (a) {\n${body(6, 3)}\n    }\n  }\n}`,
      `const arrow = (a: number) => {\n${body(2, 1)}\n};`,
      'if (condition()) {\n  work();\n}',
    ].join('\n');
    expect(functionsIn(text).map(({ lines }) => lines)).toEqual([10, 10, 7, 3]);
  });

  it('see what measures time, and let deadlines and times of day pass', () => {
    const measured = [
      'const { user } = process.cpuUsage(before);',
      'const probe = new LoopProbe();',
      'expect(performance.now() - startedMs).toBeLessThan(10_000);',
      'const tookMs = Date.now() - startedMs;',
      'expect(Date.now() - Date.parse(lastSeen)).toBeLessThan(600_000);',
      'const leftMs = deadlineMs - Date.now();',
    ];
    const others = [
      'for (const deadlineMs = performance.now() + timeoutMs; ; ) {',
      'if (performance.now() > deadlineMs) throw new Error();',
      'const at = new Date(Date.now() - days * 86_400_000);',
      'const stop = Date.now() - 4 * HOUR_MS;',
    ];
    expect(measured.filter((line) => !measuresTime(line))).toEqual([]);
    expect(others.filter(measuresTime)).toEqual([]);
  });

  it('see work of the service without a reason, and as a default value', () => {
    const imported = "import { SERVICE } from './asker.ts';";
    const reason = '// Work of the service: it is kept.';
    expect(placesWithoutReason(`${imported}\n\n${reason}\nconst slicer = Slicer.of(SERVICE);`)).toEqual([]);
    const [alone, byDefault] = ['const slicer = Slicer.of(SERVICE);', 'take(asker = SERVICE) {}'];
    expect(placesWithoutReason([imported, alone, byDefault].join('\n'))).toEqual([alone, byDefault]);
  });

  it('see a circle of features, of any length, and nothing else', () => {
    const file = (path: string, target: string) => {
      const text = `import type { A } from '../${target}/a.ts';`;
      return { path: `src/features/${path}/a.ts`, ring: 'features', text, code: text };
    };
    const [ab, bc, ca, cd] = [file('a', 'b'), file('b', 'c'), file('c', 'a'), file('c', 'd')];
    expect(importsInCircles([ab, bc, cd], featureOf)).toEqual([]);
    expect(importsInCircles([ab, bc, ca, cd], featureOf).map(([path]) => path)).toEqual([ab.path, bc.path, ca.path]);
  });

  it('see imports of every form', () => {
    const code =
      "import a from './a.ts';\nimport type { B } from '../b.ts';\nimport './c.ts';\nawait import('./d.ts');\nexport { e } from './e.ts';";
    const file = { path: 'src/x/y.ts', ring: 'x', text: code, code };
    expect(importsOf(file)).toEqual(['./a.ts', '../b.ts', './c.ts', './d.ts', './e.ts']);
  });
});
