import Type from 'typebox';
import { invalid, Rejection } from '../../base/rejection.ts';
import { command } from '../../engine/command.ts';
import type { StateReader } from '../../state/collections.ts';
import { INSTANCE_LIMITS } from './limits.ts';
import { putSetting, type Setting } from './setting.ts';

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

/**
 * The origins whose pages may call the frontend API: the origins that were set over HTTP or, if none were set, the origins of the environment
 * variable. The setting is read from the state at every request, so that every replica applies a change with its commit. It is parsed once per
 * change.
 */
export class FrontendOriginView {
  readonly #reader: StateReader;
  readonly #fromEnvironment: readonly string[];
  #setting: Setting | undefined;
  #origins: readonly string[];

  constructor(reader: StateReader, fromEnvironment: readonly string[]) {
    this.#reader = reader;
    this.#fromEnvironment = fromEnvironment;
    this.#origins = fromEnvironment;
  }

  get current(): readonly string[] {
    const setting = this.#reader.get('settings', FRONTEND_ORIGINS);
    if (setting !== this.#setting) {
      this.#setting = setting;
      this.#origins = setting === undefined ? this.#fromEnvironment : (JSON.parse(setting.value) as string[]);
    }
    return this.#origins;
  }
}
