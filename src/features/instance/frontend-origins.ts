import Type from 'typebox';
import { invalid, Rejection } from '../../base/rejection.ts';
import { command } from '../../engine/command.ts';
import { INSTANCE_LIMITS } from './limits.ts';
import { putSetting } from './put-setting.ts';

/** The name of the setting with the origins, as a JSON list. */
export const FRONTEND_ORIGINS = 'frontend-api-origins';

export const Origins = Type.Array(Type.String({ minLength: 1, maxLength: 300 }), {
  maxItems: INSTANCE_LIMITS.frontendOrigins.max,
  description: 'For example `https://app.example.com`; `*`: every origin',
});

/** Sets the origins whose pages may call the frontend API. The list overrides the list of the environment variable. */
export const setFrontendOrigins = command({
  name: 'set-frontend-origins',
  input: Type.Object({ origins: Origins }),
  decide(context, { origins }) {
    const frontendApiOrigins = plainOrigins(origins);
    if (frontendApiOrigins instanceof Rejection) return frontendApiOrigins;
    putSetting(context, FRONTEND_ORIGINS, JSON.stringify(frontendApiOrigins), { frontendApiOrigins });
    return frontendApiOrigins;
  },
});

/** The origins without duplicates, each in the form that browsers send. */
export function plainOrigins(origins: readonly string[]): string[] | Rejection {
  const distinct = new Set<string>();
  for (const [index, text] of origins.entries()) {
    const origin = originOf(text);
    if (origin === undefined) {
      return invalid(
        'An origin must be `*`, or the scheme, host and port of pages, such as https://app.example.com.',
        `/frontendApiOrigins/${index}`,
      );
    }
    distinct.add(origin);
  }
  return [...distinct];
}

/** The origin in the form that browsers send; undefined if the text is not an origin. */
function originOf(text: string): string | undefined {
  if (text === '*') return text;
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  const { origin, username, password, pathname, search, hash } = new URL(text);
  const isBare = username + password + search + hash === '' && pathname === '/' && !/[?#*]/.test(text);
  return isBare ? origin : undefined;
}
