import { withTable } from './tables.ts';

/** A value that operators watch. The table of docs/operate/operations.md and the rules for Prometheus are made of this list. */
interface Alert {
  /** The name of the rule; also the first column of the table. */
  readonly name: string;
  /** The value, for the table. */
  readonly value: string;
  /** When to act, for the table. */
  readonly when: string;
  readonly advice: string;
  /**
   * The rule, in PromQL; null if Burgee does not measure the value. Every selector contains `job="burgee"`: the chart replaces it by the job and the
   * namespace of its release.
   */
  readonly rule: Rule | null;
}

interface Rule {
  readonly expr: string;
  /** How long the expression holds before the alert fires. */
  readonly for: string;
  /** `critical` calls an operator immediately. */
  readonly severity: 'critical' | 'warning';
}

const JOB = '{job="burgee"}';
const POLLS = 'job="burgee",quantile="0.99",path=~"/api/client/(features|delta)"';
const REQUESTS = 'http_request_duration_milliseconds_count';

export const ALERTS: readonly Alert[] = [
  {
    name: 'BurgeeNotReady',
    value: '`/ready` is not 200, or `burgee_ready` is 0, or there is no answer',
    when: 'for a minute',
    advice: 'the body of `/ready` has the reason',
    rule: { expr: `up${JOB} == 0 or burgee_ready${JOB} == 0`, for: '1m', severity: 'critical' },
  },
  {
    name: 'BurgeeWritesRefused',
    value: '`burgee_writes_refused`',
    when: '1 for a minute',
    advice:
      'follow the advice in `/ready`, which also has the reason: for example a full disk, an unreachable Redis or a full Redis. Reads still work',
    rule: { expr: `burgee_writes_refused${JOB} == 1`, for: '1m', severity: 'critical' },
  },
  {
    name: 'BurgeeStoreUnreachable',
    value: '`burgee_store_reachable` (replicas)',
    when: '0 for a minute',
    advice: 'reads return the state of the time of the outage: check Redis and the network',
    rule: { expr: `burgee_store_reachable${JOB} == 0`, for: '1m', severity: 'critical' },
  },
  {
    name: 'BurgeeReplicaBehind',
    value: '`burgee_lag_commits` (replicas)',
    when: 'above 0 for a minute',
    advice: 'the machine is overloaded, or this version cannot read the log (then `/ready` has `stale`)',
    rule: { expr: `burgee_lag_commits${JOB} > 0`, for: '1m', severity: 'warning' },
  },
  {
    name: 'BurgeeDiskSpaceLow',
    value: 'free disk space of `DATA_DIR` (`burgee_disk_free_bytes`)',
    when: 'under 20 % of `burgee_disk_size_bytes`, or under three times `burgee_data_file_bytes`, for five minutes',
    advice: 'enlarge the disk; limit the audit log (`EVENTS_KEEP_BYTES`)',
    rule: {
      expr: `burgee_disk_free_bytes${JOB} < 0.2 * burgee_disk_size_bytes${JOB} or burgee_disk_free_bytes${JOB} < 3 * burgee_data_file_bytes${JOB}`,
      for: '5m',
      severity: 'warning',
    },
  },
  {
    name: 'BurgeeBackupOld',
    value:
      '`burgee_backup_age_seconds`, if `AUTO_BACKUP_DIR` is set; otherwise the age of the newest file of your backup job',
    when: 'above 25 hours for ten minutes',
    advice: 'the log has the reason of each failed backup; take one by hand, and repair the cause',
    rule: { expr: `burgee_backup_age_seconds${JOB} > 90000`, for: '10m', severity: 'warning' },
  },
  {
    name: 'BurgeeTokenExpires',
    value: '`burgee_api_tokens_expiring{days="1"}`',
    when: 'above 0 for ten minutes',
    advice: 'the console and the log name the tokens: set a later time, or give their SDKs other tokens',
    rule: { expr: 'burgee_api_tokens_expiring{job="burgee",days="1"} > 0', for: '10m', severity: 'warning' },
  },
  {
    name: 'BurgeeBusy',
    value: 'CPU use of the process',
    when: 'above 60 % for ten minutes',
    advice:
      'add a replica on another machine; check which clients poll and how often (`client_sdk_versions`, the access log at `debug`)',
    rule: { expr: `rate(process_cpu_seconds_total${JOB}[5m]) > 0.6`, for: '10m', severity: 'warning' },
  },
  {
    name: 'BurgeeEventLoopSlow',
    value: '`nodejs_eventloop_lag_p99_seconds`',
    when: 'above 0.05 for ten minutes',
    advice: 'other processes use the same core: give Burgee a core for itself',
    rule: { expr: `nodejs_eventloop_lag_p99_seconds${JOB} > 0.05`, for: '10m', severity: 'warning' },
  },
  {
    name: 'BurgeeMemoryHigh',
    value: 'resident memory',
    when: 'above 80 % of its limit (`burgee_memory_limit_bytes`) for five minutes',
    advice:
      'see [How large](#how-large); after an out-of-memory kill, Burgee must restart, but no acknowledged write is lost',
    rule: {
      expr: `process_resident_memory_bytes${JOB} > 0.8 * burgee_memory_limit_bytes${JOB}`,
      for: '5m',
      severity: 'warning',
    },
  },
  {
    name: 'BurgeePollsSlow',
    value: '`http_request_duration_milliseconds{quantile="0.99"}` of polls',
    when: 'above 20 ms for ten minutes',
    advice: 'the same as for CPU use; also check the network',
    rule: { expr: `http_request_duration_milliseconds{${POLLS}} > 20`, for: '10m', severity: 'warning' },
  },
  {
    name: 'BurgeeErrors',
    value: '`http_request_duration_milliseconds_count{status=~"5.."}`',
    when: 'more than 1 % of all requests for five minutes',
    advice: 'read the log, which has the reason; while writes are refused, they get 503 with `Retry-After`',
    rule: {
      expr: `sum by (instance) (rate(${REQUESTS}{job="burgee",status=~"5.."}[5m])) > 0.01 * sum by (instance) (rate(${REQUESTS}${JOB}[5m]))`,
      for: '5m',
      severity: 'warning',
    },
  },
  {
    name: '',
    value: 'the remaining time of the certificate',
    when: 'under 14 days',
    advice: 'renew it, then restart Burgee',
    rule: null,
  },
];

