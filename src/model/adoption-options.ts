/** Options for the adoption of tokens whose secrets `burgee migrate` cannot read. */
export const ADOPTION_OPTIONS = {
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
