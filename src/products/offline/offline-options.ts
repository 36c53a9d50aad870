import type { Option } from '../../base/options.ts';

/** Maximum of `RELOAD_INTERVAL`, in seconds: the longest time between two checks of the file. */
const RELOAD_MAX_S = 86_400;

/** The options of `burgee offline`, in addition to those of every service. */
export const OFFLINE_OPTIONS = {
  bootstrapFile: {
    env: ['BOOTSTRAP_FILE'],
    kind: 'text',
    default: '',
    description:
      'The file with the flags: what `GET /api/client/features` answers, an export of flags, or `{"<flag>": {"enabled": true, "variant": "<name>"}}`.',
  },
  clientTokens: {
    env: ['CLIENT_TOKENS', 'TOKENS'],
    kind: 'list',
    default: '',
    description:
      'Tokens of backend SDKs, comma-separated. `project:environment.secret` sees the flags of that project; a token of any other form sees all projects. `TOKENS` is Edge’s older name.',
    secret: true,
  },
  frontendTokens: {
    env: ['FRONTEND_TOKENS'],
    kind: 'list',
    default: '',
    description: 'Tokens that frontend SDKs may call with.',
    secret: true,
  },
  reloadIntervalS: {
    env: ['RELOAD_INTERVAL'],
    kind: 'integer',
    max: RELOAD_MAX_S,
    default: '0',
    description: 'Seconds between two checks for changes of the file. 0: the file is read only once, at the start.',
  },
} as const satisfies Record<string, Option>;
