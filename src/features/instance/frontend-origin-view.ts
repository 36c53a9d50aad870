import type { StateReader } from '../../state/collections.ts';
import { FRONTEND_ORIGINS } from './frontend-origins.ts';
import type { Setting } from './setting.ts';

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
