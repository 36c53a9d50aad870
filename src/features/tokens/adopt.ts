import Type from 'typebox';
import { Rejection } from '../../base/rejection.ts';
import { command } from '../../engine/command.ts';
import type { ApiToken } from '../../model/api-token.ts';
import { addToken, CreateApiTokenInput, tokenOfText } from './commands.ts';

/** The adopted token, or why it may not exist here. */
type Adoption = { readonly token: ApiToken } | { readonly refusal: string };

/**
 * Stores a token that another service has confirmed, with the scope that this service states. Every token is adopted at most once: one that was
 * deleted here is refused. If another replica was faster, nothing changes. The environment and the projects must exist.
 */
export const adoptApiToken = command({
  name: 'adopt-api-token',
  input: Type.Object({
    ...CreateApiTokenInput.properties,
    selector: Type.String({ description: 'The part of the token by which the other service finds it' }),
  }),
  decide(context, { selector, ...input }): Adoption {
    const { draft, now } = context;
    const existing = tokenOfText(draft, input.secret);
    if (existing) return { token: existing };
    if (draft.get('adoptedTokens', selector)) return { refusal: 'It was adopted before, and deleted here.' };
    const token = addToken(context, input);
    if (token instanceof Rejection) return { refusal: token.message };
    draft.put('adoptedTokens', { selector, adoptedAt: now });
    return { token };
  },
});
