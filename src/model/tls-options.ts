/** Options of TLS without a proxy, by the names that Unleash Edge gave them. */
export const TLS_OPTIONS = {
  tlsEnabled: {
    env: ['TLS_ENABLE'],
    kind: 'boolean',
    default: 'false',
    description:
      'Serves HTTPS as well, on `TLS_SERVER_PORT`; plain HTTP stays on `HTTP_PORT` (with `HTTP_HOST=127.0.0.1` and `TLS_SERVER_HOST=0.0.0.0` only for this ' +
      'machine: docs/operations.md).',
  },
  tlsPort: {
    env: ['TLS_SERVER_PORT'],
    kind: 'integer',
    max: 65_535,
    default: '3043',
    description: 'With TLS: port to listen on; 0 takes a free one.',
  },
  tlsHost: {
    env: ['TLS_SERVER_HOST'],
    kind: 'text',
    default: '',
    description: 'With TLS: address to listen on. Empty: that of `HTTP_HOST`.',
  },
  tlsKeyFile: {
    env: ['TLS_SERVER_KEY'],
    kind: 'text',
    default: '',
    description: 'With TLS: file with the private key, as PEM without a passphrase.',
  },
  tlsCertificateFile: {
    env: ['TLS_SERVER_CERT'],
    kind: 'text',
    default: '',
    description:
      'With TLS: file with the certificate and those above it, as PEM. Both files are read at a start: restart after they were renewed.',
  },
} as const;
