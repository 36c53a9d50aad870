import { fileURLToPath } from 'node:url';
import { type Absence, type Installed, installGo, installJava, installPython, installRust } from './toolchains.ts';

/** How an SDK gets updates (docs/reach/sdk-modes.md). None of these polls for deltas. */
type Mode = 'polling' | 'streaming';

interface Language {
  readonly name: string;
  readonly modes: readonly Mode[];
  /** Installs once, also when it is called several times. */
  install(): Promise<Installed | Absence>;
  /** Flags of the fixture with another answer in this SDK for some context (reasons: docs/reach/sdk-differences.md). */
  readonly differs: readonly string[];
  /** Strategies of `odd-inputs.ts` that this SDK evaluates differently, wherever they came in. */
  readonly differsFor: readonly string[];
}

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Strategy variants with another stickiness than their strategy; parents that are on without a variant. */
const SHARED_CORE_DIFFERS = ['o41.flag-27', 'o41.flag-58', 'o42.flag-1', 'o42.flag-14', 'o42.flag-58'];

const SPACES = 'a gradual rollout with spaces around its percentage';
/** The shared core takes only whole numbers for percentages. */
const NOT_WHOLE = ['a gradual rollout with a fraction', SPACES];

export const LANGUAGES: readonly Language[] = [
  {
    name: 'Python: UnleashClient 6.9.1',
    modes: ['polling', 'streaming'],
    install: once(() => installPython(here('python/client.py'), 'UnleashClient==6.9.1')),
    differs: SHARED_CORE_DIFFERS,
    differsFor: NOT_WHOLE,
  },
  {
    name: 'Java: unleash-client-java 12.2.3',
    modes: ['polling', 'streaming'],
    install: once(() => installJava(here('java'))),
    // Of several satisfied strategies, the first one with variants selects the variant, not the first one.
    differs: [...SHARED_CORE_DIFFERS, 'o41.flag-39', 'o41.flag-49'],
    differsFor: NOT_WHOLE,
  },
  {
    name: 'Rust: unleash-api-client 0.17.1',
    modes: ['polling'],
    install: once(() => installRust(here('rust'))),
    differs: SHARED_CORE_DIFFERS,
    differsFor: NOT_WHOLE,
  },
  {
    name: 'Go: unleash-client-go 4.5.0',
    modes: ['polling'],
    install: once(() => installGo(here('go'))),
    // Inverted comparisons of missing fields, and flags that depend on such a flag or on the variant of another one.
    differs: [
      'o41.flag-20',
      'o42.flag-0',
      'o42.flag-27',
      'o42.flag-34',
      'o42.flag-40',
      'o42.flag-31',
      'o42.flag-14',
      'o42.flag-58',
    ],
    differsFor: [SPACES],
  },
];

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
