/** Options of the HTTP server. `SERVER_KEEPALIVE_TIMEOUT` is the name that Unleash gave it. */
export const FRONT_OPTIONS = {
  httpFront: {
    env: ['HTTP_FRONT'],
    kind: ['auto', 'fast', 'node'],
    default: 'auto',
    description:
      'The HTTP server: `fast` is uWebSockets.js, `node` is the server of Node. `auto`: the fast one where it has a binary (docs/start/fronts.md).',
  },
  keepAliveSeconds: {
    env: ['SERVER_KEEPALIVE_TIMEOUT'],
    kind: 'integer',
    min: 1,
    max: 3_600,
    default: '61',
    description:
      'Seconds after which a connection without a request is closed, on the front `node`. The front `fast` always closes it after about 10 seconds.',
  },
} as const;
