import type { Sealer } from '../base/sealing.ts';
import type { Config } from '../config.ts';
import { checkEnvironment, sealerOf } from './settings.ts';

/** Signing people on with what an identity provider says of them. */
export class SignOn {
  /** Null when the environment has no key: secrets cannot be stored then. */
  readonly sealer: Sealer | null;

  /** @throws ConfigError */
  constructor(config: Config) {
    checkEnvironment(config);
    this.sealer = sealerOf(config);
  }
}
