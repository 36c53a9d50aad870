/** Options of API tokens: how their secrets are stored, and the adoption of tokens whose secrets `burgee migrate` cannot read. */
export const TOKEN_OPTIONS = {
  apiTokenSecrets: {
    env: ['API_TOKEN_SECRETS'],
    kind: ['readable', 'hashed'],
    default: 'readable',
    description:
      'How secrets of API tokens are stored. `readable`: as plain text. `hashed`: only as SHA-256; a secret is shown only once, when its token ' +
      'is created. You can turn `hashed` on for a store that already has tokens, and they continue to work; you cannot turn it off again ' +
      '(docs/operate/token-secrets.md).',
  },
  adoptTokensFrom: {
    env: ['ADOPT_TOKENS_FROM'],
    kind: 'url',
    default: '',
    description:
      'Address of the Unleash from which this service was migrated, without `/api`. An unknown token of the form that Unleash gives to tokens with ' +
      '`secure: true` is checked there at its first use, and stored here if it is valid (docs/move-in/from-unleash.md#secure-tokens).',
  },
  adoptTokensAdminToken: {
    env: ['ADOPT_TOKENS_ADMIN_TOKEN'],
    kind: 'text',
    default: '',
    description:
      'With `ADOPT_TOKENS_FROM`: a token that may list the API tokens of this Unleash. Their names and expiry times are read with it.',
    secret: true,
  },
} as const;
