/** The Prometheus that safeguards may ask (docs/use/safeguards.md). */
export const SAFEGUARD_OPTIONS = {
  prometheusUrl: {
    env: ['PROMETHEUS_URL'],
    kind: 'url',
    default: '',
    description:
      'Address of a Prometheus, such as `http://prometheus:9090`. Safeguards may ask it; who may set safeguards can so read from it ' +
      '(docs/use/safeguards.md). Empty: safeguards have no queries.',
  },
  prometheusTokenFile: {
    env: ['PROMETHEUS_TOKEN_FILE'],
    kind: 'text',
    default: '',
    description:
      'File with the token that is sent to `PROMETHEUS_URL`, as `Authorization: Bearer <token>`. It is read for each query.',
  },
} as const;
