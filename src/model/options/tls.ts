/** Options of TLS without a proxy, by the names that Unleash Edge gave them. */
export const TLS_OPTIONS = {
  tlsEnabled: {
    env: ['TLS_ENABLE'],
    kind: 'boolean',
    default: 'false',
    description:
      'Also serves HTTPS, on `TLS_SERVER_PORT`. Plain HTTP is still served on `HTTP_PORT`. With `HTTP_HOST=127.0.0.1` and ' +
      '`TLS_SERVER_HOST=0.0.0.0`, only this machine can use plain HTTP (docs/operate/operations.md).',
  },
  tlsPort: {
    env: ['TLS_SERVER_PORT'],
    kind: 'integer',
    max: 65_535,
    default: '3043',
    description: 'With TLS: port to listen on. 0: a free port.',
  },
  tlsHost: {
    env: ['TLS_SERVER_HOST'],
    kind: 'text',
    default: '',
    description: 'With TLS: address to listen on. Empty: the same address as `HTTP_HOST`.',
  },
  tlsKeyFile: {
    env: ['TLS_SERVER_KEY'],
    kind: 'text',
    default: '',
    description: 'With TLS: PEM file with the private key, without a passphrase.',
  },
  tlsCertificateFile: {
    env: ['TLS_SERVER_CERT'],
    kind: 'text',
    default: '',
    description:
      'With TLS: PEM file with the certificate and its intermediate certificates. The key file and the certificate file are read only at the ' +
      'start: restart Burgee after a renewal.',
  },
} as const;
