import Type, { type Static } from 'typebox';
import { command } from '../../engine/command.ts';
import { ApiToken } from '../../model/api-token.ts';
import { normalProjects } from '../../model/project-list.ts';
import { TOKEN_LENGTH_MAX } from '../../model/token-secret.ts';

export const SourceToken = Type.Object(
  {
    secret: Type.String({ minLength: 1, maxLength: TOKEN_LENGTH_MAX, description: 'The whole text of the token' }),
    type: ApiToken.properties.type,
    environment: Type.String({ minLength: 1 }),
    projects: Type.Array(Type.String({ minLength: 1 }), { minItems: 1 }),
  },
  { description: 'A token as its source describes it' },
);
export type SourceToken = Static<typeof SourceToken>;

/**
 * Writes the source's answer about tokens into the state: valid tokens are added or updated, tokens that the source no longer knows are removed. A
 * token that is sent unchanged makes no change.
 */
export const mirrorTokens = command({
  name: 'mirror-tokens',
  input: Type.Object({
    tokens: Type.Array(SourceToken),
    gone: Type.Array(Type.String({ description: 'The whole text of a token that is removed' })),
  }),
  decide({ draft, now }, { tokens, gone }) {
    for (const secret of gone) if (draft.get('apiTokens', secret)) draft.remove('apiTokens', secret);
    for (const { secret, type, environment, projects: sentProjects } of tokens) {
      const projects = normalProjects(sentProjects);
      const existing = draft.get('apiTokens', secret);
      if (existing && isSame(existing, { type, environment, projects })) continue;
      draft.put('apiTokens', {
        secret,
        tokenName: `${type} ${environment}`,
        type,
        environment,
        projects,
        createdAt: existing?.createdAt ?? now,
        expiresAt: null,
        seenAt: existing?.seenAt ?? null,
        alias: null,
      });
    }
  },
});

function isSame(existing: ApiToken, sent: Pick<ApiToken, 'type' | 'environment' | 'projects'>): boolean {
  const { type, environment, projects } = existing;
  return type === sent.type && environment === sent.environment && projects.join(',') === sent.projects.join(',');
}