/** Returns the text with the current table of alerts. */
export function withAlertsTable(text: string): string {
  const rows = ALERTS.map(({ name, value, when, advice }) => `| ${name} | ${value} | ${when} | ${advice} |`);
  return withTable(
    text,
    'alerts',
    ['| alert | value | act when | what to do |', '|---|---|---|---|', ...rows].join('\n'),
  );
}

/** The file of rules for Prometheus. The chart contains it. */
export function alertRules(): string {
  const rules = ALERTS.flatMap(({ name, value, when, advice, rule }) =>
    rule
      ? [
          `      - alert: ${name}`,
          `        expr: ${quoted(rule.expr)}`,
          `        for: ${rule.for}`,
          '        labels:',
          `          severity: ${rule.severity}`,
          '        annotations:',
          `          summary: ${quoted(`${value}: ${when}`)}`,
          `          description: ${quoted(advice)}`,
        ]
      : [],
  );
  return [
    '# Rules for Prometheus. npm run readme writes them from src/generate/alerts.ts, as the table of docs/operate/operations.md.',
    '# They select the job burgee; the chart replaces it by the job and the namespace of its release.',
    'groups:',
    '  - name: burgee',
    '    rules:',
    ...rules,
    '',
  ].join('\n');
}

/** YAML in single quotes. Prometheus would take `{{` for a template: no text of the list has it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
