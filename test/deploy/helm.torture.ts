import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { ALERTS } from '../../src/generate/alerts.ts';
import { Absence, installPythonPrograms, removeInstalled } from '../sdks/toolchains.ts';

const CHART = fileURLToPath(new URL('../../deploy/helm', import.meta.url));
/** The program of Helm, by its hash: a build from Helm's sources takes two minutes of processor time. */
const HELM = ['-r', fileURLToPath(new URL('helm.txt', import.meta.url))];
const IMAGE = ['--set', 'image.repository=registry.example.com/burgee'];
const MODES = {
  embedded: [],
  replicas: ['--set', 'redis.url=redis://redis:6379'],
  relay: ['--set', 'relay.upstreamUrl=https://unleash.example.com'],
} as const;

// biome-ignore lint/suspicious/noExplicitAny: documents of Kubernetes have many shapes, and an assertion checks each.
type Manifest = any;

/** The original Helm: that of this machine, or that of PyPI. */
describe('the Helm chart, rendered by Helm', () => {
  let helm = 'helm';
  let absence: string | undefined;

  beforeAll(async () => {
    if (spawnSync('helm', ['version'], { stdio: 'ignore' }).status === 0) return;
    const programs = await installPythonPrograms(...HELM);
    if (programs instanceof Absence) {
      absence = programs.reason;
      console.warn(absence);
    } else helm = join(programs, 'helm');
  });

  afterAll(removeInstalled);

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
    const manifests = template(
      'replicas',
      '--set',
      'nameOverride=flagship,serviceAccount.create=true,networkPolicy.enabled=true',
      '--set',
      'serviceMonitor.enabled=true,serviceMonitor.labels.release=prometheus',
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

  const labelsOf = (manifests: readonly Manifest[]): Manifest =>
    (ofKind(manifests, 'StatefulSet') ?? ofKind(manifests, 'Deployment')).spec.template.metadata.labels;
  const json = (name: string, value: unknown) => ['--set-json', `${name}=${JSON.stringify(value)}`];
  const BACKUPS = ['--set', 'backups.enabled=true,backups.tokenSecret.name=admin'];

  it('leaves users and groups to OpenShift, which refuses those of others, and takes own security contexts', (context) => {
    if (absence !== undefined) return context.skip(absence);
    const usual = podOf(template('embedded')).securityContext;
    expect(usual).toMatchObject({ runAsNonRoot: true, runAsUser: 1000, runAsGroup: 1000, fsGroup: 1000 });
    const there = ['--api-versions', 'security.openshift.io/v1'];
    for (const more of [there, ['--set', 'platform=openshift']]) {
      const manifests = template('embedded', ...more, ...BACKUPS);
      const job = ofKind(manifests, 'CronJob').spec.jobTemplate.spec.template.spec;
      for (const { securityContext } of [podOf(manifests), job])
        expect(securityContext).toEqual({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    }
    expect(podOf(template('embedded', ...there, '--set', 'platform=kubernetes')).securityContext).toEqual(usual);
    const own = template('embedded', '--set', 'podSecurityContext.runAsUser=null,podSecurityContext.fsGroup=2000');
    expect(podOf(own).securityContext).toMatchObject({ runAsGroup: 1000, fsGroup: 2000 });
    expect(podOf(own).securityContext).not.toHaveProperty('runAsUser');
  });

  it('adds labels to pods, and refuses those by which the service finds them', (context) => {
    if (absence !== undefined) return context.skip(absence);
    const manifests = template('replicas', '--set', 'podLabels.team=flags');
    expect(labelsOf(manifests)).toEqual({ team: 'flags', ...ofKind(manifests, 'Service').spec.selector });
    for (const label of ['name', 'instance'])
      expect(refusal(...IMAGE, '--set', `podLabels.app\\.kubernetes\\.io/${label}=other`)).toContain(
        `podLabels cannot set app.kubernetes.io/${label}`,
      );
  });

  it('uses the same base path in the container, the probes and the ingress, wherever it is set', (context) => {
    if (absence !== undefined) return context.skip(absence);
    const ways = [
      ['--set', 'basePath=/flags'],
      ['--set', 'env.BASE_URI_PATH=flags/'],
      json('extraEnv', [{ name: 'BASE_URI_PATH', value: '/flags' }]),
      [...json('extraEnv', [{ name: 'BASE_URI_PATH', value: '/flags' }]), '--set', 'basePath=flags'],
    ];
    for (const mode of Object.keys(MODES) as (keyof typeof MODES)[]) {
      for (const way of ways) {
        const manifests = template(mode, ...way, '--set', 'ingress.enabled=true,serviceMonitor.enabled=true');
        const [container] = podOf(manifests).containers;
        const paths = ['startupProbe', 'livenessProbe', 'readinessProbe'].map((name) => container[name].httpGet.path);
        expect([mode, way, paths]).toEqual([mode, way, ['/flags/health', '/flags/health', '/flags/ready']]);
        const values = container.env.filter(({ name }: { name: string }) => name === 'BASE_URI_PATH');
        expect(values).toEqual([{ name: 'BASE_URI_PATH', value: '/flags' }]);
        expect(ofKind(manifests, 'Ingress').spec.rules[0].http.paths[0].path).toBe('/flags/');
        expect(ofKind(manifests, 'ServiceMonitor').spec.endpoints[0].path).toMatch(/^\/flags\//);
      }
    }
    // A path in the Secret must not be one that the probes do not know.
    expect(variablesOf(template('embedded', '--set', 'existingSecret=secrets')).BASE_URI_PATH).toBe('');
    const elsewhere = { name: 'BASE_URI_PATH', valueFrom: { configMapKeyRef: { name: 'paths', key: 'base' } } };
    expect(refusal(...IMAGE, ...json('extraEnv', [elsewhere]))).toContain('set basePath');
    expect(refusal(...IMAGE, '--set', 'basePath=/a,env.BASE_URI_PATH=/b')).toContain('several values: /a, /b');
  });

  it('lets a pod be scraped in only one way', (context) => {
    if (absence !== undefined) return context.skip(absence);
    const annotationsOf = (...more: string[]) =>
      ofKind(template('embedded', ...more), 'StatefulSet').spec.template.metadata.annotations;
    expect(annotationsOf()).toEqual({
      'prometheus.io/scrape': 'true',
      'prometheus.io/path': '/internal-backstage/prometheus',
      'prometheus.io/port': '4242',
    });
    expect(annotationsOf('--set', 'serviceMonitor.enabled=true,podAnnotations.a=b')).toEqual({ a: 'b' });
    const monitored = template('embedded', '--set', 'serviceMonitor.enabled=true', ...BACKUPS);
    const { matchLabels } = ofKind(monitored, 'ServiceMonitor').spec.selector;
    const matches = monitored.filter(
      ({ kind, metadata }) =>
        kind === 'Service' && Object.entries(matchLabels).every(([name, value]) => metadata.labels[name] === value),
    );
    expect(matches).toHaveLength(1);
  });

  it('has the alerts of docs/operate/operations.md, of its own release', (context) => {
    if (absence !== undefined) return context.skip(absence);
    const manifests = template(
      'embedded',
      '--namespace',
      'team',
      '--set',
      'prometheusRule.enabled=true,prometheusRule.labels.release=prometheus',
      ...BACKUPS,
    );
    const { metadata, spec } = ofKind(manifests, 'PrometheusRule');
    expect(metadata.labels.release).toBe('prometheus');
    const [alerts, backups] = spec.groups;
    const expected = ALERTS.flatMap(({ name, rule }) => (rule ? [name] : []));
    expect(alerts.rules.map(({ alert }: { alert: string }) => alert)).toEqual(expected);
    for (const { expr } of alerts.rules) {
      expect(expr).toContain('job="flags-burgee",namespace="team"');
      expect(expr).not.toContain('job="burgee"');
    }
    expect(backups.rules[0].expr).toContain('{namespace="team",cronjob="flags-burgee-backup"}');
    expect(
      ofKind(template('embedded', '--set', 'prometheusRule.enabled=true'), 'PrometheusRule').spec.groups,
    ).toHaveLength(1);
  });

  it('takes backups with a job whose pods the service does not find, and whose volume stays', (context) => {
    if (absence !== undefined) return context.skip(absence);
    const manifests = template(
      'replicas',
      '--set',
      'basePath=/flags,service.port=8080,backups.keep=3,backups.schedule=0 1 * * *',
      '--set',
      'networkPolicy.enabled=true,networkPolicy.ingressFrom[0].podSelector.matchLabels.app=proxy',
      ...BACKUPS,
    );
    const { schedule, concurrencyPolicy, jobTemplate } = ofKind(manifests, 'CronJob').spec;
    expect([schedule, concurrencyPolicy]).toEqual(['0 1 * * *', 'Forbid']);
    const { metadata, spec } = jobTemplate.spec.template;
    const [backup, rehearse] = [spec.initContainers[0], spec.containers[0]];
    expect(backup.args).toEqual(['backup', '--to=/backups', '--keep=3', '--url=http://flags-burgee:8080/flags']);
    expect(backup.env).toEqual([
      { name: 'BURGEE_TOKEN', valueFrom: { secretKeyRef: { name: 'admin', key: 'token' } } },
    ]);
    expect(rehearse.args).toEqual(['restore', '--rehearse', '--from=/backups']);
    expect(rehearse.volumeMounts).toEqual(backup.volumeMounts);
    const { selector } = ofKind(manifests, 'Service').spec;
    expect(metadata.labels).not.toMatchObject(selector);
    const [claim] = spec.volumes.map((volume: Manifest) => volume.persistentVolumeClaim?.claimName).filter(Boolean);
    const made = ofKind(manifests, 'PersistentVolumeClaim');
    expect([made.metadata.name, made.metadata.annotations]).toEqual([claim, { 'helm.sh/resource-policy': 'keep' }]);
    expect(ofKind(manifests, 'NetworkPolicy').spec.ingress[0].from).toEqual([
      { podSelector: { matchLabels: { app: 'proxy' } } },
      { podSelector: { matchLabels: metadata.labels } },
    ]);
    const existing = template('embedded', ...BACKUPS, '--set', 'backups.persistence.existingClaim=mine');
    expect(ofKind(existing, 'PersistentVolumeClaim')).toBeUndefined();
  });

  it('scales pods by their CPU use, sets a port of the nodes, and pins an image', (context) => {
    if (absence !== undefined) return context.skip(absence);
    const digest = `sha256:${'a'.repeat(64)}`;
    const manifests = template(
      'relay',
      '--set',
      `autoscaling.enabled=true,service.type=NodePort,service.nodePort=30042,image.digest=${digest}`,
    );
    expect(ofKind(manifests, 'Deployment').spec).not.toHaveProperty('replicas');
    expect(ofKind(manifests, 'HorizontalPodAutoscaler').spec).toMatchObject({
      minReplicas: 2,
      maxReplicas: 6,
      scaleTargetRef: { kind: 'Deployment', name: 'flags-burgee' },
      metrics: [{ resource: { name: 'cpu', target: { averageUtilization: 70 } } }],
    });
    expect(ofKind(manifests, 'PodDisruptionBudget')).toBeDefined();
    expect(ofKind(manifests, 'Service').spec.ports[0].nodePort).toBe(30_042);
    expect(podOf(manifests).containers[0].image).toBe(`registry.example.com/burgee@${digest}`);
    expect(refusal(...IMAGE, '--set', 'autoscaling.enabled=true')).toContain('autoscaling.enabled needs the mode');
    expect(refusal(...IMAGE, '--set', 'service.nodePort=30042')).toContain('service.nodePort needs');
    expect(refusal(...IMAGE, '--set', 'backups.enabled=true')).toContain('backups.tokenSecret.name');
    expect(refusal(...IMAGE, ...MODES.relay, ...BACKUPS, '--set', 'mode=relay')).toContain('nothing to back up');
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
