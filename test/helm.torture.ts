import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';

const CHART = fileURLToPath(new URL('../deploy/helm', import.meta.url));
const HELM = 'helm.sh/helm/v3/cmd/helm@v3.19.0';
const IMAGE = ['--set', 'image.repository=registry.example.com/burgee'];
const MODES = {
  embedded: [],
  replicas: ['--set', 'redis.url=redis://redis:6379'],
  relay: ['--set', 'relay.upstreamUrl=https://unleash.example.com'],
} as const;

// biome-ignore lint/suspicious/noExplicitAny: documents of Kubernetes have many shapes, and an assertion checks each.
type Manifest = any;

/** The original Helm: that of this machine, or built from the Go module proxy. */
describe('the Helm chart, rendered by Helm', () => {
  let folder: string | undefined;
  let helm = 'helm';
  let absence: string | undefined;

  beforeAll(() => {
    if (spawnSync('helm', ['version'], { stdio: 'ignore' }).status === 0) return;
    folder = mkdtempSync(join(tmpdir(), 'burgee-helm-'));
    // Nothing optimised: the build takes a minute of a core or more, the tests take seconds.
    const flags = ['-gcflags=all=-N -l -dwarf=false', '-ldflags=-s -w'];
    const built = spawnSync('nice', ['-n', '19', 'go', 'install', ...flags, HELM], {
      env: { ...process.env, GOBIN: folder, CGO_ENABLED: '0' },
      encoding: 'utf8',
    });
    if (built.status === 0) helm = join(folder, 'helm');
    else {
      absence = `Helm is not available here: ${(built.stderr ?? String(built.error)).trim().slice(-300)}`;
      console.warn(absence);
    }
  });

  afterAll(() => {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  function template(mode: keyof typeof MODES, ...more: string[]): Manifest[] {
    const args = ['template', 'flags', CHART, '--kube-version', '1.31.0', ...IMAGE, '--set', `mode=${mode}`];
    const text = execFileSync(helm, [...args, ...MODES[mode], ...more], { encoding: 'utf8' });
    return parseAllDocuments(text, { uniqueKeys: true }).map((document) => {
      expect(document.errors).toEqual([]);
      return document.toJS();
    });
  }

  function refusal(...args: string[]): string {
    const { status, stderr } = spawnSync(helm, ['template', 'flags', CHART, '--kube-version', '1.31.0', ...args], {
      encoding: 'utf8',
    });
    expect(status).toBe(1);
    return stderr;
  }

  const ofKind = (manifests: readonly Manifest[], kind: string): Manifest =>
    manifests.find((manifest) => manifest.kind === kind);
  const podOf = (manifests: readonly Manifest[]): Manifest =>
    (ofKind(manifests, 'StatefulSet') ?? ofKind(manifests, 'Deployment')).spec.template.spec;
  const variablesOf = (manifests: readonly Manifest[]): Record<string, string> =>
    Object.fromEntries(
      podOf(manifests).containers[0].env.map(({ name, value }: { name: string; value: string }) => [name, value]),
    );

  it('renders every mode, names each variable once, and passes helm lint', (context) => {
    if (absence !== undefined) return context.skip(absence);
    expect(spawnSync(helm, ['lint', CHART, ...IMAGE], { stdio: 'ignore' }).status).toBe(0);
    for (const mode of Object.keys(MODES) as (keyof typeof MODES)[]) {
      const env = { TRUSTED_PROXIES: '10.0.0.0/8', BODY_LIMIT_BYTES: 1_000_000, STRICT_CONFIG: true };
      const manifests = template(mode, '--set-json', `env=${JSON.stringify(env)}`);
      const { env: variables, image } = podOf(manifests).containers[0];
      const names = variables.map(({ name }: { name: string }) => name);
      expect([mode, names]).toEqual([mode, [...new Set(names)]]);
      expect(variablesOf(manifests)).toMatchObject({
        TRUSTED_PROXIES: '10.0.0.0/8',
        BODY_LIMIT_BYTES: '1000000',
        STRICT_CONFIG: 'true',
      });
      expect(image).toBe('registry.example.com/burgee:0.1.0');
      const { selector } = ofKind(manifests, 'Service').spec;
      const set = ofKind(manifests, 'StatefulSet') ?? ofKind(manifests, 'Deployment');
      expect(set.spec.selector.matchLabels).toEqual(selector);
      expect(set.spec.template.metadata.labels).toMatchObject(selector);
    }
  });

  it('renders the settings of values in the correct fields of the manifests', (context) => {
    if (absence !== undefined) return context.skip(absence);
    const volume = { name: 'certificates', secret: { secretName: 'tls' } };
    const mount = { name: 'certificates', mountPath: '/certificates', readOnly: true };
    const fromSecret = { name: 'SECRETS_KEY', valueFrom: { secretKeyRef: { name: 'keys', key: 'sealing' } } };
    const spread = { maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway' };
    const json = (name: string, value: unknown) => ['--set-json', `${name}=${JSON.stringify(value)}`];
    const manifests = template(
      'replicas',
      ...['--set', 'nameOverride=flagship,serviceAccount.create=true,networkPolicy.enabled=true'],
      ...['--set', 'serviceMonitor.enabled=true,serviceMonitor.labels.release=prometheus'],
      ...json('extraVolumes', [volume]),
      ...json('extraVolumeMounts', [mount]),
      ...json('extraEnv', [fromSecret]),
      ...json('topologySpreadConstraints', [spread]),
      ...json('serviceMonitor.endpoint', { authorization: { credentials: { name: 'metrics', key: 'token' } } }),
    );
    const pod = podOf(manifests);
    const { matchLabels } = ofKind(manifests, 'Deployment').spec.selector;
    expect(ofKind(manifests, 'Deployment').metadata.name).toBe('flags-flagship');
    expect(matchLabels['app.kubernetes.io/name']).toBe('flagship');
    expect(pod.volumes).toContainEqual(volume);
    expect(pod.containers[0].volumeMounts).toContainEqual(mount);
    expect(pod.containers[0].env).toContainEqual(fromSecret);
    expect(pod.topologySpreadConstraints).toEqual([{ ...spread, labelSelector: { matchLabels } }]);
    expect(pod.serviceAccountName).toBe(ofKind(manifests, 'ServiceAccount').metadata.name);
    expect(ofKind(manifests, 'NetworkPolicy').spec).toEqual({
      podSelector: { matchLabels },
      policyTypes: ['Ingress'],
      ingress: [{ from: [{ podSelector: {} }], ports: [{ port: 'http', protocol: 'TCP' }] }],
    });
    const monitor = ofKind(manifests, 'ServiceMonitor');
    expect(monitor.metadata.labels.release).toBe('prometheus');
    expect(monitor.spec.selector).toEqual({ matchLabels });
    expect(monitor.spec.endpoints).toEqual([
      {
        port: 'http',
        path: '/internal-backstage/prometheus',
        interval: '30s',
        scrapeTimeout: '10s',
        authorization: { credentials: { name: 'metrics', key: 'token' } },
      },
    ]);
  });

  it('refuses invalid values with their names', (context) => {
    if (absence !== undefined) return context.skip(absence);
    expect(refusal()).toContain('image.repository');
    expect(refusal(...IMAGE, '--set', 'mode=cluster')).toContain('mode');
    expect(refusal(...IMAGE, '--set', 'replica=2')).toContain('replica');
    expect(refusal(...IMAGE, '--set', 'env.http_port=1')).toContain('http_port');
    expect(refusal(...IMAGE, '--set', 'env.HTTP_PORT=1')).toContain('env.HTTP_PORT cannot be set');
    expect(refusal(...IMAGE, '--set', 'mode=replicas')).toContain('redis.url');
    expect(refusal(...IMAGE, '--set', 'mode=relay')).toContain('relay.upstreamUrl');
    expect(refusal(...IMAGE, '--set', 'extraEnv[0].name=DATA_DIR,extraEnv[0].value=/x')).toContain(
      'extraEnv sets DATA_DIR',
    );
  });
});
