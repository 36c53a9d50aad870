/** Options of the HTTP server. Except `HTTP_FRONT`, the names are Unleash's. */
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
  crossOriginMaxAgeSeconds: {
    env: ['ACCESS_CONTROL_MAX_AGE'],
    kind: 'integer',
    max: 31_536_000,
    default: '86400',
    description:
      'Seconds for which browsers may cache the permission to call from another origin. Browsers limit it to a day or less.',
  },
  logsRequests: {
    env: ['REQUEST_LOGGER_ENABLE'],
    kind: 'boolean',
    default: 'false',
    description:
      'Logs each request with its method, its route, its status and its duration, at level `info`. With `LOG_LEVEL=debug`, requests are always logged.',
  },
} as const;
